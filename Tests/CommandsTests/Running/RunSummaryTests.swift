import Testing

@testable import Commands

struct RunSummaryTests {
    @Test("the summary is the difference of two counts")
    func summary() {
        let before = TrafficCounts(requests: 5, hits: 5, tunnels: 0, cachedBytes: 100)
        var after = TrafficCounts(requests: 19, hits: 17, tunnels: 0, cachedBytes: 3_355_543)
        func sentence(_ before: TrafficCounts, _ after: TrafficCounts) -> String {
            RunSummary(.success(before), .success(after)).sentence
        }
        #expect(sentence(before, after) == "14 requests, 12 hits, 3.2 MiB saved")
        #expect(sentence(after, before).contains("restarted in between"))
        after.tunnels = 1
        #expect(sentence(before, after) == "14 requests, 12 hits, 3.2 MiB saved; 1 tunnel not cached")
    }
}
