/// Classes of bytes in JSON text (RFC 8259).
package enum JSONByte {
    @inline(__always)
    package static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    /// SP, HTAB, LF, CR.
    @inline(__always)
    package static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// What a string holds as it is, other than characters beyond ASCII.
    @inline(__always)
    package static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != 0x22 && byte != 0x5C
    }

    /// The value of a hexadecimal digit.
    @inline(__always)
    package static func hexadecimal(_ byte: UInt8) -> UInt32? {
        if isDigit(byte) { return UInt32(byte &- 0x30) }
        let letter = byte | 0x20
        return letter &- 0x61 < 6 ? UInt32(letter &- 0x61 &+ 10) : nil
    }

    /// The character a two-character escape stands for; nil if there is no such escape.
    package static func unescaped(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x22, 0x2F, 0x5C: byte
        case 0x62: 0x08
        case 0x66: 0x0C
        case 0x6E: 0x0A
        case 0x72: 0x0D
        case 0x74: 0x09
        default: nil
        }
    }

    /// Appends a code point in UTF-8; a surrogate on its own in the same way, in three bytes.
    package static func append(_ point: UInt32, to bytes: inout [UInt8]) {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | (point >> shift & 0x3F)) }
        switch point {
        case ..<0x80: bytes.append(UInt8(truncatingIfNeeded: point))
        case ..<0x800: bytes.append(contentsOf: [UInt8(truncatingIfNeeded: 0xC0 | point >> 6), tail(0)])
        case ..<0x1_0000:
            bytes.append(contentsOf: [UInt8(truncatingIfNeeded: 0xE0 | point >> 12), tail(6), tail(0)])
        default:
            bytes.append(contentsOf: [UInt8(truncatingIfNeeded: 0xF0 | point >> 18), tail(12), tail(6), tail(0)])
        }
    }
}
