import HTTPCaching
import HTTPCore
import Proxying
import ResourceCore
import Testing
import TestSupport

/// Content that its form tells to be no question, over sockets (C-24.7).
@Suite struct UnkeyedContentTests {
    /// Stands for a form: content that begins with a reason has none.
    private static let form = CanonicalForm(name: "test") { content in
        let text = String(decoding: content, as: UTF8.self)
        let reasons: [UnkeyedContent] = [.mutation, .persisted, .subscription, .batch, .form]
        return reasons.first { text.hasPrefix("\($0)") }.map { .failure($0) } ?? .success(content)
    }

    private static func proxy() throws -> TestProxy {
        try TestProxy { $0.service.caching.rules = [CachingRule(name: "r", keyBody: .form(form))] }
    }

    private static func origin() -> RecordingOrigin {
        TestOrigin.answering { request in
            if request.content.hasSuffix("lost") { return "" }
            let status = request.content.hasSuffix("fails") ? "500 Internal Server Error" : "200 OK"
            return response(
                status,
                "Cache-Control: max-age=600",
                "Content-Location: \(request.target)",
                content: "for \(request.method) \(request.content)"
            )
        }
    }

    @Test(
        "what may change something passes each time, is not stored, and drops the questions of its target (C-24.7)",
        arguments: [UnkeyedContent.mutation, .persisted]
    )
    func changing(reason: UnkeyedContent) throws {
        let origin = Self.origin()
        let proxy = try Self.proxy()
        let (url, other) = (origin.url("/a"), origin.url("/b"))
        for target in [url, other] {
            for isHit in [false, true] { #expect(proxy.perform("POST", target, content: "q")?.isHit == isHit) }
        }
        let large = "\(reason) " + String(repeating: "x", count: 100_000)
        for content in ["\(reason)", "\(reason)", large] {
            let reply = proxy.perform("POST", url, content: content)
            #expect(reply?.content == "for POST \(content)")
            #expect(reply?.cacheStatus.contains("fwd=bypass") == true)
            #expect(reply?.cacheStatus.contains("detail=\(reason.rawValue)") == true)
            #expect(reply?.cacheStatus.contains("stored") == false)
            #expect(proxy.perform("POST", url, content: "q")?.isHit == false)
            #expect(proxy.perform("POST", other, content: "q")?.isHit == true)
        }
        // Its response is none to a GET of the target either.
        #expect(proxy.ask(url)?.content == "for GET ")
    }

    @Test("what fails changes nothing; what may have arrived may have (RFC 9111 §4.4)")
    func failing() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy()
        let url = origin.url("/a")
        #expect(proxy.perform("POST", url, content: "q")?.isHit == false)
        #expect(proxy.perform("POST", url, content: "mutation fails")?.status == 500)
        #expect(proxy.perform("POST", url, content: "q")?.isHit == true)
        #expect(proxy.perform("POST", url, content: "mutation lost")?.status == 502)
        #expect(proxy.perform("POST", url, content: "q")?.isHit == false)
    }

    @Test(
        "other content without a key passes, says so, and drops nothing (C-24.7)",
        arguments: [UnkeyedContent.subscription, .batch, .form]
    )
    func harmless(reason: UnkeyedContent) throws {
        let origin = Self.origin()
        let proxy = try Self.proxy()
        let url = origin.url("/a")
        #expect(proxy.perform("POST", url, content: "q")?.isHit == false)
        for _ in 0..<2 {
            let reply = proxy.perform("POST", url, content: "\(reason)")
            #expect(reply?.content == "for POST \(reason)")
            #expect(reply?.cacheStatus.contains("detail=\(reason.rawValue)") == true)
        }
        #expect(proxy.perform("POST", url, content: "q")?.isHit == true)
        #expect(origin.requests.count == 3)
    }

    @Test("a QUERY is safe whatever its content, so it drops nothing (RFC 10008)")
    func query() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy()
        let url = origin.url("/a")
        #expect(proxy.perform("QUERY", url, content: "q")?.isHit == false)
        #expect(proxy.perform("QUERY", url, content: "mutation")?.cacheStatus.contains("key-body-mutation") == true)
        #expect(proxy.perform("QUERY", url, content: "q")?.isHit == true)
    }

    @Test("an answer that was on its way while a change succeeded is not stored (C-24.7)")
    func overtaken() throws {
        let asked = WaitQueue<Bool>()
        let changed = WaitQueue<Bool>()
        let origin = TestOrigin.answering { request in
            if request.content == "q" {
                asked.push(true)
                _ = changed.pop()
            }
            return response("200 OK", "Cache-Control: max-age=600", content: "for \(request.content)")
        }
        let proxy = try Self.proxy()
        let url = origin.url("/a")
        let client = proxy.client()
        client.send(proxy.request("POST", url, content: "q"))
        _ = asked.pop()
        #expect(proxy.perform("POST", url, content: "mutation")?.content == "for mutation")
        changed.push(true)
        changed.push(true)
        #expect(ReplyReader(client).next()?.content == "for q")
        #expect(proxy.perform("POST", url, content: "q")?.isHit == false)
        #expect(origin.requests.map(\.content) == ["q", "mutation", "q"])
    }
}
