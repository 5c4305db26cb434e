import HTTPCore

/// Origins whose connections carry one exchange each for a while: they have sent bytes that belong to no response (H-104).
///
/// What comes late of such bytes cannot be told from the answer to the next request on the connection.
struct ReuseBans: Sendable {
    /// How long it holds, counted from the last such bytes.
    static let time = Duration.seconds(600)
    /// Origins that are remembered; of more, the one whose time ends first is forgotten.
    static let limit = 1024

    private var ends: [PoolKey: MonotonicTime] = [:]

    var isEmpty: Bool { ends.isEmpty }

    /// Returns whether the origin was not banned before.
    mutating func add(_ origin: PoolKey, at now: MonotonicTime) -> Bool {
        let isNew = !contains(origin, at: now)
        ends = ends.filter { $0.value > now }
        if isNew, ends.count >= Self.limit, let first = ends.min(by: { $0.value < $1.value }) { ends[first.key] = nil }
        ends[origin] = now + Self.time
        return isNew
    }

    func contains(_ origin: PoolKey, at now: MonotonicTime) -> Bool { ends[origin].map { $0 > now } ?? false }

    /// Those in force, by name; one origin is told once, whatever the way to it.
    func current(at now: MonotonicTime) -> [ReuseBan] {
        var latest: [String: MonotonicTime] = [:]
        for (origin, end) in ends where end > now {
            latest[origin.name] = max(end, latest[origin.name] ?? end)
        }
        return latest.map { ReuseBan(origin: $0, remaining: $1 - now) }.sorted { $0.origin < $1.origin }
    }
}

/// An origin whose connections are not used again for a while.
public struct ReuseBan: Sendable, Equatable {
    /// Scheme, host and port, such as `http://origin.example:8080`.
    public let origin: String
    public let remaining: Duration
}
