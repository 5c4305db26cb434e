import Eventing
import HTTPCore
import HTTPServer
import Observability
import Testing
import TestSupport

@testable import Proxying

/// What is known of open tunnels, and what is counted of requests.
@Suite struct TunnelRegistryTests {
    private static let client = SocketAddress.ip(.v4(0x7F00_0001), port: 1)

    private static func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    private static func add(
        _ registry: TunnelRegistry,
        _ target: String = "a.example:443",
        by route: TunnelRecord.Route = .connect
    ) -> TunnelRecord {
        registry.add(client, to: Array(target.utf8), by: route, at: time(1))
    }

    @Test("open tunnels are numbered from 1 and listed from the oldest, no more than asked for")
    func open() {
        let registry = TunnelRegistry()
        let records = (0..<5).map { _ in Self.add(registry) }
        #expect(records.map(\.id) == [1, 2, 3, 4, 5] && registry.open().map(\.id) == [1, 2, 3, 4, 5])
        registry.remove(records[1])
        #expect(registry.open().map(\.id) == [1, 3, 4, 5] && registry.open(limit: 2).map(\.id) == [1, 3])
        #expect(registry.open(limit: 0).isEmpty)
    }

    @Test("a tunnel has its bytes each way, the time of the last ones, and who has ended")
    func record() {
        let record = Self.add(TunnelRegistry())
        #expect(record.bytesUp == 0 && record.bytesDown == 0 && record.lastActivity == Self.time(1))
        #expect(record.state == .open && record.began == Self.time(1) && record.client == Self.client)
        record.note(3, up: true, at: Self.time(2))
        record.note(4, up: true, at: Self.time(3))
        record.note(50, up: false, at: Self.time(4))
        record.note(60, up: false, at: Self.time(5))
        #expect(record.bytesUp == 7 && record.bytesDown == 110 && record.lastActivity == Self.time(5))
        record.noteEnd(.farEnded)
        #expect(record.state == .farEnded)
        #expect(
            [TunnelRecord.State.open, .clientEnded, .farEnded].map(\.name) == ["open", "client-ended", "far-ended"]
        )
    }

    @Test("totals are those of all tunnels, open or ended; a tunnel ends once")
    func totals() {
        let registry = TunnelRegistry()
        var expected = TunnelRegistry.Totals()
        #expect(registry.totals == expected)
        let records = (0..<2).map { _ in Self.add(registry) }
        for (record, bytes) in zip(records, [(1, 10), (2, 20)]) {
            record.note(bytes.0, up: true, at: Self.time(2))
            record.note(bytes.1, up: false, at: Self.time(2))
        }
        (expected.opened, expected.open, expected.bytesUp, expected.bytesDown) = (2, 2, 3, 30)
        #expect(registry.totals == expected)
        for _ in 0..<2 { registry.remove(records[0]) }
        expected.open = 1
        #expect(registry.totals == expected)
        registry.remove(records[1])
        expected.open = 0
        #expect(registry.totals == expected)
    }

    @Test("targets of tunnels that pass unread are counted, those of WebSockets are not")
    func passed() {
        let registry = TunnelRegistry()
        for (target, route) in [("a:443", .connect), ("a:443", .socks), ("b:80", .websocket), ("c:443", .connect)]
            as [(String, TunnelRecord.Route)]
        {
            _ = Self.add(registry, target, by: route)
        }
        #expect(registry.passedCount == 3 && registry.passed(to: Array("a:443".utf8)) == 2)
        #expect(registry.passed(to: Array("b:80".utf8)) == 0)
        #expect(registry.passed(limit: 9).map(\.count) == [2, 1] && registry.totals.opened == 4)
    }

    @Test("what hits count has a shard for each loop, and nothing else has one")
    func shards() {
        for loops in [0, 2] {
            let metrics = ProxyMetrics(in: MetricsRegistry(), loops: loops)
            for counter in [metrics.hits, metrics.cachedBytes] + metrics.responses {
                #expect((counter.shard(1) != nil) == (loops == 2) && counter.shard(2) == nil)
                #expect((counter.shard(0) != nil) == (loops == 2))
            }
            for counter in [metrics.misses, metrics.passes, metrics.failures, metrics.refusals, metrics.originBytes] {
                #expect(counter.shard(0) == nil)
            }
        }
    }

    @Test("the time of a request is counted by what became of it, also of the first hit")
    func durations() throws {
        let origin = TestOrigin.answering { _ in response("200 OK", "Cache-Control: max-age=60", content: "hello") }
        let proxy = try TestProxy()
        for _ in 0..<2 { #expect(proxy.ask(origin.url("/x"))?.status == 200) }
        #expect(proxy.perform("POST", origin.url("/x"), content: "a")?.status == 200)
        _ = proxy.recentRequests()
        for (outcome, count) in [(.miss, 1), (.hit, 1), (.pass, 1), (.stale, 0), (.error, 0)] as [(RequestOutcome, Int)]
        {
            let snapshot = proxy.metrics.durations(outcome).snapshot
            #expect(snapshot.total == count, "\(outcome)")
            #expect((0..<60_000_000_000).contains(snapshot.nanoseconds) && (snapshot.nanoseconds > 0) == (count > 0))
        }
        #expect(proxy.metrics.responses.map(\.value) == [0, 3, 0, 0, 0])
    }

    @Test("hits are timed one in so many, and all of them are counted in the end")
    func hits() {
        let histogram = Histogram()
        let timing = HitTiming(histogram)
        let now = MonotonicTime.now
        timing.countHit(since: now)
        #expect(histogram.snapshot.total == 1)
        for _ in 0..<1000 { timing.countHit(since: now) }
        #expect((1001 - 31...1001).contains(histogram.snapshot.total))
    }
}
