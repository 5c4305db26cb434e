public import HTTPCaching
public import HTTPCore
public import Transforms

/// A stored response as a store keeps it: what the origin sent, without hop-by-hop fields.
public struct StoredRecord: Sendable {
    public var uri: TargetURI
    public var partition: Partition
    /// The selection key of the variant: normalized values of the request fields that `Vary` nominates, or keyed hashes
    /// of them; empty without `Vary`.
    public var selection: [UInt8]
    public var status: UInt16
    public var reason: [UInt8]
    /// The response's fields as stored (RFC 9111 §3.1).
    public var fields: Fields
    /// The request fields that `Vary` nominates, for people; only fields that may be stored as they are.
    public var requestFields: Fields
    /// When the request was sent and the response received, on the wall clock (RFC 9111 §4.2.3).
    public var requestTime: HTTPDate
    public var responseTime: HTTPDate
    /// Must be validated before use (RFC 9111 §4.4); survives restarts.
    public var isInvalidated: Bool
    /// The content as the origin sent it; or as it was redacted, if `rendition` is not empty.
    public var body: RecordBody
    /// Identifies the pipeline that redacted the content; empty: none did.
    ///
    /// The fields are the origin's in either case.
    public var rendition: [UInt8]
    /// Which bytes of the representation the body holds, in one range; nil: all of them.
    ///
    /// A store keeps a part like a whole, but must never lose its extent.
    public var extent: ContentExtent?
    /// What happens to stored parts of the same URI, partition and selection.
    public var otherParts = OtherParts.unchanged

    /// What happens to other stored parts when a record is stored.
    public enum OtherParts: Sendable {
        /// There are none, as far as is known.
        case unchanged
        /// They are removed, and so is a complete response.
        case replaced
        /// They stay, since all are of one representation; only overlapping ones are removed.
        case joined
    }
    /// The pieces in which `body` came, if it is a stream that a rule records.
    public var pieces: StreamPieces
    /// Whether a purge by tag has covered it since its load began; nil: no purge can.
    ///
    /// A store asks before it writes, and MUST NOT keep a purged record. It does not store the result.
    public var isPurged: (@Sendable () -> Bool)?

    public init(
        uri: TargetURI,
        partition: Partition,
        selection: [UInt8],
        status: UInt16,
        reason: [UInt8],
        fields: Fields,
        requestFields: Fields,
        requestTime: HTTPDate,
        responseTime: HTTPDate,
        isInvalidated: Bool,
        body: RecordBody,
        rendition: [UInt8] = [],
        extent: ContentExtent? = nil,
        pieces: StreamPieces = StreamPieces()
    ) {
        self.uri = uri
        self.partition = partition
        self.selection = selection
        self.status = status
        self.reason = reason
        self.fields = fields
        self.requestFields = requestFields
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.isInvalidated = isInvalidated
        self.body = body
        self.rendition = rendition
        self.extent = extent
        self.pieces = pieces
    }
}
