import HTTPCaching
import HTTPCore
import Locking
import Proxying
import ResourceCore
import Testing
import TestSupport

/// Questions that come in one piece, beside the same ones in chunks, which always take the general path (C-24.4,
/// C-24.7).
@Suite struct FastQuestionTests {
    private static func proxy(_ change: @escaping (inout TestProxy.Setup) -> Void = { _ in }) throws -> TestProxy {
        try TestProxy { setup in
            setup.service.caching.rules = [CachingRule(name: "r", keyBody: .bytes)]
            change(&setup)
        }
    }

    private static func origin() -> RecordingOrigin {
        TestOrigin.answering { request in
            response("200 OK", "Cache-Control: max-age=600", content: "answer to \(request.content)")
        }
    }

    private static func inOnePiece(_ url: String, _ fields: [String] = [], _ content: String) -> String {
        let lines = fields.map { $0 + "\r\n" }.joined()
        return "POST \(url) HTTP/1.1\r\nHost: h\r\nContent-Length: \(content.utf8.count)\r\n\(lines)\r\n\(content)"
    }

    private static func inChunks(_ url: String, _ fields: [String] = [], _ content: String) -> String {
        let lines = fields.map { $0 + "\r\n" }.joined()
        let size = String(content.utf8.count, radix: 16)
        return
            "POST \(url) HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\(lines)\r\n\(size)\r\n\(content)\r\n0\r\n\r\n"
    }

    @Test(
        "a question in one piece is the same as in chunks, with whatever fields",
        arguments: [
            [], ["Content-Type: text/plain"], ["Content-Type:   text/plain  ", "Content-Encoding: gzip"],
            ["Content-Type: a/b", "Content-Type: c/d"], ["Content-Type: "], ["Connection: keep-alive"],
            ["Connection: Content-Type", "Content-Type: a/b"],
            ["Connection: keep-alive", "Connection: content-encoding"],
        ]
    )
    func sameKey(fields: [String]) throws {
        let origin = Self.origin()
        let proxy = try Self.proxy()
        let url = origin.url("/a")
        #expect(proxy.reader().ask(Self.inOnePiece(url, fields, "x"))?.isHit == false)
        for _ in 0..<2 {
            let hit = proxy.reader().ask(Self.inOnePiece(url, fields, "x"))
            #expect(hit?.isHit == true && hit?.content == "answer to x")
            #expect(proxy.reader().ask(Self.inChunks(url, fields, "x"))?.isHit == true)
        }
        #expect(origin.requests.count == 1)
        // The first of both is the other way round.
        #expect(proxy.reader().ask(Self.inChunks(url, fields, "y"))?.isHit == false)
        #expect(proxy.reader().ask(Self.inOnePiece(url, fields, "y"))?.isHit == true)
    }

    @Test("content ends where its length says: requests that come together are answered one by one")
    func pipelined() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy()
        let url = origin.url("/a")
        let contents = ["x", "yy", "x", "", "GET /b HTTP/1.1\r\n\r\n", "x"]
        for _ in 0..<2 {
            let reader = proxy.reader()
            var requests = contents.map { Self.inOnePiece(url, [], $0) }.joined()
            requests += "GET \(url) HTTP/1.1\r\nHost: h\r\n\r\n"
            #expect(reader.client.send(requests))
            for content in contents { #expect(reader.next()?.content == "answer to \(content)") }
            #expect(reader.next()?.content == "answer to ")
        }
        #expect(origin.requests.count == 5)
    }

    @Test("content that has come in part is waited for")
    func inParts() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy()
        let request = Self.inOnePiece(origin.url("/a"), [], "0123456789")
        #expect(proxy.reader().ask(request)?.isHit == false)
        for count in [1, 5, 9] {
            let reader = proxy.reader()
            #expect(reader.client.send(String(request.dropLast(count))))
            let reply = reader.ask(String(request.suffix(count)))
            #expect(reply?.isHit == true && reply?.content == "answer to 0123456789")
        }
    }

    @Test("Connection: close is honoured behind a hit")
    func closing() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy()
        let request = Self.inOnePiece(origin.url("/a"), ["Connection: close"], "x")
        #expect(proxy.reader().ask(request)?.isHit == false)
        let client = proxy.client()
        #expect(client.send(request))
        let (text, end) = client.receiveAll()
        #expect(text.contains("Connection: close") && text.hasSuffix("answer to x") && end == .end)
    }

    @Test("more targets than are remembered are told apart all the same")
    func manyTargets() throws {
        let origin = TestOrigin.answering { request in
            response("200 OK", "Cache-Control: max-age=600", content: request.target)
        }
        let proxy = try Self.proxy()
        for _ in 0..<3 {
            for number in 0..<20 {
                #expect(proxy.perform("POST", origin.url("/\(number)"), content: "x")?.content == "/\(number)")
            }
        }
        #expect(origin.requests.count == 20)
    }

    @Test("a form that reads no such content leaves the request to the origin, each time")
    func unreadable() throws {
        let form = CanonicalForm(name: "none") { _ in .failure(.form) }
        let origin = Self.origin()
        let proxy = try TestProxy { $0.service.caching.rules = [CachingRule(name: "r", keyBody: .form(form))] }
        for _ in 0..<3 {
            #expect(
                proxy.perform("POST", origin.url("/a"), content: "x")?.cacheStatus.contains("key-body-form") == true
            )
        }
        #expect(origin.requests.count == 3)
    }

    @Test("recent requests name method and target of a hit, and how much was asked")
    func recorded() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy { $0.recentRequests = 10 }
        for _ in 0..<2 { _ = proxy.perform("POST", origin.url("/a"), content: "12345") }
        let records = try #require(proxy.recentRequests()).records
        #expect(records.map(\.method) == [.post, .post] && records.map(\.requestBytes) == [5, 5])
        #expect(records.allSatisfy { $0.target == Array(origin.url("/a").utf8) })
        #expect(records.map(\.outcome) == ["miss", "hit"])
        #expect(records[1].cacheStatus?.text == "respite; hit")
    }
}
