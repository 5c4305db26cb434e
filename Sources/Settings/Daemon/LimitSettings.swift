/// Limits for peers (docs/specification/hostile-input.md).
///
/// Stored properties: one for each key of the section `limits`.
public struct LimitSettings: Sendable, Equatable {
    // MARK: Requests

    public var requestTarget = ByteCount.kibibytes(16)
    /// The most bytes of start line and field lines together.
    public var headerSection = ByteCount.kibibytes(64)
    public var headerFields = 256
    /// The most bytes of a method.
    public var methodLength = 32
    /// The most empty lines that are skipped before a request line.
    public var emptyLines = 8
    /// Nil: no limit.
    public var requestBody: ByteCount?
    public var chunkExtensionLine = ByteCount.kibibytes(4)
    /// The most bytes of all chunk extensions of one message.
    public var chunkExtensions = ByteCount.kibibytes(16)
    public var trailerSection = ByteCount.kibibytes(16)
    public var trailerFields = 64
    /// The most requests read ahead of the one in progress.
    public var pipelineDepth = 16
    /// The most bytes read ahead of the request in progress.
    public var pipelineSize = ByteCount.kibibytes(64)
    /// The most bytes of content that belong to a cache key; a request with more passes.
    public var keyBody = ByteCount.mebibytes(1)
    /// The most ranges of one Range field; with more, the whole response is sent.
    public var ranges = 16

    // MARK: Responses of origins

    public var responseHeaderSection = ByteCount.kibibytes(64)
    public var responseHeaderFields = 256
    /// The most 1xx responses before the final one.
    public var interimResponses = 16

    // MARK: Time

    /// The longest time from the first byte of a head to its end.
    public var headerTimeout = Duration.seconds(10)
    /// The longest time between bytes of a request's content.
    public var bodyTimeout = Duration.seconds(30)
    /// The longest time between requests of a connection.
    public var idleTimeout = Duration.seconds(60)
    /// How long a client may accept no bytes.
    public var sendTimeout = Duration.seconds(60)
    /// How long a client that has closed its sending side waits for its response; zero: the client counts as gone.
    public var halfClose = Duration.zero
    /// How long content waits for a 100 (Continue) that the origin server does not send.
    public var continueTimeout = Duration.seconds(1)
    /// How long exchanges in progress may take after SIGTERM.
    public var drainTimeout = Duration.seconds(30)

    // MARK: Memory and connections

    public var unsentPerExchange = ByteCount.kibibytes(256)
    /// The most bytes of incomplete request heads, over all connections.
    public var unfinishedHeads = ByteCount.mebibytes(64)
    /// The most bytes of contents that are held for their keys, over all connections.
    public var keyBodyMemory = ByteCount.mebibytes(64)
    public var maxConnections = 16_384
    /// The most connections of one address; nil: only `maxConnections` limits them.
    public var maxConnectionsPerPeer: Int?
    /// The most requests that wait for one load.
    public var waitersPerLoad = 10_000
    /// The most bytes of a request's content for the admin API.
    public var jsonSize = ByteCount.mebibytes(1)
    public var jsonDepth = 64

    // MARK: Transformers (H-131)

    /// The most bytes of content for a transformer that needs it whole.
    public var maxTransformSize = ByteCount.mebibytes(8)
    /// The most decoded bytes of one response; nil: no limit.
    public var decodedSize: ByteCount? = .mebibytes(64)
    /// The most decoded bytes for each encoded byte, above 1 MiB.
    public var decodedRatio = 100
    /// The most content codings that are removed from one response.
    public var contentCodings = 2
    public var transformJSONDepth = 128
    /// The most bytes of memory for all transformations of whole contents.
    public var transformMemory = ByteCount.mebibytes(64)
    /// The longest working time of one run.
    public var transformTime = Duration.seconds(10)
}
