public import HTTPCore

/// Which bytes of a representation a response has, if not all of them (RFC 9110 §14.4).
public struct ContentExtent: Sendable, Hashable {
    /// Positions of bytes in the representation, in order; none is empty, and none touches the next.
    public let ranges: [Range<Int64>]
    /// The length of the whole representation, not below the end of the last range; nil if it is not known.
    public let total: Int64?

    /// Nil if the numbers contradict each other.
    public init?(_ range: Range<Int64>, total: Int64?) {
        guard range.lowerBound >= 0, !range.isEmpty, range.upperBound <= total ?? .max else { return nil }
        ranges = [range]
        self.total = total
    }

    /// No bytes yet of a representation of this length.
    public init(nothingOf total: Int64) {
        ranges = []
        self.total = total
    }

    /// These bytes, and those of `range`; nil if that does not fit into the representation.
    public func adding(_ range: Range<Int64>) -> ContentExtent? {
        guard let new = ContentExtent(range, total: total) else { return nil }
        return ContentExtent(joining: (ranges + new.ranges).merged, total: total)
    }

    private init(joining ranges: [Range<Int64>], total: Int64?) {
        self.ranges = ranges
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
        if ranges.count != 1 { return nil }
    }

    /// Parses the format of `text`; nil for anything else.
    public init?(text: ArraySlice<UInt8>) {
        guard let slash = text.firstIndex(of: 0x2F) else { return nil }
        let length = text[(slash + 1)...]
        var total: Int64?
        if !length.elementsEqual([0x2A]) {
            guard let number = RangeField.number(length), number < .max else { return nil }
            total = number
        }
        var ranges: [Range<Int64>] = []
        for member in text[..<slash].split(separator: 0x2C, omittingEmptySubsequences: false) {
            guard let range = Self.range(member), range.lowerBound > ranges.last?.upperBound ?? -1 else { return nil }
            ranges.append(range)
        }
        guard let last = ranges.last, last.upperBound <= total ?? .max else { return nil }
        self.init(joining: ranges, total: total)
    }

    private static func range(_ text: ArraySlice<UInt8>) -> Range<Int64>? {
        guard let dash = text.firstIndex(of: 0x2D), let first = RangeField.number(text[..<dash]),
            let last = RangeField.number(text[(dash + 1)...]), first <= last, last < .max
        else { return nil }
        return first..<(last + 1)
    }

    /// The value of Content-Range without the unit: `0-4/10`, or `0-4/*`; several ranges as `0-4,8-9/10`.
    public var text: String {
        let members = ranges.map { "\($0.lowerBound)-\($0.upperBound - 1)" }.joined(separator: ",")
        return members + "/" + (total.map { "\($0)" } ?? "*")
    }

    /// The number of bytes.
    public var count: Int64 { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } }
    /// Whether these are all bytes of the representation.
    public var isWhole: Bool { total.map { $0 > 0 && ranges == [0..<$0] } ?? false }
    /// The end of the last range.
    var end: Int64 { ranges.last?.upperBound ?? 0 }

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
        return ranges.allSatisfy { first <= $0.lowerBound && $0.upperBound - 1 <= last }
    }

    /// The one range that a request asks for, to its end or as far as there are bytes; nil: none, or several.
    public static func asked(_ request: Fields) -> Range<Int64>? {
        guard request.count(of: .range) == 1, let members = request.value(of: .range).flatMap(RangeField.parse),
            members.count == 1, case .from(let first, let last)? = members.first
        else { return nil }
        // A number too large for any content is `.max`, and must not wrap.
        return first..<max(first, last.map { $0 < .max ? $0 + 1 : .max } ?? .max)
    }

    /// Whether a request asks for several ranges.
    public static func asksForSeveral(_ request: Fields) -> Bool {
        guard request.count(of: .range) == 1 else { return false }
        return (request.value(of: .range).flatMap(RangeField.parse)?.count ?? 0) > 1
    }

    /// Whether `next` has all bytes behind these, by its numbers; these must be the first ones.
    func isCompleted(by next: ContentExtent) -> Bool {
        ranges == [0..<end] && next.ranges == [end..<(next.total ?? end)] && (total == nil || total == next.total)
    }

    /// The first `count` of its bytes, if they are in one range; nil if there are fewer, or several ranges.
    public func prefix(_ count: Int64) -> ContentExtent? {
        guard ranges.count == 1, count >= 0, count <= self.count else { return nil }
        if count == 0 { return total.map { ContentExtent(nothingOf: $0) } }
        return ContentExtent(ranges[0].lowerBound..<(ranges[0].lowerBound + count), total: total)
    }

    /// Whether it has all bytes of `part`.
    public func contains(_ part: Range<Int64>) -> Bool {
        ranges.contains { part.lowerBound >= $0.lowerBound && part.upperBound <= $0.upperBound }
    }

    /// The bytes from `position` to the end of the range that has it; nil if none has it.
    public func rest(from position: Int64) -> Range<Int64>? {
        ranges.first { $0.contains(position) }.map { position..<$0.upperBound }
    }

    /// The first bytes of `part` that are missing: up to the next range, or to the end of `part`; nil if it has all.
    public func firstHole(in part: Range<Int64>) -> Range<Int64>? {
        let start = rest(from: part.lowerBound)?.upperBound ?? part.lowerBound
        guard start < part.upperBound else { return nil }
        let next = ranges.first { $0.lowerBound > start }?.lowerBound ?? .max
        return start..<min(next, part.upperBound)
    }

    /// How many of these bytes are before `position`.
    public func count(before position: Int64) -> Int64 {
        ranges.reduce(0) { $0 + max(0, min($1.upperBound, position) - $1.lowerBound) }
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

extension [Range<Int64>] {
    /// The ranges in order, with those joined that overlap or touch.
    var merged: [Range<Int64>] {
        var result: [Range<Int64>] = []
        for range in sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }
}
