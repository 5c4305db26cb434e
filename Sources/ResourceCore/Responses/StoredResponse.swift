public import HTTPCaching
public import HTTPCore
import Locking
public import Stores
import Synchronization
public import Transforms

/// A stored response in memory; never changes.
///
/// A 304, an invalidation or an override replaces it by another.
public final class StoredResponse: Sendable {
    // The order leaves no gaps: there may be millions of these.

    /// Values that few responses have; nil: none of them.
    private let extras: Boxed<Extras>?
    public let uri: TargetURI
    private let memory = Atomic<Bool>(false)
    /// From the lowest bit: `isFrozen`, `isInvalidated`, `isLocal`, whether a rule refreshes it ahead, whether any
    /// applied, `isTagged`.
    @usableFromInline
    let traits: UInt8
    /// The lowest bit is `hasReferences`, the highest is set if it was refreshed ahead; the others are `headNote`.
    private let headTraits: Atomic<UInt8>
    public let status: UInt16
    private let hits = HitCount()
    private let age: UInt32
    /// Seconds from the request to the response, by the wall clock.
    private let delay: UInt32
    public let metadata: ResponseMetadata
    /// When it was received, or last freshened.
    public let receivedAt: MonotonicTime
    /// The time from which on it is stale; the past if it must be validated before each use.
    ///
    /// One comparison judges freshness for requests without special directives.
    public let freshUntil: MonotonicTime
    public let body: RecordBody
    /// The serialized head of a hit: the reusable `fields`, and the length; not used for a part.
    public let prepared: PreparedHead
    /// The load that brought it; 0 from the store.
    public let loadNumber: UInt64
    private let made = AtomicLazyReference<MadeParts>()

    /// - Parameters:
    ///   - age: the age at `receivedAt`, in seconds.
    ///   - lifetime: replaces the lifetime of the metadata.
    ///   - freshUntil: replaces both.
    ///   - renditions: what pipelines made of the same content before.
    ///   - derivation: the content, if a pipeline made it.
    init(
        record: StoredRecord,
        metadata: ResponseMetadata,
        receivedAt: MonotonicTime,
        age: Int64,
        lifetime: Duration? = nil,
        freshUntil: MonotonicTime? = nil,
        isLocal: Bool = false,
        isFrozen: Bool = false,
        loadNumber: UInt64,
        renditions: Renditions? = nil,
        derivation: DerivedContent? = nil
    ) {
        uri = record.uri
        extras = Extras(record, derivation).map { Boxed($0) }
        status = record.status
        let (delay, overflow) = metadata.responseTime.seconds.subtractingReportingOverflow(record.requestTime.seconds)
        self.delay = overflow ? 0 : UInt32(clamping: delay)
        self.receivedAt = receivedAt
        self.age = UInt32(clamping: age)
        let isRefreshed = metadata.applied?.refreshAhead != nil && !isFrozen && !isLocal
        let ruled: UInt8 = (metadata.applied == nil ? 0 : 16) | (CacheTags.areIn(record.fields) ? 32 : 0)
        traits = ruled | (isFrozen ? 1 : 0) | (record.isInvalidated ? 2 : 0) | (isLocal ? 4 : 0) | (isRefreshed ? 8 : 0)
        headTraits = Atomic(record.fields.present.isDisjoint(with: .references) ? 0 : 1)
        body = record.body
        self.loadNumber = loadNumber
        let needsValidation = record.isInvalidated || metadata.control.flags.contains(.noCache)
        let end =
            isFrozen
            ? MonotonicTime(nanoseconds: metadata.lifetimeSeconds > metadata.ageAtReceiptSeconds ? .max : .min)
            : receivedAt + (lifetime ?? .seconds(metadata.lifetimeSeconds - age))
        self.freshUntil = freshUntil ?? (needsValidation ? MonotonicTime(nanoseconds: .min) : end)
        let keepsBack = StoredFields.keepsBack(record.fields, under: metadata.control)
        prepared = PreparedHead(
            status: record.status,
            reason: record.reason,
            keeping: record.fields,
            framing: Self.hasContent(record.status) ? .length(record.body.count) : .none
        ) { line in
            !keepsBack || StoredFields.isReused(line, of: record.fields, under: metadata.control)
        }
        self.metadata = metadata.sharing(prepared.fields)
        if let renditions { _ = made.storeIfNil(MadeParts()).renditions.storeIfNil(renditions) }
    }

    /// The fields as stored (RFC 9111 §3.1); parsed from the text of `prepared` on each call.
    public var fields: Fields { prepared.fields }
    public var partition: Partition { extras?.partition ?? .shared }
    /// The selection key by `metadata.vary`; empty without Vary.
    public var selection: [UInt8] { extras?.selection ?? [] }
    public var reason: [UInt8] { extras?.reason ?? [] }
    /// The request's fields that Vary nominates.
    public var requestFields: Fields { extras?.requestFields ?? Fields() }
    /// Which bytes of the representation `body` holds; nil: all of them (RFC 9111 §3.3).
    public var extent: ContentExtent? { extras?.extent }
    /// Identifies the pipeline that redacted the content before it was stored; empty: none did.
    public var rendition: [UInt8] { extras?.rendition ?? [] }
    /// The pieces in which the content came, if it is a recorded stream.
    public var pieces: StreamPieces { extras?.pieces ?? StreamPieces() }
    /// How many times as fast as they came the pieces are sent; nil: the content is sent at once.
    public var replaySpeed: Double? { metadata.applied?.replaySpeed.flatMap { pieces.isEmpty ? nil : $0 } }
    /// The content that it shows, if a pipeline made it of another response.
    var derivation: DerivedContent? { extras?.derivation }
    /// The bytes of `body`.
    public var contentLength: Int64 { body.count }
    /// On the wall clock.
    public var requestTime: HTTPDate { HTTPDate(seconds: responseTime.seconds &- Int64(delay)) }
    public var responseTime: HTTPDate { metadata.responseTime }
    /// Seconds (RFC 9111 §4.2.3).
    public var ageAtReceipt: Int64 { Int64(age) }

    private static func hasContent(_ status: UInt16) -> Bool { status != 204 && status != 304 && status >= 200 }

    /// The head of a 304 for a request whose condition this response meets; made on first use.
    ///
    /// Nil if there is no Date to send.
    public var notModifiedHead: PreparedHead? {
        let made = made.load() ?? made.storeIfNil(MadeParts())
        if let known = made.notModified.load() { return known.head }
        let fields = StoredFields.notModified(reusableFields)
        guard fields.contains(.date) else { return nil }
        let head = PreparedHead(status: 304, fields: fields, framing: .none)
        return made.notModified.storeIfNil(NotModifiedHead(head)).head
    }

    // MARK: Age

    /// The current age in seconds, rounded down (RFC 9111 §4.2.3).
    public func currentAge(at now: MonotonicTime) -> Int64 {
        if isFrozen { return metadata.ageAtReceiptSeconds }
        return min(DeltaSeconds.limit, ageAtReceipt + min(DeltaSeconds.limit, now.wholeSeconds(since: receivedAt)))
    }

    /// The rest of the lifetime in whole seconds, negative once stale (RFC 9211 §2.4).
    public func ttl(at now: MonotonicTime) -> Int64 {
        isLocal
            ? max(0, freshUntil.wholeSeconds(since: now)) - max(0, now.wholeSeconds(since: freshUntil))
            : metadata.lifetimeSeconds - currentAge(at: now)
    }

    public func isFresh(at now: MonotonicTime) -> Bool { now < freshUntil }

    /// Whether a use makes us validate although it is fresh (`refresh-ahead`): once, whatever comes of it.
    @inlinable
    public func isRefreshedAhead(at now: MonotonicTime) -> Bool { traits & 8 != 0 && isDueForRefresh(at: now) }

    @usableFromInline
    func isDueForRefresh(at now: MonotonicTime) -> Bool {
        headTraits.load(ordering: .relaxed) < 0x80 && metadata.isRefreshedAhead(remainingSeconds: ttl(at: now))
    }

    /// Notes that it is being validated.
    func noteRefresh() { headTraits.bitwiseOr(0x80, ordering: .relaxed) }

    /// A note about this head by a caller that changes heads, in the caller's own code; 0: none yet.
    public var headNote: UInt8 { headTraits.load(ordering: .relaxed) >> 1 & 0x3F }

    public func noteHead(_ note: UInt8) {
        headTraits.store(headTraits.load(ordering: .relaxed) & 0x81 | note << 1, ordering: .relaxed)
    }

    /// Whether any of `KnownFieldSet.references` is among the fields.
    public var hasReferences: Bool { headTraits.load(ordering: .relaxed) & 1 != 0 }

    // MARK: Use in memory

    /// Bytes of the values that few responses have.
    var extraBytes: Int { extras?.heapBytes ?? 0 }

    public var identity: UInt64 {
        if let derivation { return derivation.identity }
        var hasher = Hasher()
        hasher.combine(uri)
        hasher.combine(partition)
        hasher.combine(selection)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    public var descriptorCount: Int {
        switch body {
        case .bytes: 0
        case .file(let joined as JoinedBody): joined.fileCount
        case .file: 1
        }
    }

    /// Whether its age stays what it was on receipt: mode `replay` (C-25.2).
    public var isFrozen: Bool { traits & 1 != 0 }
    /// Whether it must be validated before use (RFC 9111 §4.4).
    public var isInvalidated: Bool { traits & 2 != 0 }
    /// Whether it is a local override; such a response is never validated.
    public var isLocal: Bool { traits & 4 != 0 }
    /// Whether it has a field that gives it tags (C-24.3).
    var isTagged: Bool { traits & 32 != 0 }
    /// Its tags; read from the fields on each call.
    package var tags: [CacheTag] { isTagged ? CacheTags.tags(of: fields, from: uri) : [] }
    /// The rules that applied to it.
    @inlinable public var applied: AppliedRules? { traits & 16 == 0 ? nil : metadata.applied }

    /// Counts a hit: one relaxed load and store.
    public func noteUse() { if let derivation { derivation.noteUse() } else { hits.add() } }

    public func takeUses() -> Int { max(hits.takeUnseen(), knownRenditions?.hits.takeUnseen() ?? 0) }

    /// Continues the count of `other`, which this response replaces; `isSame`: also for the eviction policy.
    func takeHits(of other: StoredResponse, isSame: Bool) { hits.set(to: other.hits, unseen: isSame) }

    /// Hits since it entered memory, those of its renditions included.
    public var hitCount: Int { hits.all + (knownRenditions?.hits.all ?? 0) }

    // MARK: Conversions

    /// The fields for a response without the whole content: only reusable ones, without Age and Content-Length.
    public var reusableFields: Fields {
        var fields = StoredFields.reusing(fields, under: metadata.control)
        fields.removeLines { $0.known == .age || $0.known == .contentLength }
        return fields
    }

    /// What a store keeps of it.
    public var record: StoredRecord {
        StoredRecord(
            uri: uri,
            partition: partition,
            selection: selection,
            status: status,
            reason: reason,
            fields: fields,
            requestFields: requestFields,
            requestTime: requestTime,
            responseTime: responseTime,
            isInvalidated: isInvalidated,
            body: body,
            rendition: rendition,
            extent: extent,
            pieces: pieces
        )
    }

    /// The same response, to be validated before use.
    var invalidated: StoredResponse {
        var marked = record
        marked.isInvalidated = true
        let invalidated = StoredResponse(
            record: marked,
            metadata: metadata,
            receivedAt: receivedAt,
            age: ageAtReceipt,
            isLocal: isLocal,
            isFrozen: isFrozen,
            loadNumber: loadNumber,
            renditions: knownRenditions
        )
        invalidated.takeHits(of: self, isSame: true)
        return invalidated
    }

    // MARK: Renditions

    /// The renditions, if there were ever any.
    var knownRenditions: Renditions? { made.load()?.renditions.load() }

    /// The renditions; created on first use.
    var renditions: Renditions {
        if let known = knownRenditions { return known }
        let renditions = (made.load() ?? made.storeIfNil(MadeParts())).renditions.storeIfNil(Renditions())
        // The response entered memory before its renditions existed.
        if memory.load(ordering: .sequentiallyConsistent) { _ = renditions.enterMemory() }
        return renditions
    }

    /// Notes whether the response is in memory.
    func noteMemory(_ isInMemory: Bool) { memory.store(isInMemory, ordering: .sequentiallyConsistent) }

    /// The response as a pipeline serves it, with another head and other content.
    func derived(
        _ head: EntityHead,
        _ body: RecordBody,
        _ content: DerivedContent,
        _ options: CachingOptions
    ) -> StoredResponse {
        var derived = record
        derived.status = head.status
        if head.status != status { derived.reason = [] }
        derived.fields = head.fields
        derived.body = body
        derived.pieces = StreamPieces()
        return StoredResponse(
            record: derived,
            metadata: metadata.derived(head, options),
            receivedAt: receivedAt,
            age: ageAtReceipt,
            freshUntil: freshUntil,
            isLocal: isLocal,
            isFrozen: isFrozen,
            loadNumber: loadNumber,
            derivation: content
        )
    }
}

/// Parts that few responses need; made on first use.
private final class MadeParts: Sendable {
    let renditions = AtomicLazyReference<Renditions>()
    let notModified = AtomicLazyReference<NotModifiedHead>()
}

/// The head of a 304.
private final class NotModifiedHead: Sendable {
    let head: PreparedHead

    init(_ head: PreparedHead) { self.head = head }
}

/// Values that few stored responses have.
private struct Extras: Sendable {
    let partition: Partition
    let selection: [UInt8]
    let reason: [UInt8]
    let requestFields: Fields
    let extent: ContentExtent?
    let rendition: [UInt8]
    let pieces: StreamPieces
    let derivation: DerivedContent?

    /// Returns nil if the response has none of them.
    init?(_ record: StoredRecord, _ derivation: DerivedContent?) {
        let hasReason = !record.reason.isEmpty && !ReasonPhrase.isCustomary(record.reason, for: record.status)
        let hasAny =
            record.partition != .shared || !record.selection.isEmpty || hasReason || !record.requestFields.isEmpty
            || record.extent != nil
            || !record.rendition.isEmpty || !record.pieces.isEmpty || derivation != nil
        guard hasAny else { return nil }
        partition = record.partition
        selection = record.selection
        reason = hasReason ? record.reason : []
        requestFields = record.requestFields
        extent = record.extent
        rendition = record.rendition
        pieces = record.pieces
        self.derivation = derivation
    }

    /// Bytes of memory, without content that a pipeline made.
    var heapBytes: Int {
        let hash = if case .credential(let hash) = partition { HeapSize.array(hash) } else { 0 }
        return HeapSize.object(16 + MemoryLayout<Self>.size) + hash + HeapSize.array(selection) + HeapSize.array(reason)
            + HeapSize.array(rendition) + HeapSize.array(pieces.encoded)
            + HeapSize.array(requestFields.bytes) + HeapSize.array(requestFields.lines)
    }
}
