public import HTTPCore

/// How a request is answered from complete content (RFC 9110 §14, §15.3.7).
///
/// Ranges are places in the content.
public enum RangePlan: Sendable, Equatable {
    /// The whole, with the stored status.
    case whole
    /// 206 with one Content-Range.
    case single(Range<Int64>)
    /// 206 as multipart/byteranges: at least two ranges, none overlapping.
    case multiple([Range<Int64>])
    /// 416 with `Content-Range: bytes */N`.
    case notSatisfiable

    /// Plans the answer to a request whose conditions hold, from stored content of `length` bytes.
    ///
    /// Whatever is malformed, of another unit, or asks for more than `options` allow is answered with the whole; a Range
    /// under an If-Range that does not match, too.
    public init(
        method: Method,
        fields: Fields,
        stored: ResponseMetadata,
        length: Int64,
        options: CachingOptions
    ) {
        self = .whole
        guard fields.contains(.range), method == .get, stored.status == 200, length > 0 else { return }
        guard fields.count(of: .range) == 1, let value = fields.value(of: .range) else { return }
        guard stored.permitsRange(fields), let specifiers = RangeField.parse(value) else { return }
        self.init(specifiers, length: length, limit: options.rangeLimit)
    }

    /// Plans the answer to a request whose conditions hold, from a stored part of the content.
    ///
    /// Nil if the part does not answer it: the request is for the whole, or for bytes that the part does not hold, or
    /// what it asks for depends on a length that is not known (RFC 9111 §3.3).
    /// - Parameters:
    ///   - extent: what the part holds.
    ///   - stored: the response it came with.
    public init?(
        method: Method,
        fields: Fields,
        stored: ResponseMetadata,
        extent: ContentExtent,
        options: CachingOptions
    ) {
        guard method == .get, fields.count(of: .range) == 1, let value = fields.value(of: .range) else { return nil }
        guard stored.permitsRange(fields), let specifiers = RangeField.parse(value) else { return nil }
        if extent.total == nil, !specifiers.allSatisfy({ $0.ends(before: extent.range.upperBound) }) { return nil }
        self.init(specifiers, length: extent.total ?? extent.range.upperBound, limit: options.rangeLimit)
        switch self {
        case .whole, .notSatisfiable: return nil
        case .single(let range): guard extent.holds(range) else { return nil }
        case .multiple(let ranges): guard ranges.allSatisfy(extent.holds) else { return nil }
        }
    }

    init(_ specifiers: [RangeSpecifier], length: Int64, limit: Int) {
        let ranges = specifiers.compactMap { $0.resolved(length: length) }
        guard !ranges.isEmpty else {
            self = .notSatisfiable
            return
        }
        let merged = Self.merged(ranges)
        if merged.count == 1, let range = merged.first {
            self = .single(range)
        } else if merged.count > limit || Self.isAbusive(ranges, merged: merged, length: length) {
            self = .whole
        } else {
            // As asked for, unless some had to be joined.
            self = .multiple(merged.count == ranges.count ? ranges : merged)
        }
    }

    /// In order, what overlaps or touches joined.
    private static func merged(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
        var result: [Range<Int64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }

    /// More than two overlaps (RFC 9110 §14.2), or an answer that would be larger than twice the content.
    private static func isAbusive(_ ranges: [Range<Int64>], merged: [Range<Int64>], length: Int64) -> Bool {
        if ranges.count - merged.count > 2 { return true }
        // The heads of parts are nothing beside this, and the sums below stay small.
        if length > 1 << 40 { return false }
        let bytes = merged.reduce(0) { $0 + Int64($1.count) }
        return bytes + Int64(merged.count) * partOverhead > max(length, partOverhead * 2) * 2
    }

    /// A generous guess of what a part's head takes.
    private static let partOverhead: Int64 = 160
}

extension ResponseMetadata {
    /// Whether If-Range, if there is one, names this very representation by a strong validator (RFC 9110 §13.1.5).
    func permitsRange(_ request: Fields) -> Bool {
        guard request.contains(.ifRange) else { return true }
        guard request.count(of: .ifRange) == 1, let value = request.value(of: .ifRange) else { return false }
        if let etag, let tag = EntityTag(value), etag.matchesStrongly(tag) { return true }
        guard let lastModified, hasDate, value == lastModifiedBytes else { return false }
        // Strong only if a second change within its second can be ruled out (RFC 9110 §8.8.2.2).
        return date.seconds > lastModified.seconds
    }
}

/// Values of Content-Range (RFC 9110 §14.4).
public enum ContentRange {
    /// `bytes 0-1/10`, or `bytes 0-1/*` where the length is not known; `range` must not be empty.
    public static func bytes(of range: Range<Int64>, length: Int64?) -> [UInt8] {
        let length = length.map { "\($0)" } ?? "*"
        return Array("bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)".utf8)
    }

    /// `bytes */10`, for a 416.
    public static func bytes(unsatisfiedLength length: Int64) -> [UInt8] { Array("bytes */\(length)".utf8) }
}
