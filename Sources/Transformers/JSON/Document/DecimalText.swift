import Formats

/// A parsed JSON number that compares exactly with another, however large or long both are.
///
/// Exponents are exact up to 2^57; larger ones count as 2^57.
struct DecimalText {
    enum Order: Sendable { case less, same, greater }

    private let bytes: ArraySlice<UInt8>
    private let isNegative: Bool
    /// The range from the first digit that is not 0 to the last, perhaps with a point inside; empty for zero.
    private let digits: Range<Int>
    /// The power of ten of the first digit in `digits`.
    private let magnitude: Int

    /// - Parameter bytes: a number that follows the grammar of RFC 8259 §6.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        isNegative = bytes.first == 0x2D
        let mantissaEnd = bytes.firstIndex { $0 | 0x20 == 0x65 } ?? bytes.endIndex
        let mantissa = bytes[..<mantissaEnd]
        let isSignificant = { (byte: UInt8) in byte &- 0x31 < 9 }
        guard let first = mantissa.firstIndex(where: isSignificant),
            let last = mantissa.lastIndex(where: isSignificant)
        else {
            digits = bytes.startIndex..<bytes.startIndex
            magnitude = 0
            return
        }
        digits = first..<last + 1
        let point = mantissa.firstIndex(of: 0x2E) ?? mantissaEnd
        let shift = first < point ? point - first - 1 : point - first
        magnitude = Self.exponent(bytes[mantissaEnd...].dropFirst()) + shift
    }

    /// The exponent, limited to 2^57.
    private static func exponent(_ text: ArraySlice<UInt8>) -> Int {
        var value = 0
        for byte in text where JSONByte.isDigit(byte) {
            value = value * 10 + Int(byte - 0x30)
            if value >= 1 << 57 { value = 1 << 57 }
        }
        return text.first == 0x2D ? -value : value
    }

    /// The order of this number and `other`.
    func compared(to other: DecimalText) -> Order {
        if digits.isEmpty && other.digits.isEmpty { return .same }
        if digits.isEmpty { return other.isNegative ? .greater : .less }
        if other.digits.isEmpty { return isNegative ? .less : .greater }
        if isNegative != other.isNegative { return isNegative ? .less : .greater }
        let order = comparedDigits(to: other)
        guard isNegative else { return order }
        switch order {
        case .less: return .greater
        case .same: return .same
        case .greater: return .less
        }
    }

    private func comparedDigits(to other: DecimalText) -> Order {
        if magnitude != other.magnitude { return magnitude < other.magnitude ? .less : .greater }
        var mine = bytes[digits].makeIterator()
        var theirs = other.bytes[other.digits].makeIterator()
        while true {
            let one = mine.nextDigit()
            let another = theirs.nextDigit()
            // Neither ends with a zero, so the longer one is larger.
            switch (one, another) {
            case (nil, nil): return .same
            case (nil, _): return .less
            case (_, nil): return .greater
            case (let one?, let another?):
                if one != another { return one < another ? .less : .greater }
            }
        }
    }
}

extension IndexingIterator<ArraySlice<UInt8>> {
    /// The next byte that is not a point.
    fileprivate mutating func nextDigit() -> UInt8? {
        let byte = next()
        return byte == 0x2E ? next() : byte
    }
}
