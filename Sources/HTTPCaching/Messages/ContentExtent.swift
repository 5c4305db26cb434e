public import HTTPCore

/// Which bytes of a representation a response holds, where that is not all of them (RFC 9110 §14.4).
public struct ContentExtent: Sendable, Hashable {
    /// Places in the representation; never empty.
    public let range: Range<Int64>
    /// The length of the whole representation, not below the end of `range`; nil if nobody has told.
    public let total: Int64?

    /// Nil if the numbers contradict each other.
    public init?(_ range: Range<Int64>, total: Int64?) {
        guard range.lowerBound >= 0, !range.isEmpty, range.upperBound <= total ?? .max else { return nil }
        self.range = range
        self.total = total
    }

    /// The bytes a 206 with one part holds.
    ///
    /// Nil where its head does not tell so that one can rely on it: it is multipart, has not exactly one Content-Range in
    /// bytes, or the numbers contradict each other, the length of the content or what was asked (H-109).
    /// - Parameters:
    ///   - length: of the content, if its framing announces that.
    ///   - request: the fields of the request it answers.
    public init?(partialContent fields: Fields, length: Int64?, for request: Fields) {
        self.init(partialContent: fields, length: length)
        guard request.count(of: .range) == 1, let asked = request.value(of: .range).flatMap(RangeField.parse) else {
            return nil
        }
        if !isAnswer(to: asked) { return nil }
    }

    /// As above, whatever was asked.
    init?(partialContent fields: Fields, length: Int64?) {
        guard fields.count(of: .contentRange) == 1, let value = fields.value(of: .contentRange) else { return nil }
        let type = fields.withValue(of: .contentType) { MediaType($0) } ?? nil
        if let type, type.isByteRanges { return nil }
        self.init(contentRange: value)
        if let length, length != count { return nil }
    }

    /// Of a Content-Range value, such as `bytes 0-4/10` or `bytes 0-4/*`; nil if it names no range of bytes.
    init?(contentRange value: [UInt8]) {
        guard let space = value.firstIndex(of: 0x20) else { return nil }
        guard Array(value[..<space]).equalsIgnoringCase(Array("bytes".utf8)) else { return nil }
        self.init(text: value[(space + 1)...])
    }

    /// Of `text`; nil if it is none.
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

    /// As Content-Range has it, without the unit: `0-4/10`, or `0-4/*`.
    public var text: String { "\(range.lowerBound)-\(range.upperBound - 1)/\(total.map { "\($0)" } ?? "*")" }

    /// The number of bytes.
    public var count: Int64 { range.upperBound - range.lowerBound }
    /// Whether these are all bytes of the representation.
    public var isWhole: Bool { range.lowerBound == 0 && range.upperBound == total }
    /// Whether these are the first bytes of the representation.
    public var isPrefix: Bool { range.lowerBound == 0 }

    /// Whether an origin may send this one part for what was asked: of several ranges also with the gaps between them.
    ///
    /// Where a suffix lies is for the origin to say, which knows the length.
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

    public func holds(_ part: Range<Int64>) -> Bool {
        part.lowerBound >= range.lowerBound && part.upperBound <= range.upperBound
    }

    /// Whether `next` is all that is missing behind these bytes, as far as the numbers tell.
    public func isCompleted(by next: ContentExtent) -> Bool {
        isPrefix && next.range.lowerBound == range.upperBound && next.range.upperBound == next.total
            && (total == nil || total == next.total)
    }
}

extension StoredFields {
    /// The fields of the whole representation: without Content-Range, Content-Length as the whole has it, if that is known.
    ///
    /// - Parameter fields: of a response that holds a part.
    public static func ofWhole(_ fields: Fields, length: Int64?) -> Fields {
        var whole = fields
        whole.remove(.contentRange)
        if let length { whole.set(.contentLength, "\(length)") } else { whole.remove(.contentLength) }
        return whole
    }
}

extension MediaType {
    /// `multipart/byteranges`: the parts say what they hold.
    fileprivate var isByteRanges: Bool { essence == Array("multipart/byteranges".utf8) }
}
