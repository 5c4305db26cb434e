/// A set of ASCII characters, one bit each.
struct ByteClass: Sendable {
    private let low: UInt64
    private let high: UInt64

    @inline(__always)
    init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        guard byte < 0x80 else { return false }
        return (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 != 0
    }

    /// `tchar` (RFC 9110 §5.6.2).
    @inline(__always) static var token: ByteClass { .init(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE) }
    /// The bytes of `reg-name` (RFC 3986 §3.2.2), without escapes and without the comma.
    @inline(__always) static var host: ByteClass { .init(low: 0x2BFF_6FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE) }
    @inline(__always) static var digit: ByteClass { .init(low: 0x03FF_0000_0000_0000, high: 0) }
}

extension UInt8 {
    /// Whether this byte is an ASCII digit.
    @inline(__always) var isDigit: Bool { self &- 0x30 < 10 }
    /// Whether this byte is SP or HTAB.
    @inline(__always) var isBlank: Bool { self == 0x20 || self == 0x09 }
    /// Whether a token may contain this byte (RFC 9110 §5.6.2).
    ///
    /// A switch, which other targets inline; where each byte of a text is asked about, `ByteClass.token` costs less.
    @inlinable package var isTokenByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x5E...0x7A: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x7C, 0x7E: true
        default: false
        }
    }
    /// The value of a hexadecimal digit.
    @inline(__always) var hexDigit: UInt8? {
        if isDigit { return self &- 0x30 }
        let letter = self | 0x20
        return letter &- 0x61 < 6 ? letter &- 0x61 + 10 : nil
    }
}

extension Span<UInt8> {
    /// Returns `range` without blanks at its ends.
    @inline(__always)
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }
}
