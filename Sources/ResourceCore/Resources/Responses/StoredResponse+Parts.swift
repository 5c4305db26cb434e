public import HTTPCaching
public import HTTPCore
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
        guard let start = extent?.range.lowerBound else { return range }
        return (range.lowerBound - start)..<(range.upperBound - start)
    }

    /// Whether it is the first part of what `request` asks for, and the rest can complete it.
    func canBeCompleted(for request: ClientRequest, _ context: ResourceContext) -> Bool {
        guard let extent, extent.isPrefix, !isLocal, request.rendition == nil, rendition.isEmpty else { return false }
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
