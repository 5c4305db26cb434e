public import HTTPCaching
public import HTTPCore
public import Transforms

/// Whose responses a partition contains (C-20.1): everybody's, or those of one credential.
public enum Partition: Sendable, Hashable {
    case shared
    /// A keyed hash of credential fields, or of values that a rule adds to the key.
    case credential([UInt8])
}

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
    /// The request fields that `Vary` nominates, for people; only those that may be stored as they are.
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
    /// What becomes of stored parts of the same URI, partition and selection.
    public var otherParts = OtherParts.unchanged

    /// What becomes of other stored parts when a record is stored.
    public enum OtherParts: Sendable {
        /// There are none, as far as is known.
        case unchanged
        /// They go, and so does a whole.
        case replaced
        /// They stay, but for those that overlap: all are of one representation.
        case joined
    }
    /// The pieces in which `body` came, if it is a stream that a rule records.
    public var pieces: StreamPieces
    /// Whether a purge by tag has covered it since it was asked for: then a store must not keep it; nil: no purge can.
    ///
    /// A store asks when it writes; it keeps nothing of this.
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

/// Keeps stored responses beyond memory.
///
/// Asynchronous and safe from any thread. Operations on one URI take effect in the order of the calls. Completions run
/// on any thread, never inside the call. A store that fails acts as if it were empty.
public protocol VariantStore: AnyObject, Sendable {
    /// All records of `uri`; damaged ones are missing.
    func lookUp(_ uri: TargetURI, _ completion: @escaping @Sendable ([StoredRecord]) -> Void)

    /// False if a look-up that begins now finds no record of `uri`, queued ones included; true may be wrong.
    ///
    /// Called under locks of the core: must be cheap, and call nothing back.
    func mayHold(_ uri: TargetURI) -> Bool

    /// Whether it keeps responses of a credential; if not, such content gets no body file either.
    var keepsPrivate: Bool { get }

    /// A new body file for content that may grow large; nil if this store keeps none (or not now).
    /// - Parameter expected: the length if it is known; one above the limits gives nil at once.
    func makeBody(expected: Int64?) -> (any BodyWriter)?

    /// Whether a body of this length would get a file now, as far as is known.
    func acceptsBody(of length: Int64) -> Bool

    /// Stores `record`, replacing one of the same URI, partition and selection, or what `otherParts` says.
    ///
    /// `durable` receives true once the transaction is committed, false if it was given up.
    func commit(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void)

    /// Replaces fields, times and mark of a stored record; its body stays. Without such a record: no effect.
    func freshen(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void)

    /// Marks every record of `uri`: validate before use.
    ///
    /// `durable` receives true once that is committed, inside the call if nothing is stored. It receives false if the
    /// store cannot write now; it then does so as soon as possible.
    func invalidate(_ uri: TargetURI, durable: @escaping @Sendable (Bool) -> Void)

    /// Removes one variant.
    func remove(_ uri: TargetURI, partition: Partition, selection: [UInt8])

    /// Removes every record of `uri`; `completion` receives their number once that is committed.
    func remove(_ uri: TargetURI, _ completion: @escaping @Sendable (Int) -> Void)

    /// False if no record of a question to `uri` is stored or queued; true may be wrong.
    func mayHoldQuestions(to uri: TargetURI) -> Bool

    /// Removes the records of all questions to `uri`; no look-up finds them from now on.
    ///
    /// `completion` receives their number once that is committed.
    func removeQuestions(to uri: TargetURI, _ completion: @escaping @Sendable (Int) -> Void)

    /// Removes records whose URIs `condition` holds for; `completion` receives their number once that is committed.
    func removeAll(
        where condition: @escaping @Sendable (TargetURI) -> Bool,
        _ completion: @escaping @Sendable (Int) -> Void
    )

    /// Removes the records with one of these tags, in all partitions; no look-up finds them from now on.
    ///
    /// Records that come later stay. `completion` receives their number once that is committed.
    func removeAll(taggedBy tags: Set<CacheTag>, _ completion: @escaping @Sendable (Int) -> Void)

    /// The URIs of the records with one of these tags, each once.
    func list(taggedBy tags: Set<CacheTag>, _ then: @escaping @Sendable ([TargetURI]) -> Void)

    /// Stores a rendition of `original`, replacing one of the same name; renditions of other pipelines go.
    ///
    /// Has no effect unless the store has that very original: same content, coding, type, tag and status. A rendition
    /// goes when its original is replaced or removed. Freshening and invalidation keep it.
    func commit(_ rendition: StoredRendition, of original: StoredRecord, durable: @escaping @Sendable (Bool) -> Void)

    /// The rendition of `original` with this name; nil if there is none, or only that of another original; may complete
    /// inside the call.
    func lookUp(
        _ name: RenditionName,
        of original: StoredRecord,
        _ completion: @escaping @Sendable (StoredRendition?) -> Void
    )

    /// The stored renditions of all variants of `uri`; may complete inside the call.
    func listRenditions(of uri: TargetURI, _ completion: @escaping @Sendable ([StoredRenditionSummary]) -> Void)

    /// A response of `uri` was used and leaves memory: the store should evict others first.
    func touch(_ uri: TargetURI)

    /// Wanted URIs after cursor `last` (0: all) among the next `limit` records; one that moves meanwhile may come twice.
    func list(after last: Int64, limit: Int, where: any RowTest, _ then: @escaping @Sendable (StoredPage) -> Void)

    /// Waits for everything queued so far.
    func flush(_ completion: @escaping @Sendable () -> Void)
}

extension VariantStore {
    public func mayHold(_ uri: TargetURI) -> Bool { true }
    public func mayHoldQuestions(to uri: TargetURI) -> Bool { true }
    public func removeQuestions(to uri: TargetURI, _ completion: @escaping @Sendable (Int) -> Void) {
        removeAll(where: { $0.isQuestion(of: uri) }, completion)
    }
    public var keepsPrivate: Bool { true }
    public func acceptsBody(of length: Int64) -> Bool { true }
    /// Whether content of this partition may have a body file; nil: the partition is unknown.
    func mayKeep(_ partition: Partition?) -> Bool { keepsPrivate || partition == .shared }
    public func touch(_ uri: TargetURI) {}
}

/// Which records a listing wants; asked on any thread.
public protocol RowTest: Sendable {
    /// The URI of a record that may be wanted, by its canonical bytes, its status and its bytes of content.
    func uri(of canonical: Span<UInt8>, status: UInt16, contentBytes: Int64) -> TargetURI?
    /// Whether such a record is wanted.
    func wants(_ record: StoredSummary) -> Bool
}

/// Some entries of a listing, and the cursor of the next page.
public struct StoredPage: Sendable {
    public var entries: [StoredSummary]
    /// The cursor of the next page; nil at the end.
    public var next: Int64?

    public init(_ entries: [StoredSummary], next: Int64?) { (self.entries, self.next) = (entries, next) }
}

/// One stored record of a URI in one line, for listings.
public struct StoredSummary: Sendable {
    /// The record's position in the store's order, above 0: the cursor of listings.
    public var id: Int64
    public var uri: TargetURI
    public var partition: Partition
    public var status: UInt16
    public var count: Int64
    /// The response's fields as stored; nil if they cannot be read.
    public var fields: Fields?
    public var requestTime: HTTPDate
    public var responseTime: HTTPDate
    public var isInvalidated: Bool
    /// Which bytes of the representation it holds; nil: all of them.
    public var extent: ContentExtent?

    public init(
        id: Int64,
        uri: TargetURI,
        partition: Partition,
        status: UInt16,
        count: Int64,
        fields: Fields?,
        requestTime: HTTPDate,
        responseTime: HTTPDate,
        isInvalidated: Bool,
        extent: ContentExtent? = nil
    ) {
        self.id = id
        self.uri = uri
        self.partition = partition
        self.status = status
        self.count = count
        self.fields = fields
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.isInvalidated = isInvalidated
        self.extent = extent
    }
}

/// Decides, under no lock of the core's, what leaves memory when it is full; the daemon uses S3-FIFO by bytes.
public protocol EvictionPolicy: AnyObject, Sendable {
    /// `entry` was stored in memory; returns what must leave now.
    func didStore(_ entry: any MemoryEntry) -> [any MemoryEntry]
    /// `entry` left memory for another reason (replaced, wiped).
    func didRemove(_ entry: any MemoryEntry)
}

/// What an eviction policy sees of an entry in memory.
public protocol MemoryEntry: AnyObject, Sendable {
    /// Bytes charged: content, head and overhead.
    var cost: Int { get }
    /// How many files it keeps open.
    var descriptorCount: Int { get }
    /// A hash of URI, partition and selection, by which the policy remembers an entry that left.
    var identity: UInt64 { get }
    /// Uses since the last call, saturating at 3; each hit sets it with a relaxed store.
    func takeUses() -> Int
}

extension MemoryEntry {
    public var descriptorCount: Int { 0 }
}
