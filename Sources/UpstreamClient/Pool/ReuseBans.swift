import HTTPCore

/// Origins whose connections carry one exchange each for a while, because they sent bytes that belong to no response
/// (H-104).
///
/// Late bytes look like the response to the next request on the connection.
struct ReuseBans: Sendable {
    /// How long a ban lasts, counted from the last such bytes.
    static let time = Duration.seconds(600)
    /// The most bans; beyond that the one that ends first is dropped.
    static let limit = 1024

    private var ends: [PoolKey: MonotonicTime] = [:]

    var isEmpty: Bool { ends.isEmpty }

    /// Adds a ban; returns whether the origin was not banned before.
    mutating func add(_ key: PoolKey, at now: MonotonicTime) -> Bool {
        let isNew = !contains(key, at: now)
        ends = ends.filter { $0.value > now }
        if isNew, ends.count >= Self.limit, let first = ends.min(by: { $0.value < $1.value }) { ends[first.key] = nil }
        ends[key] = now + Self.time
        return isNew
    }

    func contains(_ key: PoolKey, at now: MonotonicTime) -> Bool { ends[key].map { $0 > now } ?? false }

    /// The bans in force, by origin; one entry for each origin, on all routes.
    func current(at now: MonotonicTime) -> [ReuseBan] {
        var latest: [String: MonotonicTime] = [:]
        for (key, end) in ends where end > now {
            latest[key.name] = max(end, latest[key.name] ?? end)
        }
        return latest.map { ReuseBan(origin: $0, remaining: $1 - now) }.sorted { $0.origin < $1.origin }
    }
}

/// An origin whose connections are not reused for a while.
public struct ReuseBan: Sendable, Equatable {
    /// Scheme, host and port, such as `http://origin.example:8080`.
    public let origin: String
    public let remaining: Duration
}
