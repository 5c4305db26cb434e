public import HTTPCore

/// Limits on what clients may use; every limit has a setting of the same name in kebab-case.
public struct ServerLimits: Sendable {
    // MARK: Time (H-125, H-126, H-128)

    /// A head must be complete this long after its first byte.
    public var headerTimeout: Duration = .seconds(10)
    /// Request content must progress within this time while it is being read.
    public var bodyTimeout: Duration = .seconds(30)
    /// Bytes of request content that must come in each minute of reading.
    public var minimumBodyBytesPerMinute = 240
    /// A connection without a request ends after this time.
    public var idleTimeout: Duration = .seconds(60)
    /// A client that takes nothing of its response for this time is cut off.
    public var sendTimeout: Duration = .seconds(30)
    /// How long a request waits for its response once its client has sent its last byte; zero: the client counts as gone.
    public var halfCloseTime: Duration = .zero
    /// A refused client's bytes are read and dropped for this time, so that it can read the response (H-052).
    public var lingeringTime: Duration = .seconds(2)

    // MARK: Size

    /// Heads, chunks and trailers of requests, and the most content one may have (H-014, H-027, H-028, H-043, H-045, H-050).
    public var parser = ParserLimits()
    /// Requests answered in a row before what they produced must have been taken by the client (H-085).
    public var pipelineDepth = 16
    /// Bytes read ahead behind the request in progress (H-085).
    public var pipelineBytes = 64 * 1024
    /// Bytes of responses a connection keeps unsent before its exchange should pause (H-128).
    public var unsentPerExchange = 256 * 1024

    /// Bytes of unfinished heads of all connections that share one `ConnectionCounter` (H-132).
    public var unfinishedHeads = 64 * 1024 * 1024

    // MARK: Number (H-132)

    /// Connections of all listeners that share one `ConnectionCounter`.
    public var maxConnections = 16_384
    /// Connections of one peer address; nil: any number.
    ///
    /// Unix peers do not count, loopback peers only with `countsLoopbackPeers`.
    public var maxConnectionsPerPeer: Int? = 1_024
    /// Whether loopback peers count for `maxConnectionsPerPeer`.
    public var countsLoopbackPeers = false

    /// The defaults.
    public init() {}
}
