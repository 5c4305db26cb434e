import HTTPCore
import Proxying
import Testing
import TestSupport

/// What goes to the origin and what comes back, past or into the store.
@Suite struct ForwardingTests {
    private static func origin(_ fields: String...) -> RecordingOrigin {
        let lines = fields.map { "\($0)\r\n" }.joined()
        return TestOrigin.answering { _ in "HTTP/1.1 200 OK\r\n\(lines)Content-Length: 2\r\n\r\nok" }
    }

    // MARK: Requests

    @Test("connection fields of a request stay with its connection (C-21.10, H-067, H-068, H-070)")
    func hopByHopOfRequest() throws {
        let origin = Self.origin("Cache-Control: no-store")
        let proxy = try TestProxy()
        let reply = proxy.ask(
            origin.url("/"),
            "Connection: keep-alive, X-Hop",
            "X-Hop: 1",
            "Keep-Alive: 300",
            "Proxy-Connection: keep-alive",
            "Proxy-Authorization: Basic YTpi",
            "TE: trailers, deflate",
            "Upgrade: h2c",
            "X-End: 2"
        )
        #expect(reply?.status == 200)
        let request = try #require(origin.requests.first)
        for name in ["X-Hop", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "Upgrade"] {
            #expect(request[name] == [], "\(name)")
        }
        #expect(request["TE"].allSatisfy { $0 == "trailers" })
        #expect(request["X-End"] == ["2"])
    }

    @Test("Via tells how the request came, behind the members of others (H-071)")
    func viaOfRequest() throws {
        let origin = Self.origin("Cache-Control: no-store")
        let proxy = try TestProxy()
        #expect(proxy.ask(origin.url("/"), "Via: 1.0 fred, 1.1 p.example")?.status == 200)
        #expect(origin.requests.first?["Via"] == ["1.0 fred, 1.1 p.example", "1.1 respite-test"])
    }

    @Test("a request from HTTP/1.0 goes out as 1.1 with 1.0 in Via, and the answer ends as it wants (H-071, H-088)")
    func oldClient() throws {
        let origin = Self.origin("Cache-Control: no-store")
        let proxy = try TestProxy()
        let client = proxy.client()
        client.send("GET \(origin.url("/")) HTTP/1.0\r\n\r\n")
        let (text, end) = client.receiveAll()
        #expect(end == .end && text.content == "ok")
        let request = try #require(origin.requests.first)
        #expect(request.head.hasPrefix("GET / HTTP/1.1\r\n"))
        #expect(request["Via"] == ["1.0 respite-test"])
    }

    @Test("Host is made of the target, on every route (H-059, H-064, H-065)")
    func host() throws {
        let origin = Self.origin("Cache-Control: no-store")
        let proxy = try TestProxy()
        #expect(proxy.ask(origin.url("/a"), "Host: wrong.example")?.status == 200)
        #expect(proxy.ask("/\(origin.url("/b"))")?.status == 200)
        for request in origin.requests { #expect(request["Host"] == ["127.0.0.1:\(origin.port)"]) }
        #expect(origin.requests.map(\.target) == ["/a", "/b"])
    }

    @Test("path and query go out byte for byte (H-013)")
    func bytes() throws {
        let origin = Self.origin("Cache-Control: no-store")
        let proxy = try TestProxy()
        for path in ["/a/../b", "//a", "/%2f%2F", "/a?b?c=%zz&", "/;x"] {
            #expect(proxy.ask(origin.url(path))?.status == 200)
            #expect(origin.requests.last?.target == path)
        }
    }

    @Test("a request that has been here before is a loop: 508, and nobody is asked (H-135)")
    func loop() throws {
        let origin = Self.origin()
        let proxy = try TestProxy()
        for via in ["1.1 respite-test", "1.0 fred, 1.1 RESPITE-test (comment)"] {
            let reply = try #require(proxy.ask(origin.url("/"), "Via: \(via)"))
            #expect(reply.status == 508)
            #expect(reply["Proxy-Status"].first?.contains("proxy_loop_detected") == true)
        }
        #expect(origin.requests.isEmpty)
        #expect(proxy.ask(origin.url("/"), "Via: 1.1 respite-tes")?.status == 200)
    }

    @Test("the proxy's own origin is itself, so that a gateway in a circle ends (H-135)")
    func circle() throws {
        let first = try TestProxy()
        let reply = try #require(first.ask("http://127.0.0.1:\(first.port)/http://127.0.0.1:\(first.port)/"))
        // The path is that of the prefix gateway of the same listener: the request comes back with our Via.
        #expect(reply.status == 508)
    }

    @Test("another expectation than 100-continue is 417 (H-075)")
    func expectation() throws {
        let origin = Self.origin()
        let proxy = try TestProxy()
        #expect(proxy.perform("POST", origin.url("/"), "Expect: 200-ok", content: "x")?.status == 417)
        #expect(origin.requests.isEmpty)
    }

    @Test("OPTIONS counts Max-Forwards down and is answered here at 0; other methods pass it on (H-084)")
    func maxForwards() throws {
        let origin = Self.origin("Cache-Control: no-store")
        let proxy = try TestProxy()
        #expect(proxy.perform("OPTIONS", origin.url("/"), "Max-Forwards: 2")?.content == "ok")
        #expect(origin.requests.last?["Max-Forwards"] == ["1"])
        #expect(proxy.perform("OPTIONS", origin.url("/"), "Max-Forwards: 0")?.status == 200)
        #expect(proxy.perform("OPTIONS", origin.url("/"), "Max-Forwards: many")?.status == 400)
        #expect(origin.requests.count == 1)
        #expect(proxy.perform("GET", origin.url("/"), "Max-Forwards: 0")?.content == "ok")
        #expect(origin.requests.last?["Max-Forwards"] == ["0"])
    }

    @Test("OPTIONS for a whole server goes out with an asterisk (H-015)")
    func serverWide() throws {
        let origin = Self.origin("Cache-Control: no-store")
        let proxy = try TestProxy()
        #expect(proxy.perform("OPTIONS", origin.url(""))?.content == "ok")
        #expect(proxy.perform("OPTIONS", "/\(origin.url(""))")?.content == "ok")
        #expect(proxy.perform("OPTIONS", origin.url("/"))?.content == "ok")
        #expect(origin.requests.map(\.target) == ["*", "*", "/"])
    }

    @Test("what is behind a refused request is not executed (H-086)")
    func refusedPipeline() throws {
        let origin = Self.origin()
        let proxy = try TestProxy()
        let client = proxy.client()
        client.send(proxy.request("TRACE", origin.url("/")) + proxy.request("GET", origin.url("/")))
        let (text, _) = client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 405 "))
        #expect(text.count(of: "HTTP/1.1 ") == 1)
        #expect(origin.requests.isEmpty)
    }

    // MARK: Responses

    @Test("connection fields of a response stay with its connection (C-14.2, C-21.10, H-067, H-072)")
    func hopByHopOfResponse() throws {
        let origin = Self.origin(
            "Cache-Control: max-age=60",
            "Connection: X-Hop",
            "X-Hop: 1",
            "Keep-Alive: timeout=5",
            "Proxy-Authenticate: Basic",
            "X-End: 2"
        )
        let proxy = try TestProxy()
        let (miss, hit) = (proxy.ask(origin.url("/")), proxy.ask(origin.url("/")))
        #expect(hit?.isHit == true)
        for reply in [miss, hit] {
            for name in ["X-Hop", "Keep-Alive", "Proxy-Authenticate", "Connection"] {
                #expect(reply?[name] == [], "\(name)")
            }
            #expect(reply?["X-End"] == ["2"])
            #expect(reply?["Via"] == ["1.1 respite-test"])
            #expect(reply?["Cache-Status"].count == 1)
        }
    }

    @Test("Cache-Status says what happened (RFC 9211)")
    func cacheStatus() throws {
        let origin = TestOrigin.answering { request in
            response(
                "200 OK",
                request.target == "/no" ? "Cache-Control: no-store" : "Cache-Control: max-age=60",
                content: "x"
            )
        }
        let proxy = try TestProxy()
        #expect(proxy.ask(origin.url("/a"))?.cacheStatus.contains("fwd=uri-miss") == true)
        #expect(proxy.ask(origin.url("/a"))?.isHit == true)
        #expect(proxy.perform("POST", origin.url("/a"), content: "x")?.cacheStatus.contains("fwd=method") == true)
        #expect(proxy.ask(origin.url("/no"))?.isHit == false)
        #expect(proxy.perform("GET", origin.url("/b"), content: "x")?.cacheStatus.contains("fwd=bypass") == true)
    }

    @Test("references of a prefixed response are prefixed, those in the store are not")
    func references() throws {
        let origin = Self.origin("Cache-Control: max-age=60", "Content-Location: /there", "Alt-Svc: h3=\":443\"")
        let proxy = try TestProxy()
        for _ in 0..<2 {
            let reply = proxy.ask("/\(origin.url("/a"))")
            #expect(reply?["Content-Location"] == ["/\(origin.url("/there"))"])
            #expect(reply?["Alt-Svc"] == [])
        }
        let plain = proxy.ask(origin.url("/a"))
        #expect(plain?.isHit == true)
        #expect(plain?["Content-Location"] == ["/there"])
        #expect(origin.requests.count == 1)
    }

    @Test("a misspelt prefix is answered with where it is right, and the origin is not asked")
    func misspeltPrefix() throws {
        let origin = Self.origin("Cache-Control: max-age=60")
        let proxy = try TestProxy()
        let reply = proxy.ask("/http:/127.0.0.1:\(origin.port)/a")
        #expect(reply?.status == 308 && reply?["Location"] == ["/\(origin.url("/a"))"])
        #expect(origin.requests.isEmpty)
        #expect(proxy.ask("/\(origin.url("/a"))")?.status == 200)
    }

    @Test("a redirect to another origin by prefix names another host to a client with Authorization")
    func redirectWithCredential() throws {
        let origin = TestOrigin.answering { _ in response("307 Temporary Redirect", "Location: http://b.example/y") }
        let proxy = try TestProxy()
        let target = "/\(origin.url("/a"))"
        #expect(proxy.ask(target)?["Location"] == ["/http://b.example/y"])
        let reply = proxy.ask(target, "Authorization: Bearer x")
        let port = proxy.port
        #expect(reply?["Location"] == ["http://localhost:\(port)/http://b.example/y"])
    }

    @Test("an origin that cannot be reached is 502 with Proxy-Status, for HEAD without content (H-090, H-148)")
    func unreachable() throws {
        let closed = TestOrigin { _, _ in }
        closed.close()
        let proxy = try TestProxy()
        let connection = proxy.reader()
        let url = "http://127.0.0.1:\(closed.port)/"
        let get = try #require(connection.ask(proxy.request("GET", url)))
        #expect(get.status == 502)
        #expect(get["Content-Type"] == ["application/problem+json"])
        #expect(get["Proxy-Status"].first?.contains("error=") == true)
        #expect(!get.content.isEmpty)
        let head = try #require(connection.ask(proxy.request("HEAD", url)))
        #expect(head.status == 502)
        #expect(connection.ask(proxy.request("GET", url))?.status == 502)
    }

    @Test("the landing page says how clients are pointed here")
    func landingPage() throws {
        let proxy = try TestProxy()
        let reply = try #require(proxy.ask("/"))
        #expect(reply.status == 200)
        #expect(reply["Cache-Control"] == ["no-store"])
        #expect(reply.content.contains("http://127.0.0.1:\(proxy.port)"))
    }

    @Test("a refusal of a method names those allowed (RFC 9110 §15.5.6)")
    func allow() throws {
        let reply = try #require(try TestProxy().perform("TRACE", "http://a.example/"))
        #expect(reply.status == 405)
        #expect(reply["Allow"].first?.contains("GET") == true)
        #expect(reply["Connection"] == ["close"])
    }
}
