/// An address of IPv4 or IPv6, in network order.
public struct IPAddress: Sendable, Hashable {
    /// 4 or 16 octets.
    public let octets: [UInt8]

    /// Nil unless there are 4 or 16 octets.
    public init?(octets: [UInt8]) {
        guard octets.count == 4 || octets.count == 16 else { return nil }
        self.octets = octets
    }

    public var isIPv4: Bool { octets.count == 4 }

    /// The IPv4 address that `::ffff:a.b.c.d` means, any other address unchanged.
    public var unmapped: IPAddress {
        let prefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        guard octets.count == 16, octets.starts(with: prefix) else { return self }
        return IPAddress(octets: Array(octets[12...])) ?? self
    }

    /// 127/8 or `::1`, also mapped.
    public var isLoopback: Bool {
        let address = unmapped
        return address.isIPv4 ? address.octets[0] == 127 : address.octets == [UInt8](repeating: 0, count: 15) + [1]
    }
}

/// All addresses that share a prefix (RFC 4632): `127.0.0.0/8`, `::1`.
public struct AddressRange: Sendable, Hashable {
    public let base: IPAddress
    /// Bits that count; 0 holds every address of the family.
    public let prefixLength: Int

    /// Reads `ADDRESS` or `ADDRESS/BITS`; nil if it is neither, or if bits behind the prefix are set.
    public init?(text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let base = IPAddress(text: String(first)) else { return nil }
        let width = base.octets.count * 8
        var length = width
        if parts.count == 2 {
            guard let bits = Int(parts[1]), (0...width).contains(bits), parts[1].utf8.first != UInt8(ascii: "+") else {
                return nil
            }
            length = bits
        }
        self.base = base
        self.prefixLength = length
        guard Self.masked(base.octets, length) == base.octets else { return nil }
    }

    /// An IPv4 address mapped to IPv6 counts as the IPv4 address.
    public func contains(_ address: IPAddress) -> Bool {
        let octets = address.unmapped.octets
        return octets.count == base.octets.count && Self.masked(octets, prefixLength) == base.octets
    }

    private static func masked(_ octets: [UInt8], _ length: Int) -> [UInt8] {
        octets.enumerated().map { index, octet in
            let kept = min(8, max(0, length - index * 8))
            return kept == 0 ? 0 : octet & (0xFF << UInt8(8 - kept))
        }
    }
}

extension AddressRange: CustomStringConvertible {
    public var description: String {
        prefixLength == base.octets.count * 8 ? base.description : "\(base)/\(prefixLength)"
    }
}
