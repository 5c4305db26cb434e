/// Single characters in UTF-8 (RFC 3629).
package enum UTF8Scalar {
    /// The length of the well-formed character at the start of `bytes`; 0 if there is none.
    package static func length(at bytes: ArraySlice<UInt8>) -> Int {
        guard let first = bytes.first else { return 0 }
        if first < 0x80 { return 1 }
        guard var sequence = UTF8Sequence(first: first) else { return 0 }
        var length = 1
        for byte in bytes.dropFirst() {
            guard sequence.accept(byte) else { return 0 }
            length += 1
            if sequence.isComplete { return length }
        }
        return 0
    }

    /// The code point of a well-formed character.
    package static func value(of bytes: ArraySlice<UInt8>) -> UInt32 {
        guard let first = bytes.first else { return 0 }
        let lead = bytes.count == 1 ? first : first & (0x7F >> UInt8(bytes.count))
        return bytes.dropFirst().reduce(UInt32(lead)) { $0 << 6 | UInt32($1 & 0x3F) }
    }

    /// Whether a well-formed character ends lines, moves a terminal's cursor or turns the direction of text.
    package static func isDisruptive(_ bytes: ArraySlice<UInt8>) -> Bool {
        switch value(of: bytes) {
        case 0x00...0x1F, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    /// Appends a code point in UTF-8.
    ///
    /// A surrogate, which UTF-8 cannot encode, becomes three bytes in the same pattern.
    package static func append(_ point: UInt32, to bytes: inout [UInt8]) {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | (point >> shift & 0x3F)) }
        switch point {
        case ..<0x80: bytes.append(UInt8(truncatingIfNeeded: point))
        case ..<0x800:
            bytes.append(UInt8(truncatingIfNeeded: 0xC0 | point >> 6))
            bytes.append(tail(0))
        case ..<0x1_0000:
            bytes.append(UInt8(truncatingIfNeeded: 0xE0 | point >> 12))
            bytes.append(tail(6))
            bytes.append(tail(0))
        default:
            bytes.append(UInt8(truncatingIfNeeded: 0xF0 | point >> 18))
            bytes.append(tail(12))
            bytes.append(tail(6))
            bytes.append(tail(0))
        }
    }
}
