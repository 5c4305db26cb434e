/// Classes of bytes in JSON text (RFC 8259).
package enum JSONByte {
    @inline(__always)
    package static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    /// Whether the byte is SP, HTAB, LF or CR.
    @inline(__always)
    package static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Whether this ASCII byte may be in a string without an escape.
    @inline(__always)
    package static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != 0x22 && byte != 0x5C
    }

    /// The character that a two-character escape means; nil if no escape ends with this byte.
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
}
