import Configurations
import HTTPCaching
import HTTPCore
import Observability
import TestSupport
import Testing

@testable import Proxying

/// The rules that kept requests name.
@Suite struct RecordedRuleTests {
    @Test("a request names the rule for its own response, whatever was kept in its place before")
    func rules() throws {
        let origin = TestOrigin.answering { request in
            request.target == "/ruled"
                ? response("404 Not Found", content: "none")
                : response("200 OK", "Cache-Control: max-age=60", content: "hello")
        }
        let proxy = try TestProxy {
            $0.recentRequests = 1
            $0.service.caching.rules = [CachingRule(name: "rule 1", statuses: [404...404], ttlSeconds: 60)]
        }
        let reader = proxy.reader()
        func kept(_ method: String, _ path: String) throws -> String {
            #expect(reader.ask(proxy.request(method, origin.url(path))) != nil)
            let record = try #require(proxy.recentRequests()?.records.last)
            return "\(record.outcome) \(record.rule ?? "-")"
        }
        // A ring for one request has two places: each is used by all kinds of requests in turn.
        for _ in 0..<2 { #expect(try kept("POST", "/plain") == "pass -") }
        #expect(try kept("GET", "/ruled") == "miss rule 1")
        for _ in 0..<3 { #expect(try kept("GET", "/ruled") == "hit rule 1") }
        for _ in 0..<2 { #expect(try kept("POST", "/other") == "pass -") }
        #expect(try kept("GET", "/plain") == "miss -")
        for _ in 0..<2 { #expect(try kept("GET", "/plain") == "hit -") }
        for _ in 0..<2 { #expect(try kept("GET", "/ruled") == "hit rule 1") }
        for _ in 0..<2 { #expect(try kept("GET", "/plain") == "hit -") }
    }
}
