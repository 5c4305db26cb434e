/// Classes of octets in JSON text (RFC 8259).
package enum JSONOctet {
    @inline(__always)
    package static func isDigit(_ octet: UInt8) -> Bool { octet &- 0x30 < 10 }

    /// SP, HTAB, LF, CR.
    @inline(__always)
    package static func isBlank(_ octet: UInt8) -> Bool {
        octet == 0x20 || octet == 0x0A || octet == 0x0D || octet == 0x09
    }

    /// What a string holds as it is, other than characters beyond ASCII.
    @inline(__always)
    package static func isPlain(_ octet: UInt8) -> Bool {
        octet >= 0x20 && octet < 0x80 && octet != 0x22 && octet != 0x5C
    }

    /// The value of a hexadecimal digit.
    @inline(__always)
    package static func hexadecimal(_ octet: UInt8) -> UInt32? {
        if isDigit(octet) { return UInt32(octet &- 0x30) }
        let letter = octet | 0x20
        return letter &- 0x61 < 6 ? UInt32(letter &- 0x61 &+ 10) : nil
    }

    /// The character a two-character escape stands for; nil if there is no such escape.
    package static func unescaped(_ octet: UInt8) -> UInt8? {
        switch octet {
        case 0x22, 0x2F, 0x5C: octet
        case 0x62: 0x08
        case 0x66: 0x0C
        case 0x6E: 0x0A
        case 0x72: 0x0D
        case 0x74: 0x09
        default: nil
        }
    }

    /// Appends a code point in UTF-8; a surrogate on its own in the same way, in three octets.
    package static func append(_ point: UInt32, to octets: inout [UInt8]) {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | (point >> shift & 0x3F)) }
        switch point {
        case ..<0x80: octets.append(UInt8(truncatingIfNeeded: point))
        case ..<0x800: octets.append(contentsOf: [UInt8(truncatingIfNeeded: 0xC0 | point >> 6), tail(0)])
        case ..<0x1_0000:
            octets.append(contentsOf: [UInt8(truncatingIfNeeded: 0xE0 | point >> 12), tail(6), tail(0)])
        default:
            octets.append(contentsOf: [UInt8(truncatingIfNeeded: 0xF0 | point >> 18), tail(12), tail(6), tail(0)])
        }
    }
}
