/// Bounds of what peers may ask for (docs/specification/hostile-input.md).
public struct LimitSettings: Sendable, Equatable {
    // MARK: Requests

    public var requestTarget = ByteCount.kibibytes(16)
    /// Start line and field lines together.
    public var headerSection = ByteCount.kibibytes(64)
    public var headerFields = 256
    /// Bytes of a method.
    public var methodLength = 32
    /// Empty lines skipped before a request line.
    public var emptyLines = 8
    /// Nil: no limit.
    public var requestBody: ByteCount?
    public var chunkExtensionLine = ByteCount.kibibytes(4)
    /// All extensions of one message.
    public var chunkExtensions = ByteCount.kibibytes(16)
    public var trailerSection = ByteCount.kibibytes(16)
    public var trailerFields = 64
    /// Requests read ahead of the one being answered.
    public var pipelineDepth = 16
    /// Bytes read ahead of the request being answered.
    public var pipelineSize = ByteCount.kibibytes(64)
    /// Ranges of one Range field that are honoured.
    public var ranges = 16

    // MARK: Responses of origins

    public var responseHeaderSection = ByteCount.kibibytes(64)
    public var responseHeaderFields = 256
    /// 1xx responses before the final one.
    public var interimResponses = 16

    // MARK: Time

    /// From the first byte of a head to its end.
    public var headerTimeout = Duration.seconds(10)
    /// Between bytes of a request's content.
    public var bodyTimeout = Duration.seconds(30)
    /// Between requests of a connection.
    public var idleTimeout = Duration.seconds(60)
    /// How long a reader may take nothing.
    public var sendTimeout = Duration.seconds(60)
    /// How long a request waits for its answer once its client has sent its last byte; zero: that client is gone.
    public var halfClose = Duration.zero
    /// How long content waits for a 100 that the origin does not send.
    public var continueTimeout = Duration.seconds(1)
    /// Exchanges in progress get this long after SIGTERM.
    public var drainTimeout = Duration.seconds(30)

    // MARK: Memory and connections

    public var unsentPerExchange = ByteCount.kibibytes(256)
    /// Bytes of heads that are not whole, over all connections.
    public var unfinishedHeads = ByteCount.mebibytes(64)
    public var maxConnections = 16_384
    /// Connections of one address; nil: no limit but `maxConnections`.
    public var maxConnectionsPerPeer: Int?
    /// Requests that wait for one load.
    public var waitersPerLoad = 10_000
    /// Input of the admin API.
    public var jsonSize = ByteCount.mebibytes(1)
    public var jsonDepth = 64

    // MARK: Transformers (H-131)

    /// Input of a transformer that needs the whole content.
    public var maxTransformSize = ByteCount.mebibytes(8)
    /// What decoding one response may produce; nil: no limit.
    public var decodedSize: ByteCount? = .mebibytes(64)
    /// Decoded bytes for each coded one, above 1 MiB of them.
    public var decodedRatio = 100
    /// Content codings of one response that are taken off.
    public var contentCodings = 2
    public var transformJSONDepth = 128
    /// What all transformations of whole contents may take together.
    public var transformMemory = ByteCount.mebibytes(64)
    /// Working time of one run.
    public var transformTime = Duration.seconds(10)
}
