/// Reads UTF-8 one scalar at a time (RFC 3629 §4).
enum UTF8Scalar {
    /// Bytes of the well-formed scalar at the start of `bytes`; 0 if there is none.
    static func length(at bytes: ArraySlice<UInt8>) -> Int {
        guard let first = bytes.first else { return 0 }
        if first < 0x80 { return 1 }
        let count: Int
        let second: ClosedRange<UInt8>
        switch first {
        case 0xC2...0xDF: (count, second) = (2, 0x80...0xBF)
        case 0xE0: (count, second) = (3, 0xA0...0xBF)
        case 0xED: (count, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (count, second) = (3, 0x80...0xBF)
        case 0xF0: (count, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (count, second) = (4, 0x80...0xBF)
        case 0xF4: (count, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard bytes.count >= count, second.contains(bytes[bytes.startIndex + 1]) else { return 0 }
        return bytes.prefix(count).dropFirst(2).allSatisfy { (0x80...0xBF).contains($0) } ? count : 0
    }

    /// The value of a well-formed scalar.
    static func value(of bytes: ArraySlice<UInt8>) -> UInt32 {
        guard let first = bytes.first else { return 0 }
        let lead = bytes.count == 1 ? first : first & (0x7F >> UInt8(bytes.count))
        return bytes.dropFirst().reduce(UInt32(lead)) { $0 << 6 | UInt32($1 & 0x3F) }
    }

    /// A well-formed scalar that ends lines, moves a terminal's cursor or turns the direction of text.
    static func isDisruptive(_ bytes: ArraySlice<UInt8>) -> Bool {
        switch value(of: bytes) {
        case 0x00...0x1F, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
