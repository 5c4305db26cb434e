import Proxying
import Testing
import TestSupport

/// Answers from the store over sockets: conditions, ranges, HEAD.
@Suite struct StoredAnswerTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    /// A proxy that has stored ten digits with two validators, and the origin it asked once.
    private static func filled() throws -> (proxy: TestProxy, origin: RecordingOrigin, url: String) {
        let origin = TestOrigin.answering { _ in
            response(
                "200 OK",
                "Cache-Control: max-age=600",
                "ETag: \"ten\"",
                "Last-Modified: \(date)",
                "Content-Type: text/plain",
                content: "0123456789"
            )
        }
        let proxy = try TestProxy()
        let url = origin.url("/digits")
        #expect(proxy.ask(url)?.content == "0123456789")
        return (proxy, origin, url)
    }

    @Test(
        "a condition that says the client has it is answered 304 without the origin (RFC 9111 §4.3.2)",
        arguments: [
            "If-None-Match: \"ten\"", "If-None-Match: W/\"ten\"", "If-None-Match: \"a\", \"ten\"", "If-None-Match: *",
            "If-Modified-Since: \(date)", "If-Modified-Since: Mon, 07 Nov 1994 08:49:37 GMT",
        ]
    )
    func notModified(condition: String) throws {
        let (proxy, origin, url) = try Self.filled()
        let connection = proxy.reader()
        let reply = try #require(connection.ask(proxy.request("GET", url, [condition])))
        #expect(reply.status == 304)
        #expect(reply["ETag"] == ["\"ten\""])
        #expect(reply["Cache-Control"] == ["max-age=600"])
        #expect(reply["Content-Length"] == [] && reply["Content-Type"] == [])
        #expect(reply["Age"].count == 1 && reply["Via"].count == 1 && reply.isHit)
        // The next response on the connection is in its place.
        #expect(connection.ask(proxy.request("GET", url))?.content == "0123456789")
        #expect(origin.requests.count == 1)
    }

    @Test(
        "a condition that does not hold gets the whole",
        arguments: ["If-None-Match: \"other\"", "If-Modified-Since: Sat, 05 Nov 1994 08:49:37 GMT"]
    )
    func modified(condition: String) throws {
        let (proxy, origin, url) = try Self.filled()
        let reply = proxy.ask(url, condition)
        #expect(reply?.status == 200 && reply?.content == "0123456789" && reply?.isHit == true)
        #expect(origin.requests.count == 1)
    }

    @Test(
        "one range is 206 with its bytes (H-121)",
        arguments: [
            ("bytes=0-0", "0", "bytes 0-0/10"), ("bytes=3-5", "345", "bytes 3-5/10"),
            ("bytes=7-", "789", "bytes 7-9/10"),
            ("bytes=-2", "89", "bytes 8-9/10"), ("bytes=5-500", "56789", "bytes 5-9/10"),
        ]
    )
    func singleRange(range: String, content: String, contentRange: String) throws {
        let (proxy, origin, url) = try Self.filled()
        let reply = try #require(proxy.ask(url, "Range: \(range)"))
        #expect(reply.status == 206)
        #expect(reply.content == content)
        #expect(reply["Content-Range"] == [contentRange])
        #expect(reply["Content-Type"] == ["text/plain"])
        #expect(reply["ETag"] == ["\"ten\""] && reply.isHit)
        #expect(origin.requests.count == 1)
    }

    @Test("several ranges are parts of one multipart answer (RFC 9110 §14.6)")
    func multipleRanges() throws {
        let (proxy, _, url) = try Self.filled()
        let reply = try #require(proxy.ask(url, "Range: bytes=0-1,8-9"))
        #expect(reply.status == 206)
        #expect(reply["Content-Range"] == [])
        let type = try #require(reply["Content-Type"].first)
        #expect(type.hasPrefix("multipart/byteranges; boundary="))
        let boundary = type.dropFirst("multipart/byteranges; boundary=".count).filter { $0 != "\"" }
        let parts = reply.content.split(separator: "--\(boundary)")
        #expect(parts.count == 3)
        #expect(parts[0].contains("Content-Range: bytes 0-1/10\r\n") && parts[0].hasSuffix("\r\n\r\n01\r\n"))
        #expect(parts[1].contains("Content-Range: bytes 8-9/10\r\n") && parts[1].hasSuffix("\r\n\r\n89\r\n"))
        #expect(parts[2].hasPrefix("--"))
    }

    @Test("a range behind the end is 416 with the length, and the connection goes on")
    func notSatisfiable() throws {
        let (proxy, _, url) = try Self.filled()
        let connection = proxy.reader()
        let reply = try #require(connection.ask(proxy.request("GET", url, ["Range: bytes=10-"])))
        #expect(reply.status == 416)
        #expect(reply["Content-Range"] == ["bytes */10"])
        #expect(reply.content.isEmpty)
        #expect(connection.ask(proxy.request("GET", url))?.status == 200)
    }

    @Test(
        "a range that is malformed, or whose If-Range does not match strongly, is the whole (H-121)",
        arguments: [
            ["Range: bytes=5-2"], ["Range: lines=1-2"], ["Range: bytes=a-b"],
            ["Range: bytes=0-1", "If-Range: \"other\""], ["Range: bytes=0-1", "If-Range: W/\"ten\""],
        ]
    )
    func ignoredRange(fields: [String]) throws {
        let (proxy, _, url) = try Self.filled()
        let reply = proxy.reader().ask(proxy.request("GET", url, fields))
        #expect(reply?.status == 200 && reply?.content == "0123456789")
    }

    @Test("a range with a matching If-Range is the range")
    func ifRange() throws {
        let (proxy, _, url) = try Self.filled()
        #expect(proxy.ask(url, "Range: bytes=0-1", "If-Range: \"ten\"")?.content == "01")
    }

    @Test("HEAD has the fields of GET and no content (H-090)")
    func headRequest() throws {
        let (proxy, origin, url) = try Self.filled()
        let connection = proxy.reader()
        let head = try #require(connection.ask(proxy.request("HEAD", url)))
        let get = try #require(connection.ask(proxy.request("GET", url)))
        #expect(head.status == 200 && head.isHit)
        for name in ["Content-Length", "Content-Type", "ETag", "Last-Modified", "Cache-Control", "Via"] {
            #expect(head[name] == get[name], "\(name)")
        }
        #expect(get.content == "0123456789")
        #expect(origin.requests.count == 1)
    }

    @Test(
        "a HEAD that is forwarded freshens what is stored, or marks it if it tells of other content (C-21.7)",
        arguments: ["\"1\"", "\"2\""]
    )
    func forwardedHead(tag: String) throws {
        let origin = TestOrigin.answering { request in
            request.method == "HEAD"
                ? "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nETag: \(tag)\r\nX-New: yes\r\n\r\n"
                : response("200 OK", "Cache-Control: max-age=600", "ETag: \"1\"", content: "page")
        }
        let proxy = try TestProxy()
        let url = origin.url("/x")
        #expect(proxy.ask(url)?.content == "page")
        let head = try #require(proxy.perform("HEAD", url, "Cache-Control: no-cache"))
        #expect(head.status == 200 && head["ETag"] == [tag] && head["X-New"] == ["yes"])
        let isSame = tag == "\"1\""
        let next = try #require(proxy.ask(url))
        #expect(next.content == "page" && next.isHit == isSame && next["X-New"] == (isSame ? ["yes"] : []))
        #expect(origin.requests.map(\.method) == (isSame ? ["GET", "HEAD"] : ["GET", "HEAD", "GET"]))
    }

    @Test("the slow and the fast path of a hit send the same fields")
    func samePathsSameFields() throws {
        let (proxy, _, url) = try Self.filled()
        let fast = try #require(proxy.ask(url))
        let slow = try #require(proxy.ask(url, "Cache-Control: max-age=500"))
        func lines(_ reply: Reply) -> [String] {
            reply.head.split(separator: "\r\n").map(String.init)
                .filter { !$0.hasPrefix("Age:") && !$0.hasPrefix("Cache-Status:") }.sorted()
        }
        #expect(lines(fast) == lines(slow))
        #expect(fast.isHit && slow.isHit)
    }

    @Test("one URL is one resource on every route (S-013)")
    func routes() throws {
        let (proxy, origin, url) = try Self.filled()
        let prefixed = try #require(proxy.ask("/\(url)"))
        #expect(prefixed.isHit && prefixed.content == "0123456789")
        #expect(proxy.ask(url.replacing("http://", with: "HTTP://"))?.isHit == true)
        #expect(origin.requests.count == 1)
    }

    @Test("a reverse proxy's path is the resource of its URL")
    func gatewayRoute() throws {
        let origin = TestOrigin.answering { _ in response("200 OK", "Cache-Control: max-age=600", content: "x") }
        let base = try GatewayBaseText.base(origin.url("/base"))
        let proxy = try TestProxy {
            $0.options.gateway = base
            $0.options.answersToEveryName = true
        }
        #expect(proxy.ask("/a?b", "Host: any.example")?.content == "x")
        #expect(proxy.ask("/a?b", "Host: other.example")?.isHit == true)
        #expect(proxy.ask(origin.url("/base/a?b"), "Host: 127.0.0.1:\(origin.port)")?.isHit == true)
        #expect(origin.requests.map(\.target) == ["/base/a?b"])
        #expect(origin.requests.first?["Host"] == ["127.0.0.1:\(origin.port)"])
    }

    @Test("only-if-cached without anything stored is 504 and asks nobody (C-21.4)")
    func onlyIfCached() throws {
        let origin = TestOrigin.answering { _ in response(content: "x") }
        let proxy = try TestProxy()
        let reply = try #require(proxy.ask(origin.url("/"), "Cache-Control: only-if-cached"))
        #expect(reply.status == 504)
        #expect(reply["Content-Type"] == ["application/problem+json"])
        #expect(origin.requests.isEmpty)
    }
}
