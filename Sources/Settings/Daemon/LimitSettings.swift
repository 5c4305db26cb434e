/// Limits for peers (docs/specification/hostile-input.md).
///
/// Stored properties: one for each key of the section `limits`.
public struct LimitSettings: Sendable, Equatable {
    // MARK: Requests

    public var requestTarget = ByteCount.kibibytes(16)
    /// Bytes of start line and field lines together.
    public var headerSection = ByteCount.kibibytes(64)
    public var headerFields = 256
    /// Bytes of a method.
    public var methodLength = 32
    /// Empty lines that are skipped before a request line.
    public var emptyLines = 8
    /// Nil: no limit.
    public var requestBody: ByteCount?
    public var chunkExtensionLine = ByteCount.kibibytes(4)
    /// Bytes of all extensions of one message.
    public var chunkExtensions = ByteCount.kibibytes(16)
    public var trailerSection = ByteCount.kibibytes(16)
    public var trailerFields = 64
    /// Requests read ahead of the one in progress.
    public var pipelineDepth = 16
    /// Bytes read ahead of the request in progress.
    public var pipelineSize = ByteCount.kibibytes(64)
    /// Ranges of one Range field; with more, the whole response is sent.
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
    /// How long a client may accept no bytes.
    public var sendTimeout = Duration.seconds(60)
    /// How long a client that has closed its sending side waits for its response; zero: it counts as gone.
    public var halfClose = Duration.zero
    /// How long content waits for a 100 (Continue) that the origin server does not send.
    public var continueTimeout = Duration.seconds(1)
    /// How long exchanges in progress may take after SIGTERM.
    public var drainTimeout = Duration.seconds(30)

    // MARK: Memory and connections

    public var unsentPerExchange = ByteCount.kibibytes(256)
    /// Bytes of incomplete request heads, over all connections.
    public var unfinishedHeads = ByteCount.mebibytes(64)
    public var maxConnections = 16_384
    /// Connections of one address; nil: only `maxConnections` limits them.
    public var maxConnectionsPerPeer: Int?
    /// Requests that wait for one load.
    public var waitersPerLoad = 10_000
    /// Bytes of a request's content for the admin API.
    public var jsonSize = ByteCount.mebibytes(1)
    public var jsonDepth = 64

    // MARK: Transformers (H-131)

    /// Bytes of content for a transformer that needs it whole.
    public var maxTransformSize = ByteCount.mebibytes(8)
    /// Decoded bytes of one response; nil: no limit.
    public var decodedSize: ByteCount? = .mebibytes(64)
    /// Decoded bytes for each coded byte, above 1 MiB.
    public var decodedRatio = 100
    /// Content codings of one response that are removed.
    public var contentCodings = 2
    public var transformJSONDepth = 128
    /// Bytes of memory for all transformations of whole contents.
    public var transformMemory = ByteCount.mebibytes(64)
    /// Working time of one run.
    public var transformTime = Duration.seconds(10)
}
