public import Cassettes

/// What happened in a session.
public struct SessionReport: Sendable, Equatable {
    /// How many exchanges were recorded.
    public var recorded = 0
    /// How many requests got a recorded response.
    public var replayed = 0
    /// How many requests had no recorded response.
    public var missed = 0
    /// The first of those requests.
    public var misses: [CassetteMiss] = []
    /// Exchanges that were not recorded, each with the reason; the first of them.
    public var unrecorded: [String] = []
    /// Recorded requests that nothing has asked for.
    public var unused: [String] = []

    public init() {}

    private static let most = 20

    mutating func note(_ miss: CassetteMiss) {
        missed += 1
        if misses.count < Self.most { misses.append(miss) }
    }

    mutating func note(unrecorded text: String) {
        if unrecorded.count < Self.most, !unrecorded.contains(text) { unrecorded.append(text) }
    }
}
