import Testing
import TestSupport

/// Requests with side effects: what they carry, and what of the store they make invalid (RFC 9111 §4.4).
@Suite struct UnsafeMethodTests {
    /// An origin with cacheable pages that answers unsafe methods by their target.
    private static func origin(_ unsafe: @escaping @Sendable (OriginRequestText) -> String) -> RecordingOrigin {
        TestOrigin.answering { request in
            request.method == "GET"
                ? response("200 OK", "Cache-Control: max-age=600", "ETag: \"1\"", content: "page") : unsafe(request)
        }
    }

    /// Stores pages, sends one unsafe request, and says which pages are hits still.
    private static func hitsLeft(
        of pages: [String],
        after method: String = "POST",
        _ target: String = "/a",
        answer: String
    ) throws -> [String] {
        let origin = origin { _ in answer }
        let proxy = try TestProxy()
        for page in pages {
            #expect(proxy.ask(origin.url(page))?.status == 200)
            #expect(proxy.ask(origin.url(page))?.isHit == true)
        }
        _ = proxy.perform(method, origin.url(target), content: "change")
        return pages.filter { proxy.ask(origin.url($0))?.isHit == true }
    }

    @Test(
        "a success makes the target invalid, and nothing else (C-15.1)",
        arguments: ["POST", "PUT", "DELETE", "PATCH", "FROB"]
    )
    func target(method: String) throws {
        for status in ["200 OK", "201 Created", "303 See Other"] {
            #expect(
                try Self.hitsLeft(of: ["/a", "/b"], after: method, answer: response(status)) == ["/b"],
                "\(status)"
            )
        }
    }

    @Test("an error makes nothing invalid (C-15.2, H-123)", arguments: ["400 Bad Request", "409 Conflict", "500 Oops"])
    func failed(status: String) throws {
        #expect(try Self.hitsLeft(of: ["/a"], answer: response(status)) == ["/a"])
    }

    @Test("safe methods make nothing invalid (C-15.1)", arguments: ["OPTIONS", "HEAD"])
    func safe(method: String) throws {
        #expect(try Self.hitsLeft(of: ["/a"], after: method, answer: response()) == ["/a"])
    }

    @Test("Location and Content-Location of the same origin are made invalid, also relative ones (C-21.8, H-123)")
    func references() throws {
        let pages = ["/a", "/b", "/dir/c", "/d"]
        let relative = response("201 Created", "Location: b", "Content-Location: /x/../dir/c")
        #expect(try Self.hitsLeft(of: pages, answer: relative) == ["/d"])
    }

    @Test("a Location of another origin is left alone (C-21.8, H-123)")
    func otherOrigin() throws {
        let other = Self.origin { _ in response() }
        let first = Self.origin { _ in response("201 Created", "Location: \(other.url("/b"))") }
        let proxy = try TestProxy()
        #expect(proxy.ask(other.url("/b"))?.status == 200)
        #expect(proxy.perform("POST", first.url("/a"), content: "x")?.status == 201)
        #expect(proxy.ask(other.url("/b"))?.isHit == true)
    }

    @Test("an unsafe request that may have arrived, and got no answer, makes its target invalid (S-134)")
    func noAnswer() throws {
        // The origin reads the request and closes.
        #expect(try Self.hitsLeft(of: ["/a", "/b"], answer: "") == ["/b"])
    }

    @Test("what is invalid is validated, and good again after a 304")
    func validated() throws {
        let origin = TestOrigin.answering { request in
            guard request.method == "GET" else { return response("204 No Content") }
            return request["If-None-Match"] == ["\"1\""]
                ? "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\nCache-Control: max-age=600\r\n\r\n"
                : response("200 OK", "Cache-Control: max-age=600", "ETag: \"1\"", content: "page")
        }
        let proxy = try TestProxy()
        let url = origin.url("/a")
        #expect(proxy.ask(url)?.content == "page")
        #expect(proxy.perform("DELETE", url, "Content-Length: 0")?.status == 204)
        let validated = try #require(proxy.ask(url))
        #expect(validated.status == 200 && validated.content == "page" && !validated.isHit)
        #expect(proxy.ask(url)?.isHit == true)
        #expect(origin.requests.map(\.method) == ["GET", "DELETE", "GET"])
    }

    @Test("content goes out as it came, with one framing (C-15.3, H-046, H-053)")
    func content() throws {
        let origin = Self.origin { request in response("200 OK", content: "got \(request.content)") }
        let proxy = try TestProxy()
        #expect(proxy.perform("PUT", origin.url("/"), content: "twelve bytes")?.content == "got twelve bytes")
        #expect(origin.requests.last?["Content-Length"] == ["12"])
        #expect(origin.requests.last?["Transfer-Encoding"] == [])
    }

    @Test("chunked content stays chunked, without extensions (C-15.3, H-042, H-046)")
    func chunkedContent() throws {
        let received = WaitQueue<String>()
        let origin = TestOrigin { peer, _ in
            received.push((peer.readHead() ?? "") + (peer.read(through: "\r\n0\r\n\r\n") ?? ""))
            peer.send(response(content: "ok"))
        }
        let proxy = try TestProxy()
        let reply = proxy.reader().ask(
            proxy.request("POST", "http://127.0.0.1:\(origin.port)/", ["Transfer-Encoding: chunked"])
                + "3;ext=\"a\"\r\nabc\r\n0003\r\ndef\r\n0\r\n\r\n"
        )
        #expect(reply?.content == "ok")
        let text = try #require(received.pop())
        #expect(text.contains("Transfer-Encoding: chunked\r\n"))
        #expect(!text.contains("Content-Length") && !text.contains("ext="))
        let content = text.content.split(separator: "\r\n").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        #expect(content.joined() == "abcdef")
    }

    @Test("a method that defines content has a length of 0 without any (H-051)", arguments: ["POST", "PUT", "PATCH"])
    func noContent(method: String) throws {
        let origin = Self.origin { _ in response(content: "ok") }
        let proxy = try TestProxy()
        #expect(proxy.perform(method, origin.url("/"))?.content == "ok")
        #expect(origin.requests.last?["Content-Length"] == ["0"])
    }

    @Test("an unsafe request goes to the origin each time, and its answer is not stored (C-9.1)")
    func notStored() throws {
        let origin = Self.origin { _ in response("200 OK", "Cache-Control: max-age=600", content: "posted") }
        let proxy = try TestProxy()
        for _ in 0..<2 { #expect(proxy.perform("POST", origin.url("/"), content: "x")?.content == "posted") }
        #expect(proxy.ask(origin.url("/"))?.content == "page")
        #expect(origin.requests.count == 3)
    }

    @Test(
        "every method passes with its content, unknown ones too (C-0.1, C-15.3)",
        arguments: ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "M-SEARCH", "frob"]
    )
    func everyMethod(method: String) throws {
        let origin = Self.origin { request in response("200 OK", content: "\(request.method) \(request.content)") }
        let proxy = try TestProxy()
        #expect(proxy.perform(method, origin.url("/"), content: "abc")?.content == "\(method) abc")
        #expect(origin.requests.count == 1)
    }

    @Test("targeted fields are passed on, stored or not (C-21.9)")
    func targetedFields() throws {
        let origin = TestOrigin.answering { _ in
            response("200 OK", "Cache-Control: max-age=60", "CDN-Cache-Control: max-age=5", content: "x")
        }
        let proxy = try TestProxy()
        for isHit in [false, true] {
            let reply = proxy.ask(origin.url("/"))
            #expect(reply?.isHit == isHit && reply?["CDN-Cache-Control"] == ["max-age=5"])
        }
    }
}
