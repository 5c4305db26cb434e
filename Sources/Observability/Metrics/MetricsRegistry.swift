import Locking

/// All metrics of the process, by name, and their text for Prometheus.
///
/// Names end in `_total`, `_seconds` or `_bytes`. The same name and labels give the same object. A family has at most
/// 64 series, and a label value 64 bytes; further series become one whose label values are `other` (H-159).
public final class MetricsRegistry: Sendable {
    private let families = Lock<[String: MetricFamily]>([:])

    public init() {}

    /// - Parameter shards: the number of loops with a counter of their own.
    public func counter(_ name: String, _ help: String, labels: [MetricLabel] = [], shards: Int = 0) -> Counter {
        let metric = metric(name, help, labels) { .counter(Counter(shards: shards)) }
        guard case .counter(let counter) = metric else { return Counter(shards: shards) }
        return counter
    }

    public func gauge(_ name: String, _ help: String, labels: [MetricLabel] = []) -> Gauge {
        guard case .gauge(let gauge) = metric(name, help, labels, { .gauge(Gauge()) }) else { return Gauge() }
        return gauge
    }

    /// Adds a gauge whose value `read` returns, on the thread that reads the metrics, outside locks.
    public func gauge(
        _ name: String,
        _ help: String,
        labels: [MetricLabel] = [],
        read: @escaping @Sendable () -> Int
    ) {
        _ = metric(name, help, labels) { .reading(read) }
    }

    /// Adds a gauge of a duration, in seconds, as above.
    public func gauge(_ name: String, _ help: String, read: @escaping @Sendable () -> Duration) {
        _ = metric(name, help, []) { .duration(read) }
    }

    /// Adds a counter whose value `read` returns, as for a gauge.
    public func counter(_ name: String, _ help: String, read: @escaping @Sendable () -> Int) {
        _ = metric(name, help, []) { .tally(read) }
    }

    public func histogram(_ name: String, _ help: String, labels: [MetricLabel] = []) -> Histogram {
        let metric = metric(name, help, labels) { .histogram(Histogram()) }
        guard case .histogram(let histogram) = metric else { return Histogram() }
        return histogram
    }

    /// The text exposition format, version 0.0.4: `text/plain; version=0.0.4; charset=utf-8`.
    public func prometheusText() -> [UInt8] {
        let families = families.withLock { $0.values.sorted { $0.name < $1.name } }
        var output: [UInt8] = []
        for family in families { PrometheusText.append(family, to: &output) }
        return output
    }

    private func metric(_ name: String, _ help: String, _ labels: [MetricLabel], _ make: () -> Metric) -> Metric {
        families.withLock { families in
            families[name, default: MetricFamily(name: name, help: help)].metric(labels, make)
        }
    }
}

/// A name and value that distinguish series of one family.
public struct MetricLabel: Sendable, Hashable {
    public var name: String
    public var value: String

    /// The value is cut to 64 bytes.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value.utf8.count <= 64 ? value : String(decoding: value.utf8.prefix(64), as: UTF8.self)
    }
}

enum Metric: Sendable {
    case counter(Counter)
    case gauge(Gauge)
    case reading(@Sendable () -> Int)
    case duration(@Sendable () -> Duration)
    case tally(@Sendable () -> Int)
    case histogram(Histogram)

    /// The type in the `# TYPE` line.
    var typeName: String {
        switch self {
        case .counter, .tally: "counter"
        case .gauge, .reading, .duration: "gauge"
        case .histogram: "histogram"
        }
    }
}

/// All series of one name.
struct MetricFamily: Sendable {
    static let seriesLimit = 64

    let name: String
    let help: String
    /// In the order in which they were added.
    private(set) var series: [(labels: [MetricLabel], metric: Metric)] = []

    init(name: String, help: String) {
        self.name = name
        self.help = help
    }

    mutating func metric(_ labels: [MetricLabel], _ make: () -> Metric) -> Metric {
        if let known = series.first(where: { $0.labels == labels }) { return known.metric }
        guard series.count < Self.seriesLimit else { return overflow(labels, make) }
        series.append((labels, make()))
        return series[series.count - 1].metric
    }

    private mutating func overflow(_ labels: [MetricLabel], _ make: () -> Metric) -> Metric {
        let others = labels.map { MetricLabel($0.name, "other") }
        if let known = series.first(where: { $0.labels == others }) { return known.metric }
        series.append((others, make()))
        return series[series.count - 1].metric
    }
}
