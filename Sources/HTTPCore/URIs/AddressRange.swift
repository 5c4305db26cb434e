/// All addresses that share a prefix (RFC 4632): `127.0.0.0/8`, `::1`.
public struct AddressRange: Sendable, Hashable {
    public let base: IPAddress
    /// The number of bits in the prefix; with 0 it contains every address of the family.
    public let prefixLength: Int

    /// Reads `ADDRESS` or `ADDRESS/BITS`; nil for other text, or if bits after the prefix are set.
    public init?(text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let base = IPAddress(text: String(first)) else { return nil }
        let width = base.bytes.count * 8
        var length = width
        if parts.count == 2 {
            guard let bits = Int(parts[1]), (0...width).contains(bits), parts[1].utf8.first != UInt8(ascii: "+") else {
                return nil
            }
            length = bits
        }
        self.base = base
        self.prefixLength = length
        guard Self.masked(base.bytes, length) == base.bytes else { return nil }
    }

    /// An IPv4 address mapped to IPv6 counts as the IPv4 address.
    public func contains(_ address: IPAddress) -> Bool {
        let bytes = address.unmapped.bytes
        return bytes.count == base.bytes.count && Self.masked(bytes, prefixLength) == base.bytes
    }

    private static func masked(_ bytes: [UInt8], _ length: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let kept = min(8, max(0, length - index * 8))
            return kept == 0 ? 0 : byte & (0xFF << UInt8(8 - kept))
        }
    }
}

extension AddressRange: CustomStringConvertible {
    public var description: String {
        prefixLength == base.bytes.count * 8 ? base.description : "\(base)/\(prefixLength)"
    }
}
