public import HTTPCaching
public import HTTPCore
import Transforms

/// Stored parts of a representation (RFC 9111 §3.3).
extension StoredResponse {
    /// Whether it may be all there is to answer `request` with, were it fresh: a part never answers a request for the whole.
    package func answers(_ request: ClientRequest, _ context: ResourceContext) -> Bool {
        if extent == nil { return true }
        guard request.directives.hasRange, !request.isHead else { return false }
        return rangePlan(method: .get, request.fields, context.configuration.caching) != nil
    }

    /// How a request whose conditions hold is answered from it; nil if it is a part that does not answer it.
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

    /// The length of the representation; nil if it is a part and nobody has told.
    public var representationLength: Int64? { extent.map(\.total) ?? contentLength }

    /// Where in `body` bytes of the representation lie that it holds.
    public func place(_ range: Range<Int64>) -> Range<Int64> {
        guard let start = extent?.range.lowerBound else { return range }
        return (range.lowerBound - start)..<(range.upperBound - start)
    }

    /// Whether it is the beginning of what a request for the whole asks for, and can be put before the rest.
    func canBeCompleted(for request: ClientRequest, _ context: ResourceContext) -> Bool {
        guard let extent, extent.isPrefix, !isLocal, request.rendition == nil, rendition.isEmpty else { return false }
        if case .bytes = body { return true }
        // What lies in a file is read off the loops.
        return context.environment.transforms.workers != nil
    }

    /// What keeps a part that came later from taking its place.
    ///
    /// A whole is given up only if it may not be used as it is, and is another representation by now.
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
