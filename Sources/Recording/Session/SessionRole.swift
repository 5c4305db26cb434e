/// What a daemon does with a cassette.
public enum SessionRole: Sendable, Equatable {
    /// Asks origins, and records what they respond.
    case recording
    /// Responds from the cassette.
    case replaying(MissPolicy)

    /// Whether origins may be asked.
    public var opensConnections: Bool { self != .replaying(.fail) }
}

/// What happens to a request that a cassette has no response to.
public enum MissPolicy: String, Sendable, CaseIterable {
    /// The client gets a 504 that lists what differs.
    case fail
    /// The origin is asked.
    case pass
    /// The origin is asked, and the exchange is added to the cassette.
    case record
}
