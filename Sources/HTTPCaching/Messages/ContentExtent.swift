public import HTTPCore

/// Which bytes of a representation a response has, if not all of them (RFC 9110 §14.4).
public struct ContentExtent: Sendable, Hashable {
    /// Positions of bytes in the representation; never empty.
    public let range: Range<Int64>
    /// The length of the whole representation, not below the end of `range`; nil if it is not known.
    public let total: Int64?

    /// Nil if the numbers contradict each other.
    public init?(_ range: Range<Int64>, total: Int64?) {
        guard range.lowerBound >= 0, !range.isEmpty, range.upperBound <= total ?? .max else { return nil }
        self.range = range
        self.total = total
    }

    /// The bytes of a 206 with one part.
    ///
    /// Nil if it is multipart, or does not have exactly one Content-Range in bytes. Nil also if its numbers contradict
    /// each other, the length of the content, or the request (H-109).
    /// - Parameters:
    ///   - length: the length of the content, if its framing announces that.
    ///   - request: the fields of the request that it answers.
    public init?(partialContent fields: Fields, length: Int64?, for request: Fields) {
        self.init(partialContent: fields, length: length)
        guard request.count(of: .range) == 1, let asked = request.value(of: .range).flatMap(RangeField.parse) else {
            return nil
        }
        if !isAnswer(to: asked) { return nil }
    }

    /// The same, without a check against the request.
    init?(partialContent fields: Fields, length: Int64?) {
        guard fields.count(of: .contentRange) == 1, let value = fields.value(of: .contentRange) else { return nil }
        let type = fields.withValue(of: .contentType) { MediaType($0) } ?? nil
        if let type, type.isByteRanges { return nil }
        self.init(contentRange: value)
        if let length, length != count { return nil }
    }

    /// Parses a Content-Range value, such as `bytes 0-4/10` or `bytes 0-4/*`; nil if it is no range of bytes.
    init?(contentRange value: [UInt8]) {
        guard let space = value.firstIndex(of: 0x20) else { return nil }
        guard Array(value[..<space]).equalsIgnoringCase(Array("bytes".utf8)) else { return nil }
        self.init(text: value[(space + 1)...])
    }

    /// Parses the format of `text`; nil for anything else.
    public init?(text: ArraySlice<UInt8>) {
        guard let slash = text.firstIndex(of: 0x2F), let dash = text[..<slash].firstIndex(of: 0x2D) else { return nil }
        guard let first = RangeField.number(text[..<dash]), let last = RangeField.number(text[(dash + 1)..<slash]),
            first <= last, last < .max
        else { return nil }
        let length = text[(slash + 1)...]
        if length.elementsEqual([0x2A]) {
            self.init(first..<(last + 1), total: nil)
        } else if let total = RangeField.number(length), total < .max {
            self.init(first..<(last + 1), total: total)
        } else {
            return nil
        }
    }

    /// The value of Content-Range without the unit: `0-4/10`, or `0-4/*`.
    public var text: String { "\(range.lowerBound)-\(range.upperBound - 1)/\(total.map { "\($0)" } ?? "*")" }

    /// The number of bytes.
    public var count: Int64 { range.upperBound - range.lowerBound }
    /// Whether these are all bytes of the representation.
    public var isWhole: Bool { range.lowerBound == 0 && range.upperBound == total }
    /// Whether these are the first bytes of the representation.
    public var isPrefix: Bool { range.lowerBound == 0 }

    /// Whether an origin may send this part for these ranges; for several ranges it may also have the gaps between
    /// them.
    ///
    /// Only the origin knows the length, and with it the position of a suffix.
    private func isAnswer(to asked: [RangeSpecifier]) -> Bool {
        var (first, last) = (Int64.max, Int64(0))
        for specifier in asked {
            switch specifier {
            case .from(let start, let end): (first, last) = (min(first, start), max(last, end ?? .max))
            case .suffix(let length): return asked.count > 1 || count <= length
            }
        }
        return first <= range.lowerBound && range.upperBound - 1 <= last
    }

    /// Whether it has all bytes of `part`.
    public func contains(_ part: Range<Int64>) -> Bool {
        part.lowerBound >= range.lowerBound && part.upperBound <= range.upperBound
    }

    /// Whether `next` has all bytes behind these, by its numbers.
    public func isCompleted(by next: ContentExtent) -> Bool {
        isPrefix && next.range.lowerBound == range.upperBound && next.range.upperBound == next.total
            && (total == nil || total == next.total)
    }
}

extension StoredFields {
    /// The fields of the whole representation: without Content-Range, and with its own Content-Length, if that is
    /// known.
    ///
    /// - Parameter fields: the fields of a response with a part of it.
    public static func ofWhole(_ fields: Fields, length: Int64?) -> Fields {
        var whole = fields
        whole.remove(.contentRange)
        if let length { whole.set(.contentLength, "\(length)") } else { whole.remove(.contentLength) }
        return whole
    }
}

extension MediaType {
    /// Whether it is `multipart/byteranges`, where each part has its own range.
    fileprivate var isByteRanges: Bool { essence == Array("multipart/byteranges".utf8) }
}
