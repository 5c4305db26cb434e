public import HTTPCore

/// One open tunnel, as administrators see it.
public struct TunnelStatistics: Sendable, Equatable {
    public var id: Int
    /// The client's address.
    public var client: String
    /// Host and port of the far end.
    public var target: String
    /// How the client came to it: `connect` or `websocket`.
    public var route: String
    /// `open`, or who has said that nothing more comes: `client-ended`, `far-ended`.
    public var state: String
    /// From the client, and to it.
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

/// All tunnels since the start, together.
public struct TunnelTotals: Sendable, Equatable {
    public var opened = 0
    public var open = 0
    public var bytesUp = 0
    public var bytesDown = 0

    public init() {}
}

/// What there is to be known of tunnels; closures are called on any thread and do not block.
public struct TunnelSource: Sendable {
    /// The oldest of those that are open, at most so many, in the order in which they were opened.
    public var open: @Sendable (_ limit: Int) -> [TunnelStatistics] = { _ in [] }
    public var totals: @Sendable () -> TunnelTotals = { TunnelTotals() }

    public init() {}
}
