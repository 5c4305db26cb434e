import JSON
import Settings

/// What clients have received up to a moment, or between two.
struct TrafficCounters: Sendable, Equatable {
    var hits: Int64 = 0
    /// Waited for a load or a validation.
    var loads: Int64 = 0
    /// Bypassed the cache.
    var passes: Int64 = 0
    var failures: Int64 = 0
    var refused: Int64 = 0
    var cachedBytes: Int64 = 0
    var originBytes: Int64 = 0

    /// In the order of the columns of `/v1/history`.
    private static let members: [(name: String, path: any WritableKeyPath<TrafficCounters, Int64> & Sendable)] = [
        ("hits", \.hits), ("loads", \.loads), ("passes", \.passes), ("failures", \.failures), ("refused", \.refused),
        ("bytesFromCache", \.cachedBytes), ("bytesFromOrigins", \.originBytes),
    ]

    init() {}

    /// - Parameter traffic: that of `/v1/status`.
    init(_ traffic: JSONValue?) {
        for (name, path) in Self.members { self[keyPath: path] = traffic?[name]?.integer ?? 0 }
    }

    /// - Parameters:
    ///   - sample: one of `/v1/history`.
    ///   - columns: the names of its numbers.
    init(sample: [JSONValue], columns: [String]) {
        for (name, path) in Self.members {
            guard let index = columns.firstIndex(of: name), sample.indices.contains(index) else { continue }
            self[keyPath: path] = sample[index].integer ?? 0
        }
    }

    var requests: Int64 { hits + loads + passes + failures + refused }

    static func - (later: TrafficCounters, earlier: TrafficCounters) -> TrafficCounters {
        var result = later
        for (_, path) in members { result[keyPath: path] = max(0, later[keyPath: path] - earlier[keyPath: path]) }
        return result
    }
}
