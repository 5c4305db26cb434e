package import HTTPCore

/// Limits for exchanges with origin servers; every limit has a setting of the same name in kebab-case.
public struct UpstreamLimits: Sendable {
    // MARK: Time (H-127)

    /// How long a connection may take to be established, the wait in the queue included.
    public var connectTimeout: Duration = .seconds(5)
    /// How long the origin may take from the last byte of the request to the first of the final head.
    public var firstByteTimeout: Duration = .seconds(30)
    /// The most time between two bytes of a response, or without progress of a request.
    public var idleTimeout: Duration = .seconds(30)
    /// The most time between two bytes of a `text/event-stream`, which may be quiet for a long time:
    /// `tunnel.idle-timeout`.
    public var eventStreamIdleTimeout: Duration = .seconds(600)
    /// Bytes of a response's content that must be received in each minute of reading; 0: any number.
    ///
    /// Event streams may be slower.
    public var minimumRate = 60
    /// The period of `minimumRate`; tests set a shorter one.
    package var ratePeriod = Duration.seconds(60)
    /// How long an idle connection is kept.
    public var keepAliveTimeout: Duration = .seconds(60)
    /// How long content waits for `100 Continue`; then it is sent without (H-074).
    public var continueTimeout: Duration = .seconds(1)

    // MARK: Number (H-132)

    /// The most connections to one origin over all loops, idle ones included.
    public var connectionsPerOrigin = 256
    /// The most exchanges that wait for one of them.
    public var queuePerOrigin = 10_000
    /// The most idle connections of one loop to all origins.
    public var idleConnections = 256

    // MARK: Size

    /// Limits of heads, chunks and trailers of responses (H-043, H-045, H-106).
    package var parser = ParserLimits()
    /// The most interim heads before a final one (H-105).
    public var interimResponses = 16
    /// How many bytes of request content may be unsent before no more is requested (H-129).
    public var unsentContent = 256 * 1024

    /// The defaults.
    public init() {}
}
