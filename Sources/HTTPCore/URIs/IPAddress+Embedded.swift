extension IPAddress {
    /// The IPv4 addresses that this IPv6 address may lead to by translation or a tunnel; most have none.
    ///
    /// If the form does not say which bytes are the address, it returns all readings: a caller that judges the address
    /// must assume the worst.
    public var embeddedIPv4: [UInt32] {
        guard case .v6(let high, let low) = self else { return [] }
        let last = UInt32(truncatingIfNeeded: low)
        return Self.embedded(inNetwork: high, low, last) + (Self.isISATAP(low) ? [last] : [])
    }

    /// The embedded IPv4 addresses, by the network half.
    private static func embedded(inNetwork high: UInt64, _ low: UInt64, _ last: UInt32) -> [UInt32] {
        switch high {
        // IPv4-mapped (RFC 4291 §2.5.5.2), IPv4-translated (RFC 2765 §2.1), IPv4-compatible (RFC 4291 §2.5.5.1).
        case 0 where low >> 32 == 0xFFFF || low >> 32 == 0xFFFF_0000 || (low >> 32 == 0 && low > 1): [last]
        // NAT64's well-known prefix (RFC 6052 §2.1).
        case 0x0064_FF9B_0000_0000 where low >> 32 == 0: [last]
        // NAT64's local prefix (RFC 8215).
        case _ where high >> 16 == 0x0064_FF9B_0001: readings(high, low)
        // 6to4 (RFC 3056 §2).
        case _ where high >> 48 == 0x2002: [UInt32(truncatingIfNeeded: high >> 16)]
        // Teredo (RFC 4380 §4): its server, and the client's address with all bits inverted.
        case _ where high >> 32 == 0x2001_0000: [UInt32(truncatingIfNeeded: high), ~last]
        default: []
        }
    }

    /// Whether it is an ISATAP address (RFC 5214 §6.1), in any network; two bits depend on the kind of the IPv4
    /// address.
    private static func isISATAP(_ low: UInt64) -> Bool { low >> 32 & 0xFCFF_FFFF == 0x0000_5EFE }

    /// The addresses that an operator's prefix within 64:ff9b:1::/48 may embed, one for each length (RFC 6052 §2.2).
    ///
    /// Byte 8 is never a part of one. An address in 0.0.0.0/8 leads nowhere: its bytes are prefix or padding.
    private static func readings(_ high: UInt64, _ low: UInt64) -> [UInt32] {
        let rest = low << 8
        let found = [
            UInt32(truncatingIfNeeded: (high & 0xFFFF) << 16 | rest >> 48),
            UInt32(truncatingIfNeeded: (high & 0xFF) << 24 | rest >> 40),
            UInt32(truncatingIfNeeded: rest >> 32),
            UInt32(truncatingIfNeeded: low),
        ]
        .filter { $0 >> 24 != 0 }
        return found.isEmpty ? [0] : found
    }
}
