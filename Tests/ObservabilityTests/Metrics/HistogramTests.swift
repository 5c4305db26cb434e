import Testing

@testable import Observability

/// Classes of durations, and the limits of registries.
@Suite struct HistogramTests {
    @Test("classes end at 1, 2.5 and 5 of each power of ten from 10 µs to 10 s, and at 30 s")
    func bounds() {
        #expect(
            Histogram.bounds.map { Double($0) / 1e9 } == [
                0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                0.5,
                1, 2.5, 5, 10, 30,
            ]
        )
    }

    @Test("each class has its own bound, and the next one begins a nanosecond later")
    func classes() {
        for (index, bound) in Histogram.bounds.enumerated() {
            let histogram = Histogram()
            histogram.observe(nanoseconds: bound)
            histogram.observe(nanoseconds: bound + 1)
            var counts = [Int](repeating: 0, count: Histogram.bounds.count + 1)
            (counts[index], counts[index + 1]) = (1, 1)
            #expect(histogram.snapshot == Histogram.Snapshot(counts: counts, nanoseconds: Int(2 * bound + 1)))
        }
    }

    @Test(
        "a duration counts with all its nanoseconds, a negative one as 0",
        arguments: [
            (.nanoseconds(1), 1), (.seconds(2) + .nanoseconds(3), 2_000_000_003), (.zero, 0), (.nanoseconds(-1), 0),
            (.seconds(8_999_999_999), 8_999_999_999_000_000_000), (.seconds(9_000_000_000), 9_000_000_000_000_000_000),
            (.seconds(-9_000_000_000), 0),
        ] as [(Duration, Int)]
    )
    func durations(duration: Duration, nanoseconds: Int) {
        let histogram = Histogram()
        histogram.observe(duration)
        #expect(histogram.snapshot.nanoseconds == nanoseconds && histogram.snapshot.total == 1)
        histogram.observe(nanoseconds: 5, times: 3)
        #expect(histogram.snapshot.total == 4 && histogram.snapshot.nanoseconds == nanoseconds + 15)
    }

    @Test("64 series have labels of their own, the next ones are others; label values have 64 bytes at most")
    func series() {
        let registry = MetricsRegistry()
        for index in 0..<66 { registry.counter("x_total", "X.", labels: [MetricLabel("v", "\(index)")]).add(index) }
        let lines = String(decoding: registry.prometheusText(), as: UTF8.self).split(separator: "\n")
        #expect(lines.contains("x_total{v=\"63\"} 63") && lines.contains("x_total{v=\"other\"} 129"))
        #expect(!lines.contains { $0.hasPrefix("x_total{v=\"64\"}") } && lines.count == 67)
        let text = String(repeating: "a", count: 64)
        #expect(MetricLabel("v", text).value == text && MetricLabel("v", text + "b").value == text)
    }

    @Test("a name that stands for another kind of metric gives one that is not shown")
    func kinds() {
        let registry = MetricsRegistry()
        registry.counter("a", "A.").add(2)
        registry.gauge("a", "A.").set(9)
        registry.histogram("a", "A.").observe(.seconds(1))
        registry.gauge("b", "B.").set(3)
        registry.counter("b", "B.").add(9)
        registry.counter("c_total", "C.") { 7 }
        let text = String(decoding: registry.prometheusText(), as: UTF8.self)
        #expect(
            text == """
                # HELP a A.
                # TYPE a counter
                a 2
                # HELP b B.
                # TYPE b gauge
                b 3
                # HELP c_total C.
                # TYPE c_total counter
                c_total 7

                """
        )
    }

    @Test("a counter counts by one or by more, in its shards and beside them")
    func counters() {
        let counter = Counter(shards: 2)
        counter.add()
        counter.add(10)
        counter.counting(on: 0).add()
        counter.counting(on: 1).add(100)
        counter.counting(on: 2).add(1000)
        counter.counting(on: -1).add(10_000)
        #expect(counter.value == 11_112 && counter.shard(0)?.value == 1 && counter.shard(1)?.value == 100)
        let gauge = Gauge()
        gauge.set(5)
        gauge.add(-7)
        #expect(gauge.value == -2)
    }
}
