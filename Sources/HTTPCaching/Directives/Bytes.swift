import HTTPCore

extension UInt8 {
    /// Whether it is a space or a tab (RFC 9110 §5.6.3).
    var isBlank: Bool { self == 0x20 || self == 0x09 }

    var isDigit: Bool { self &- 0x30 < 10 }
}

extension Span<UInt8> {
    /// `range` without the blanks at its ends.
    func trimming(_ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }
}

extension [UInt8] {
    /// The bytes with `A`…`Z` turned into `a`…`z`.
    var lowercased: [UInt8] { map(\.asciiLowercased) }

    /// The bytes without blanks at their ends.
    var trimmed: [UInt8] { Array(self[span.trimming(0..<count)]) }

    /// The non-empty members of a comma-separated list without quoted strings, trimmed.
    var plainMembers: [[UInt8]] {
        split(separator: 0x2C).map { Array($0).trimmed }.filter { !$0.isEmpty }
    }

    func equalsIgnoringCase(_ other: [UInt8]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}
