import Testing

@testable import Commands

struct RunSummaryTests {
    @Test("the summary is the difference of two counts")
    func summary() throws {
        let endpoint = try ProxyEndpoint(listeners: ["127.0.0.1:3128"])
        let before = TrafficCounts(requests: 5, hits: 5, tunnels: 0, cachedBytes: 100)
        var after = TrafficCounts(requests: 19, hits: 17, tunnels: 0, cachedBytes: 3_355_543)
        func sentence(_ before: TrafficCounts, _ after: TrafficCounts) -> String {
            RunSummary(.success(before), .success(after), endpoint).sentence
        }
        #expect(sentence(before, after) == "14 requests, 12 hits, 3.2 MiB saved")
        #expect(sentence(after, before).contains("restarted in between"))
        after.tunnels = 1
        #expect(
            sentence(before, after)
                == "14 requests, 12 hits, 3.2 MiB saved; 1 tunnel passed by unread: `respite run --intercept -- …` or the "
                + "prefix (http://127.0.0.1:3128/https://HOST/…) caches it"
        )
        after.tunnels = 2
        let rest = RunSummary(.success(before), .success(after), endpoint, isIntercepting: true).sentence
        #expect(rest.hasSuffix("; 2 tunnels passed by unread, for hosts or programs that are not intercepted"))
    }
}
