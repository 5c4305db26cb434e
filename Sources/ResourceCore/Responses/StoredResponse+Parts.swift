public import HTTPCaching
public import HTTPCore
import Stores
import Transforms

/// Stored parts of a representation (RFC 9111 §3.3).
extension StoredResponse {
    /// Whether it could answer `request` if it were fresh; a part never answers a request for the whole.
    package func answers(_ request: ClientRequest, _ context: ResourceContext) -> Bool {
        if extent == nil { return true }
        guard request.directives.hasRange, !request.isHead else { return false }
        return rangePlan(method: .get, request.fields, context.configuration.caching) != nil
    }

    /// The ranges that answer a request whose conditions hold; nil if a part does not contain them.
    public func rangePlan(method: Method, _ fields: Fields, _ options: CachingOptions) -> RangePlan? {
        guard let extent else {
            return RangePlan(
                method: method,
                fields: fields,
                stored: metadata,
                length: contentLength,
                options: options
            )
        }
        return RangePlan(method: method, fields: fields, stored: metadata, extent: extent, options: options)
    }

    /// The length of the representation; nil if it is unknown, as it may be for a part.
    public var representationLength: Int64? { extent.map(\.total) ?? contentLength }

    /// The position in `body` of a range of the representation.
    public func bodyRange(_ range: Range<Int64>) -> Range<Int64> {
        guard let start = extent?.count(before: range.lowerBound) else { return range }
        return start..<(start + range.upperBound - range.lowerBound)
    }

    /// Whether it is the first part of what `request` asks for, and the rest can complete it.
    func canBeCompleted(for request: ClientRequest, _ context: ResourceContext) -> Bool {
        guard let extent, extent.ranges.count == 1, extent.ranges[0].lowerBound == 0, !isLocal,
            request.rendition == nil, rendition.isEmpty
        else { return false }
        if case .bytes = body { return true }
        // Worker threads read content in files.
        return context.environment.transforms.workers != nil
    }

    /// Why a part that came later must not replace it; nil if it may.
    ///
    /// A part replaces a whole only if that is stale and another representation.
    func obstacle(to extent: ContentExtent, _ part: ResponseMetadata, at now: MonotonicTime) -> RefusalReason? {
        if metadata.hasSameStrongTag(as: part), let length = representationLength, let total = extent.total,
            length != total
        {
            return .contentRange
        }
        if self.extent != nil { return nil }
        guard !isLocal, !isFresh(at: now), let etag = metadata.etag, let tag = part.etag else { return .wholeIsStored }
        return etag.matchesWeakly(tag) ? .wholeIsStored : nil
    }
}

/// Parts of one representation, joined (C-22.1).
extension StoredResponse {
    /// More parts are not kept, and no more in files, which are open.
    private static let (partLimit, fileLimit) = (2048, 256)

    /// Whether it is a part under a strong tag whose whole has a known length: other parts can be added.
    var canBeContinued: Bool { (extent?.total ?? 0) > 0 && metadata.hasStrongTag && !isLocal && rendition.isEmpty }

    /// Whether `other` is of the same representation, by a strong tag and the length.
    package func hasSameRepresentation(as other: StoredResponse) -> Bool {
        metadata.hasSameStrongTag(as: other.metadata) && representationLength == other.representationLength
            && !fields.contradictsDigest(of: other.fields)
    }

    /// The same of a response that is being received; its length may not be known.
    package func hasSameRepresentation(as loaded: LoadedResponse) -> Bool {
        let length = loaded.extent.map(\.total) ?? loaded.contentLength ?? representationLength
        return metadata.hasSameStrongTag(as: loaded.metadata) && length == representationLength
            && !fields.contradictsDigest(of: loaded.fields)
    }

    /// The ranges of the representation that answer `request`; nil if no part of it answers the request.
    public func assemblyPlan(_ fields: Fields, _ options: CachingOptions) -> RangePlan? {
        representationLength.flatMap {
            RangePlan(assembling: $0, of: metadata, fields: fields, options: options)
        }
    }

    /// The bytes from `position` on that it has, at most up to `end`; nil if it does not have the first.
    public func held(from position: Int64, to end: Int64) -> Range<Int64>? {
        guard let extent else { return position < min(end, contentLength) ? position..<min(end, contentLength) : nil }
        return extent.rest(from: position).map { position..<min($0.upperBound, end) }
    }

    /// This part, which was received last, with the other bytes of `former`; nil if there are too many parts.
    ///
    /// Where they overlap, the older bytes go.
    func joined(with former: StoredResponse, _ options: CachingOptions) -> StoredResponse? {
        guard canBeContinued, hasSameRepresentation(as: former), let mine = extent, let total = mine.total,
            former.extent != nil
        else { return nil }
        let others = former.parts.flatMap { $0.without(mine.ranges) }
        let parts = JoinedBody.coalesced((others + self.parts).sorted { $0.range.lowerBound < $1.range.lowerBound })
        let files = parts.count { if case .file = $0.body { true } else { false } }
        guard parts.count <= Self.partLimit, files <= Self.fileLimit else { return nil }
        var joined = record
        joined.body = parts.count == 1 ? parts[0].body : .file(JoinedBody(parts))
        let extent = parts.reduce(ContentExtent(nothingOf: total)) { $0.adding($1.range) ?? $0 }
        joined.extent = extent.isWhole ? nil : extent
        joined.status = extent.isWhole ? 200 : 206
        return with(&joined, max(loadNumber, former.loadNumber), options)
    }

    private func with(_ record: inout StoredRecord, _ number: UInt64, _ options: CachingOptions) -> StoredResponse {
        StoredResponse(
            record: record,
            metadata: record.judge(options),
            receivedAt: receivedAt,
            age: ageAtReceipt,
            isFrozen: isFrozen,
            loadNumber: number
        )
    }

    /// Whether both have one place among the variants of a resource.
    func isVariant(_ other: StoredResponse) -> Bool {
        partition == other.partition && selection == other.selection
    }

    /// The same, whichever load began later: a part that was asked for earlier replaces no byte (S-256).
    func joined(inOrderWith former: StoredResponse, _ options: CachingOptions) -> StoredResponse? {
        former.loadNumber <= loadNumber ? joined(with: former, options) : former.joined(with: self, options)
    }

    /// What the store adds to the rows of `former` for this part: all of it, unless `former` has newer bytes of it.
    ///
    /// Bytes in memory are cut into parts of their own; a file is not cut, and remains in memory alone.
    func additions(to former: StoredResponse?, _ options: CachingOptions) -> [StoredResponse] {
        guard let former, former.loadNumber > loadNumber, let total = extent?.total, let theirs = former.extent
        else { return [self] }
        let rest = parts.flatMap { $0.without(theirs.ranges) }
        if rest.count == 1, rest.first?.range == extent?.ranges.first { return [self] }
        return rest.compactMap { part -> StoredResponse? in
            guard case .bytes = part.body, let place = ContentExtent(nothingOf: total).adding(part.range)
            else { return nil }
            var cut = record
            (cut.body, cut.extent) = (part.body, place)
            return with(&cut, loadNumber, options)
        }
    }

    /// The parts, each with its content.
    var parts: [JoinedBody.Part] {
        if case .file(let joined as JoinedBody) = body { return joined.parts }
        guard let extent, let range = extent.ranges.first else { return [] }
        return [JoinedBody.Part(range, body)]
    }
}
