import JSON
import Settings

/// What clients received in a time that ends now.
struct TrafficPeriod: Equatable {
    var counters: TrafficCounters
    /// How long it is, in seconds.
    var seconds: Int64
    /// Whether it begins with the daemon's start.
    var isSinceStart: Bool

    /// - Parameters:
    ///   - wanted: the seconds up to now; nil: since the start.
    ///   - status: `/v1/status`.
    ///   - history: `/v1/history`.
    init(_ wanted: Int64?, status: JSONValue, history: JSONValue) {
        let uptime = status["uptimeSeconds"]?.integer ?? 0
        counters = TrafficCounters(status["traffic"])
        seconds = uptime
        isSinceStart = true
        guard let wanted, wanted < uptime, let first = Self.sample(wanted, in: history) else { return }
        counters = counters - first.counters
        seconds = first.age
        isSinceStart = false
    }

    /// The latest sample that is at least so old, or else the oldest one.
    private static func sample(_ wanted: Int64, in history: JSONValue) -> (age: Int64, counters: TrafficCounters)? {
        let columns = (history["columns"]?.elements ?? []).compactMap(\.text)
        guard let now = history["now"]?.integer, let time = columns.firstIndex(of: "seconds") else { return nil }
        let samples = (history["series"]?.elements ?? []).flatMap { $0["samples"]?.elements ?? [] }.map(\.elements)
        let aged = samples.compactMap { sample in
            sample.indices.contains(time) ? sample[time].integer.map { (age: now - $0, sample: sample) } : nil
        }
        let found = aged.filter { $0.age >= wanted }.min { $0.age < $1.age } ?? aged.max { $0.age < $1.age }
        return found.map { (max(0, $0.age), TrafficCounters(sample: $0.sample, columns: columns)) }
    }
}
