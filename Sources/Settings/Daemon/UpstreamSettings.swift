/// Connections to origin servers.
public struct UpstreamSettings: Sendable, Equatable {
    /// The time for look-up, connection and handshake together.
    public var connectTimeout = Duration.seconds(5)
    /// The longest time from the end of the request to the first byte of the response.
    public var firstByteTimeout = Duration.seconds(30)
    /// The longest time between bytes of a response.
    public var idleTimeout = Duration.seconds(30)
    /// Bytes of content that must be received in each minute of reading; nil: no limit.
    public var minimumRate: ByteCount? = ByteCount(bytes: 60)
    /// How long an unused connection is kept.
    public var keepAliveTimeout = Duration.seconds(30)
    /// How long a failed load is remembered.
    public var retryTime = Duration.seconds(1)
    /// Whether attempts at an origin that is down are spaced (C-25.3).
    public var circuitBreaker = true
    /// The longest pause between attempts; not below `retryTime`.
    public var retryTimeMax = Duration.seconds(30)
    /// The longest pause that Retry-After can cause; zero: none.
    public var retryAfterMax = Duration.seconds(300)
    public var connectionsPerOrigin = 256
    /// The most requests that wait for a connection to one origin.
    public var queuePerOrigin = 10_000
    /// The parent proxy; nil: origins are reached directly.
    public var proxy: UpstreamProxy?
    /// Hosts that are reached without the parent proxy.
    public var noProxy: [NoProxyPattern] = ["localhost", "127.0.0.0/8", "::1"].compactMap { NoProxyPattern(text: $0) }
}
