import HTTPCaching
import HTTPCore
import Locking
import Proxying
import ResourceCore
import Testing
import TestSupport

/// Requests whose content belongs to the key, over sockets: QUERY, and POST by a rule (C-24.4, C-24.7).
@Suite struct QuestionTests {
    private static let json = CanonicalForm(name: "json") { content in
        // Stands for a form: blanks do not count, and it begins with a brace.
        content.first == 0x7B ? .success(content.filter { $0 != 0x20 }) : .failure(.form)
    }

    /// A proxy with a rule for POST.
    private static func proxy(
        _ keying: ContentKeying? = .bytes,
        _ change: @escaping (inout TestProxy.Setup) -> Void = { _ in }
    ) throws -> TestProxy {
        try TestProxy { setup in
            setup.service.caching.rules = [CachingRule(name: "r", keyBody: keying)]
            change(&setup)
        }
    }

    /// An origin that tells what it was asked, and how often before.
    private static func origin(_ fields: String = "Cache-Control: max-age=600") -> RecordingOrigin {
        let count = Lock(0)
        return TestOrigin.answering { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return response(
                "200 OK",
                fields,
                "ETag: \"\(number)\"",
                content: "\(number) \(request.method) \(request.content)"
            )
        }
    }

    @Test("a QUERY is answered like a GET: by its content, without a rule (C-24.4)")
    func query() throws {
        let origin = Self.origin()
        let proxy = try TestProxy()
        let url = origin.url("/search")
        let first = proxy.perform("QUERY", url, "Content-Type: text/plain", content: "q=1")
        #expect(first?.content == "1 QUERY q=1" && first?.cacheStatus.contains("fwd=uri-miss") == true)
        let hit = proxy.perform("QUERY", url, "Content-Type: text/plain", content: "q=1")
        #expect(hit?.content == "1 QUERY q=1" && hit?.isHit == true && hit?["Age"].isEmpty == false)
        // Another content, type, coding, URI or method is another question.
        #expect(proxy.perform("QUERY", url, "Content-Type: text/plain", content: "q=2")?.isHit == false)
        #expect(proxy.perform("QUERY", url, "Content-Type: text/csv", content: "q=1")?.isHit == false)
        let coded = proxy.perform("QUERY", url, "Content-Type: text/plain", "Content-Encoding: gzip", content: "q=1")
        #expect(coded?.isHit == false)
        #expect(proxy.perform("QUERY", origin.url("/b"), "Content-Type: text/plain", content: "q=1")?.isHit == false)
        #expect(proxy.ask(url)?.isHit == false)
        #expect(proxy.perform("QUERY", url)?.isHit == false && proxy.perform("QUERY", url)?.isHit == true)
        #expect(origin.requests.count == 7)
        #expect(origin.requests[0].target == "/search" && origin.requests[0]["Content-Type"] == ["text/plain"])
    }

    @Test("without a rule a POST is passed each time, and invalidates its target as before (C-24.7)")
    func postWithoutRule() throws {
        let origin = Self.origin()
        let proxy = try TestProxy()
        let url = origin.url("/a")
        #expect(proxy.ask(url)?.isHit == false && proxy.ask(url)?.isHit == true)
        for _ in 0..<2 { #expect(proxy.perform("POST", url, content: "x")?.cacheStatus.contains("fwd=method") == true) }
        #expect(proxy.ask(url)?.isHit == false)
    }

    @Test("by a rule a POST is answered by its content, and invalidates nothing (C-24.7)")
    func post() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy()
        let url = origin.url("/a")
        #expect(proxy.ask(url)?.isHit == false)
        #expect(proxy.perform("POST", url, content: "x")?.content == "2 POST x")
        let hit = proxy.perform("POST", url, content: "x")
        #expect(hit?.content == "2 POST x" && hit?.isHit == true)
        #expect(proxy.perform("QUERY", url, content: "x")?.content == "3 QUERY x")
        #expect(proxy.ask(url)?.isHit == true)
        #expect(origin.requests.count == 3)
    }

    @Test("an unsafe request that is no question drops the questions of its target (RFC 9111 §4.4)")
    func unsafe() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy()
        for path in ["/a", "/b"] { #expect(proxy.perform("POST", origin.url(path), content: "x")?.isHit == false) }
        #expect(proxy.perform("PUT", origin.url("/a"), content: "y")?.status == 200)
        #expect(proxy.perform("POST", origin.url("/a"), content: "x")?.isHit == false)
        #expect(proxy.perform("POST", origin.url("/b"), content: "x")?.isHit == true)
    }

    @Test(
        "in a canonical form what does not count makes no other question; its own content goes to the origin (C-24.7)"
    )
    func form() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy(.form(Self.json))
        let url = origin.url("/a")
        #expect(proxy.perform("POST", url, content: "{ \"a\": 1 }")?.content == "1 POST { \"a\": 1 }")
        #expect(proxy.perform("POST", url, content: "{\"a\":1}")?.isHit == true)
        #expect(proxy.perform("POST", url, content: "{\"a\":2}")?.isHit == false)
        // Larger content is formed on another thread.
        let large = "{" + String(repeating: " ", count: 100_000) + "}"
        #expect(proxy.perform("POST", url, content: large)?.isHit == false)
        #expect(proxy.perform("POST", url, content: "{}")?.isHit == true)
    }

    @Test("content passes as it is if no thread has room to bring it into its form (C-24.7)")
    func noThread() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy(.form(Self.json)) { $0.transformQueueLimit = 0 }
        let url = origin.url("/a")
        let large = "{" + String(repeating: " ", count: 100_000) + "}"
        for _ in 0..<2 {
            let reply = proxy.perform("POST", url, content: large)
            #expect(reply?.cacheStatus.contains("key-body-memory") == true && reply?.content.hasSuffix(large) == true)
        }
        #expect(proxy.perform("POST", url, content: "{}")?.isHit == false)
        #expect(proxy.perform("POST", url, content: "{}")?.isHit == true)
    }

    @Test("content that cannot be keyed passes as it is, says so, and invalidates nothing (C-24.7)")
    func unkeyable() throws {
        let origin = Self.origin()
        let limits: @Sendable (inout TestProxy.Setup) -> Void = { $0.options.questions.contentLimit = 100_000 }
        let proxy = try Self.proxy(.form(Self.json), limits)
        let url = origin.url("/a")
        #expect(proxy.ask(url)?.isHit == false)
        let contents = [
            ("[]", "key-body-form"), (String(repeating: "x", count: 100_001), "key-body-too-large"),
            (String(repeating: "x", count: 1_000_000), "key-body-too-large"),
        ]
        for (content, detail) in contents {
            for _ in 0..<2 {
                let reply = proxy.perform("POST", url, content: content)
                #expect(reply?.content.hasSuffix("POST \(content)") == true)
                #expect(
                    reply?.cacheStatus.contains("fwd=bypass") == true && reply?.cacheStatus.contains(detail) == true
                )
            }
        }
        #expect(proxy.ask(url)?.isHit == true)
        #expect(proxy.perform("POST", url, content: "{" + String(repeating: "x", count: 99_999))?.isHit == false)
        #expect(proxy.perform("POST", url, content: "{" + String(repeating: "x", count: 99_999))?.isHit == true)
    }

    /// Reads chunked content of a request.
    private static func chunks(of peer: OriginPeer) -> [UInt8] {
        var content: [UInt8] = []
        while let line = peer.read(through: "\r\n"), let size = Int(line.prefix { $0.isHexDigit }, radix: 16) {
            content += peer.read(size)
            _ = peer.read(2)
            if size == 0 { break }
        }
        return content
    }

    @Test("chunked content is the same question; a longer one than is held passes whole, in order")
    func chunked() throws {
        let content = Lock<[UInt8]>([])
        let origin = TestOrigin { peer, _ in
            while let head = peer.readHead() {
                let body =
                    head.contains("chunked") ? Self.chunks(of: peer) : peer.read(OriginRequestText(head).contentLength)
                content.withLock { $0 = body }
                guard peer.send(response("200 OK", "Cache-Control: max-age=600", content: "\(body.count)")) else {
                    return
                }
            }
        }
        let proxy = try Self.proxy(.bytes) { $0.options.questions.contentLimit = 200_000 }
        let url = "http://127.0.0.1:\(origin.port)/a"
        func post(_ pieces: [String]) -> Reply? {
            let head = "POST \(url) HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
            let chunks = pieces.map { String($0.utf8.count, radix: 16) + "\r\n\($0)\r\n" }.joined()
            return proxy.reader().ask(head + chunks + "0\r\n\r\n")
        }
        #expect(post(["ab", "c"])?.isHit == false)
        #expect(post(["a", "bc"])?.isHit == true)
        #expect(proxy.perform("POST", url, content: "abc")?.isHit == true)
        let pieces = (0..<100).map { String(repeating: String($0 % 10), count: 5000) }
        let reply = post(pieces)
        #expect(reply?.content == "500000", "\(String(describing: reply))")
        #expect(reply?.cacheStatus.contains("key-body-too-large") == true)
        let received = content.withLock { $0 }
        let isWhole = received == Array(pieces.joined().utf8)
        #expect(isWhole, "\(received.count) bytes")
    }

    @Test("content with trailers has no key: it passes with them, and says so (C-24.7)")
    func trailers() throws {
        let received = Lock<[String]>([])
        let origin = TestOrigin { peer, _ in
            while peer.readHead() != nil, let content = peer.read(through: "\r\n\r\n") {
                received.withLock { $0.append(content) }
                peer.send(response("200 OK", "Cache-Control: max-age=600", content: "ok"))
            }
        }
        let proxy = try Self.proxy()
        let head = "POST http://127.0.0.1:\(origin.port)/a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        let content = "1\r\nx\r\n0\r\nX-Sum: 1\r\n\r\n"
        for _ in 0..<2 {
            let reply = proxy.reader().ask(head + content)
            #expect(reply?.content == "ok" && reply?.cacheStatus.contains("fwd=bypass") == true)
            #expect(reply?.cacheStatus.contains("detail=key-body-trailers") == true)
        }
        #expect(received.withLock { $0 } == [content, content])
    }

    @Test("if no memory is left for contents, a request passes; afterwards there is memory again")
    func memory() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy(.bytes) { $0.options.questions.memory = QuestionMemory(limit: 50_000) }
        let url = origin.url("/a")
        let large = String(repeating: "x", count: 60_000)
        for _ in 0..<2 {
            let reply = proxy.perform("POST", url, content: large)
            #expect(reply?.content.hasSuffix(large) == true && reply?.cacheStatus.contains("key-body-memory") == true)
        }
        for _ in 0..<3 {
            let content = String(repeating: "y", count: 40_000)
            #expect(proxy.perform("POST", url, content: content)?.cacheStatus.contains("key-body") == false)
        }
    }

    @Test(
        "two users' identical questions never meet; the same user's do (C-20.1)",
        arguments: ["Authorization", "X-Api-Key"]
    )
    func credentials(field: String) throws {
        let origin = TestOrigin.answering { request in
            let name = (request["Authorization"] + request["X-Api-Key"]).joined()
            return response("200 OK", "Cache-Control: max-age=600", content: "for <\(name)>")
        }
        let proxy = try Self.proxy()
        let url = origin.url("/")
        for _ in 0..<2 {
            for name in ["alice", "bob"] {
                #expect(proxy.perform("POST", url, "\(field): \(name)", content: "x")?.content == "for <\(name)>")
            }
            #expect(proxy.perform("POST", url, content: "x")?.content == "for <>")
        }
        #expect(origin.requests.count == 3)
    }

    @Test("a client's condition is met by 304; a stale answer is validated, with the content again")
    func conditions() throws {
        let origin = TestOrigin.answering { request in
            request["If-None-Match"] == ["\"v\""] && request.content == "x"
                ? "HTTP/1.1 304 Not Modified\r\nETag: \"v\"\r\nCache-Control: max-age=0\r\n\r\n"
                : response("200 OK", "Cache-Control: max-age=0", "ETag: \"v\"", content: "answer")
        }
        let proxy = try Self.proxy()
        let url = origin.url("/a")
        #expect(proxy.perform("POST", url, content: "x")?.content == "answer")
        let validated = proxy.perform("POST", url, content: "x")
        #expect(validated?.content == "answer" && validated?.cacheStatus.contains("fwd-status=304") == true)
        #expect(proxy.perform("POST", url, "If-None-Match: \"v\"", content: "x")?.status == 304)
        #expect(origin.requests.count == 3 && origin.requests.allSatisfy { $0.content == "x" })
    }

    @Test("100 clients that ask the same at once cause one request")
    func coalesced() throws {
        let asked = WaitQueue<Bool>()
        let origin = TestOrigin.answering { _ in
            _ = asked.pop()
            return response("200 OK", "Cache-Control: max-age=600", content: "answer")
        }
        let proxy = try Self.proxy()
        let clients = (0..<100).map { _ in proxy.client() }
        for client in clients { client.send(proxy.request("POST", origin.url("/a"), content: "question")) }
        asked.push(true)
        for client in clients { #expect(ReplyReader(client).next()?.content == "answer") }
        #expect(origin.requests.count == 1)
    }

    @Test("Expect is met before the content comes, and the question does not pass it on")
    func expectation() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy()
        let reader = proxy.reader()
        let head = "POST \(origin.url("/a")) HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n"
        #expect(reader.ask(head)?.status == 100)
        #expect(reader.ask("x")?.content == "1 POST x")
        #expect(origin.requests[0]["Expect"].isEmpty)
    }

    @Test("an origin that ends a kept connection is asked again: the content is known (H-089)")
    func repeated() throws {
        let count = Lock(0)
        let origin = TestOrigin.answering { _ in
            // The second request of the first connection gets no answer.
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 2 ? "" : response("200 OK", "Cache-Control: max-age=600", content: "\(number)")
        }
        let proxy = try Self.proxy()
        #expect(proxy.perform("POST", origin.url("/a"), content: "1")?.content == "1")
        #expect(proxy.perform("POST", origin.url("/a"), content: "2")?.content == "3")
        #expect(origin.requests.map(\.content) == ["1", "2", "2"])
    }

    @Test("the key in Cache-Status has method and digest behind the target")
    func key() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy()
        let reply = proxy.perform("POST", origin.url("/a"), "Cache-Status: respite; key", content: "x")
        #expect(reply?.cacheStatus.contains("/a#POST:") == true)
    }
}
