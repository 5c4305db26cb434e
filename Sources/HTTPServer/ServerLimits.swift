public import HTTPCore

/// Limits on what clients may use; every limit has a setting of the same name in kebab-case.
public struct ServerLimits: Sendable {
    // MARK: Time (H-125, H-126, H-128)

    /// How long a head may take from its first byte.
    public var headerTimeout: Duration = .seconds(10)
    /// How long request content may make no progress while it is being read.
    public var bodyTimeout: Duration = .seconds(30)
    /// Bytes of request content that must be received in each minute of reading.
    public var minimumBodyBytesPerMinute = 240
    /// The period of `minimumBodyBytesPerMinute`; tests set a shorter one.
    package var bodyRatePeriod = Duration.seconds(60)
    /// How long a connection may be without a request.
    public var idleTimeout: Duration = .seconds(60)
    /// How long a client may accept nothing of its response before it is cut off.
    public var sendTimeout: Duration = .seconds(30)
    /// How long a request waits for its response once its client has sent its last byte; zero: the client counts as
    /// gone.
    public var halfCloseTime: Duration = .zero
    /// How long bytes of a refused client are read and dropped, so that it can read the response (H-052).
    public var lingeringTime: Duration = .seconds(2)

    // MARK: Size

    /// Limits of heads, chunks, trailers and content of requests (H-014, H-027, H-028, H-043, H-045, H-050).
    public var parser = ParserLimits()
    /// How many requests are answered in a row before the client must have accepted the responses (H-085).
    public var pipelineDepth = 16
    /// How many bytes are read ahead behind the request in progress (H-085).
    public var pipelineBytes = 64 * 1024
    /// How many bytes of responses may be unsent before the exchange pauses (H-128).
    public var unsentPerExchange = 256 * 1024

    /// The most bytes of unfinished heads of all connections that share one `ConnectionCounter` (H-132).
    public var unfinishedHeads = 64 * 1024 * 1024

    // MARK: Number (H-132)

    /// The most connections of all listeners that share one `ConnectionCounter`.
    public var maxConnections = 16_384
    /// The most connections of one peer address; nil: unlimited.
    ///
    /// Unix peers do not count, loopback peers only with `countsLoopbackPeers`.
    public var maxConnectionsPerPeer: Int? = 1_024
    /// Whether loopback peers count for `maxConnectionsPerPeer`.
    public var countsLoopbackPeers = false

    /// The defaults.
    public init() {}
}
