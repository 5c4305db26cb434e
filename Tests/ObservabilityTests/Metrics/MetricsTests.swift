import Testing

@testable import Observability

@Suite struct MetricsTests {
    @Test("a counter sums what loops and other threads count")
    func counter() async throws {
        let counter = Counter(shards: 2)
        let (first, second) = (try #require(counter.shard(0)), try #require(counter.shard(1)))
        #expect(counter.shard(2) == nil)
        #expect(counter.shard(-1) == nil)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for _ in 0..<1000 { first.add() } }
            group.addTask { for _ in 0..<1000 { second.add(2) } }
            for _ in 0..<4 { group.addTask { for _ in 0..<1000 { counter.add() } } }
        }
        #expect(counter.value == 7000)
    }

    @Test("a histogram's class includes its bound; what is negative counts as 0")
    func histogram() {
        let histogram = Histogram()
        for duration in [.microseconds(10), .microseconds(11), .seconds(31), .seconds(-1)] as [Duration] {
            histogram.observe(duration)
        }
        histogram.observe(.seconds(Int64.max))
        let snapshot = histogram.snapshot
        #expect(snapshot.counts[0] == 2)
        #expect(snapshot.counts[1] == 1)
        #expect(snapshot.counts.last == 2)
        #expect(snapshot.total == 5)
        // One may stand for several.
        histogram.observe(nanoseconds: 10_000, times: 16)
        #expect(histogram.snapshot.counts[0] == 18)
    }

    @Test("the text for Prometheus has help, type and samples of each family")
    func prometheus() {
        let registry = MetricsRegistry()
        registry.counter("respite_requests_total", "Requests.", labels: [MetricLabel("cache", "hit")]).add(3)
        registry.counter("respite_requests_total", "Requests.", labels: [MetricLabel("cache", "miss")]).add()
        registry.gauge("respite_connections", "Connections.").set(-2)
        registry.gauge("respite_memory_bytes", "Memory\nin use.") { 17 }
        registry.gauge("respite_longest_seconds", "The longest.") { Duration.microseconds(1500) }
        registry.histogram("respite_exchange_seconds", "Exchanges.").observe(.milliseconds(3))
        let text = String(decoding: registry.prometheusText(), as: UTF8.self)
        #expect(
            text.hasPrefix(
                """
                # HELP respite_connections Connections.
                # TYPE respite_connections gauge
                respite_connections -2
                # HELP respite_exchange_seconds Exchanges.
                # TYPE respite_exchange_seconds histogram
                respite_exchange_seconds_bucket{le="1e-05"} 0
                """
            )
        )
        #expect(text.contains("respite_exchange_seconds_bucket{le=\"0.005\"} 1\n"))
        #expect(text.contains("respite_exchange_seconds_bucket{le=\"+Inf\"} 1\n"))
        #expect(text.contains("respite_exchange_seconds_sum 0.003\nrespite_exchange_seconds_count 1\n"))
        #expect(text.contains("# TYPE respite_longest_seconds gauge\nrespite_longest_seconds 0.0015\n"))
        #expect(text.contains("# HELP respite_memory_bytes Memory\\nin use.\n"))
        #expect(
            text.hasSuffix(
                """
                # TYPE respite_requests_total counter
                respite_requests_total{cache="hit"} 3
                respite_requests_total{cache="miss"} 1

                """
            )
        )
    }

    @Test("asking twice for one metric gives the same one")
    func identity() {
        let registry = MetricsRegistry()
        #expect(registry.counter("a_total", "A.") === registry.counter("a_total", "A."))
        #expect(registry.gauge("g", "G.") === registry.gauge("g", "G."))
        #expect(
            registry.counter("a_total", "A.", labels: [MetricLabel("x", "1")]) !== registry.counter("a_total", "A.")
        )
    }

    @Test("label values are escaped and bounded in length and number (H-159)")
    func labels() {
        let registry = MetricsRegistry()
        registry.counter("x_total", "X.", labels: [MetricLabel("v", "a\"b\\c\nd\u{1B}")]).add()
        for index in 0..<1000 {
            registry.counter(
                "y_total",
                "Y.",
                labels: [MetricLabel("v", "\(index)" + String(repeating: "z", count: 500))]
            )
            .add()
        }
        let lines = String(decoding: registry.prometheusText(), as: UTF8.self).split(separator: "\n")
        #expect(lines.contains("x_total{v=\"a\\\"b\\\\c\\nd?\"} 1"))
        #expect(lines.filter { $0.hasPrefix("y_total") }.count == 65)
        #expect(lines.contains("y_total{v=\"other\"} 936"))
        #expect(lines.allSatisfy { $0.utf8.count < 100 })
    }
}
