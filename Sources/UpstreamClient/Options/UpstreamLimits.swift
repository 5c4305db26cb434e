public import HTTPCore

/// Limits for exchanges with origin servers; every limit has a setting of the same name in kebab-case.
public struct UpstreamLimits: Sendable {
    // MARK: Time (H-127)

    /// Until a connection is established, the wait in the queue included.
    public var connectTimeout: Duration = .seconds(5)
    /// From the last byte of the request to the first of the final response's head.
    public var firstByteTimeout: Duration = .seconds(30)
    /// Between two bytes of a response, or while an origin takes nothing of a request.
    public var idleTimeout: Duration = .seconds(30)
    /// Between two bytes of a `text/event-stream`, which may be quiet for long: `tunnel.idle-timeout`.
    public var eventStreamIdleTimeout: Duration = .seconds(600)
    /// Bytes of a response's content that must come in each minute of reading; 0: any number.
    ///
    /// Event streams may be slower.
    public var minimumRate = 60
    /// The period of `minimumRate`; tests set a shorter one.
    package var ratePeriod = Duration.seconds(60)
    /// How long a connection without an exchange is kept.
    public var keepAliveTimeout: Duration = .seconds(60)
    /// How long content waits for `100 Continue` before it is sent without (H-074).
    public var continueTimeout: Duration = .seconds(1)

    // MARK: Number (H-132)

    /// Connections to one origin over all loops, idle ones included.
    public var connectionsPerOrigin = 256
    /// Exchanges that wait for one of them.
    public var queueLength = 10_000
    /// Idle connections of one loop to all origins.
    public var idleConnections = 256

    // MARK: Size

    /// Heads, chunks and trailers of responses (H-043, H-045, H-106).
    public var parser = ParserLimits()
    /// Interim heads before a final one (H-105).
    public var interimResponses = 16
    /// Bytes of request content kept unsent before more is asked for (H-129).
    public var unsentContent = 256 * 1024

    /// The defaults.
    public init() {}
}
