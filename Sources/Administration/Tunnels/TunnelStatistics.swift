public import HTTPCore

/// One open tunnel, for administrators.
public struct TunnelStatistics: Sendable, Equatable {
    public var id: Int
    /// The client's address.
    public var client: String
    /// Host and port of the far end.
    public var target: String
    /// How the client opened it: `connect`, `socks` or `websocket`.
    public var route: String
    /// `open`, or which side has closed its direction: `client-ended`, `far-ended`.
    public var state: String
    /// Bytes from the client, and to it.
    public var bytesUp: Int
    public var bytesDown: Int
    public var began: MonotonicTime
    /// When bytes last moved.
    public var lastActivity: MonotonicTime

    public init(
        id: Int,
        client: String,
        target: String,
        route: String,
        state: String,
        bytesUp: Int,
        bytesDown: Int,
        began: MonotonicTime,
        lastActivity: MonotonicTime
    ) {
        self.id = id
        self.client = client
        self.target = target
        self.route = route
        self.state = state
        self.bytesUp = bytesUp
        self.bytesDown = bytesDown
        self.began = began
        self.lastActivity = lastActivity
    }
}

/// Totals of all tunnels since the start.
public struct TunnelTotals: Sendable, Equatable {
    public var opened = 0
    public var open = 0
    public var bytesUp = 0
    public var bytesDown = 0

    public init() {}
}

/// Gives the admin API the tunnels.
///
/// Its closures are called on any thread, and do not block.
public struct TunnelSource: Sendable {
    /// Returns the oldest open tunnels, at most this many, in the order in which they were opened.
    public var open: @Sendable (_ limit: Int) -> [TunnelStatistics] = { _ in [] }
    public var totals: @Sendable () -> TunnelTotals = { TunnelTotals() }
    /// Returns the targets whose tunnels passed unread since the start, at most this many, the most frequent first.
    public var passed: @Sendable (_ limit: Int) -> [(target: String, count: Int)] = { _ in [] }

    public init() {}
}
