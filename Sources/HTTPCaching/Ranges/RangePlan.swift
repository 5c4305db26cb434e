public import HTTPCore

/// How to answer a request for ranges from stored content (RFC 9110 §14, §15.3.7).
///
/// Ranges are positions of bytes in the content.
public enum RangePlan: Sendable, Equatable {
    /// Send the whole, with the stored status.
    case whole
    /// Send a 206 with one Content-Range.
    case single(Range<Int64>)
    /// Send a 206 as multipart/byteranges: at least two ranges, which do not overlap.
    case multiple([Range<Int64>])
    /// Send a 416 with `Content-Range: bytes */N`.
    case notSatisfiable

    /// Plans the response to a request whose conditions hold, from stored content of `length` bytes.
    ///
    /// The plan is the whole if the Range is malformed, of another unit, or larger than `options` allow, or if If-Range
    /// does not match.
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

    /// Plans the response to a request whose conditions hold, from a stored part of the content.
    ///
    /// Nil if the request is for the whole, or for bytes that the part does not have. Nil also for a range that depends
    /// on an unknown length (RFC 9111 §3.3).
    /// - Parameters:
    ///   - stored: the response that has the part.
    ///   - extent: the bytes of the part.
    public init?(
        method: Method,
        fields: Fields,
        stored: ResponseMetadata,
        extent: ContentExtent,
        options: CachingOptions
    ) {
        guard method == .get, fields.count(of: .range) == 1, let value = fields.value(of: .range) else { return nil }
        guard stored.permitsRange(fields), let specifiers = RangeField.parse(value) else { return nil }
        if extent.total == nil, !specifiers.allSatisfy({ $0.ends(before: extent.end) }) { return nil }
        self.init(specifiers, length: extent.total ?? extent.end, limit: options.rangeLimit)
        switch self {
        case .whole, .notSatisfiable: return nil
        case .single(let range): guard extent.contains(range) else { return nil }
        case .multiple(let ranges): guard ranges.allSatisfy(extent.contains) else { return nil }
        }
    }

    /// Plans the response to a GET of a representation of `length` bytes of which some are stored, and others loaded.
    ///
    /// Nil if If-Range names another representation, or no byte of this one is wanted.
    public init?(assembling length: Int64, of stored: ResponseMetadata, fields: Fields, options: CachingOptions) {
        self = .whole
        // The length is what an origin claims: sums of what lies below this bound cannot overflow.
        guard length > 0, length < Self.assemblyLimit else { return nil }
        guard fields.contains(.range) else { return }
        guard fields.count(of: .range) == 1, let value = fields.value(of: .range) else { return }
        guard stored.permitsRange(fields) else { return nil }
        guard let specifiers = RangeField.parse(value) else { return }
        self.init(specifiers, length: length, limit: options.rangeLimit)
        if self == .notSatisfiable { return nil }
    }

    /// A representation this long, in bytes, is not assembled: 1 PiB.
    private static let assemblyLimit: Int64 = 1 << 50

    /// The ranges of the representation that the response has, in its order.
    public func ranges(of length: Int64) -> [Range<Int64>] {
        switch self {
        case .whole: [0..<length]
        case .single(let range): [range]
        case .multiple(let ranges): ranges
        case .notSatisfiable: []
        }
    }

    init(_ specifiers: [RangeSpecifier], length: Int64, limit: Int) {
        let ranges = specifiers.compactMap { $0.resolved(length: length) }
        guard !ranges.isEmpty else {
            self = .notSatisfiable
            return
        }
        let merged = ranges.merged
        if merged.count == 1, let range = merged.first {
            self = .single(range)
        } else if merged.count > limit || Self.isAbusive(ranges, merged: merged, length: length) {
            self = .whole
        } else {
            // In the order of the request, unless some had to be joined.
            self = .multiple(merged.count == ranges.count ? ranges : merged)
        }
    }

    /// Whether there are more than two overlaps (RFC 9110 §14.2), or the response would be twice as large as the
    /// content.
    private static func isAbusive(_ ranges: [Range<Int64>], merged: [Range<Int64>], length: Int64) -> Bool {
        if ranges.count - merged.count > 2 { return true }
        // Beside so much content the heads of parts are negligible, and the sums below stay small.
        if length > 1 << 40 { return false }
        let bytes = merged.reduce(0) { $0 + Int64($1.count) }
        return bytes + Int64(merged.count) * partOverhead > max(length, partOverhead * 2) * 2
    }

    /// A generous guess of the size of a part's head.
    private static let partOverhead: Int64 = 160
}

extension ResponseMetadata {
    /// Whether If-Range, if there is one, has a strong validator of this very representation (RFC 9110 §13.1.5).
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
