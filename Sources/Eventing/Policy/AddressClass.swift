public import HTTPCore

extension IPAddress {
    /// The kind of this address, which decides whether it may be connected to.
    ///
    /// An IPv6 address that embeds an IPv4 address has the worse kind of the two (H-063).
    public var addressClass: AddressClass {
        switch self {
        case .v4(let bits): return AddressClass(v4: bits)
        case .v6(let high, let low):
            let own = AddressClass(v6: high, low)
            let embedded = embeddedIPv4.map { AddressClass(v4: $0) }
            return embedded.reduce(own) { $1.severity > $0.severity ? $1 : $0 }
        }
    }
}

/// Kinds of addresses that rules distinguish.
public enum AddressClass: String, Sendable, Hashable, CaseIterable {
    case global
    case loopback
    /// Private, unique local, site-local and shared (100.64/10) networks.
    case `private`
    case linkLocal = "link-local"
    /// The known addresses at which clouds give a machine its own data, credentials included.
    case metadata
    case multicast
    case broadcast
    case unspecified

    /// If an address has two kinds, the more severe one counts; the kinds that are never allowed come last.
    fileprivate var severity: Int {
        switch self {
        case .global: 0
        case .private: 1
        case .loopback: 2
        case .unspecified: 3
        case .broadcast: 4
        case .multicast: 5
        case .linkLocal: 6
        case .metadata: 7
        }
    }

    init(v4 bits: UInt32) {
        func within(_ network: UInt32, _ length: UInt32) -> Bool { (bits ^ network) >> (32 - length) == 0 }
        self =
            if MetadataAddress.isKnown(v4: bits) {
                .metadata
            } else if bits == .max {
                .broadcast
            } else if within(0, 8) {
                .unspecified
            } else if within(0x7F00_0000, 8) {
                .loopback
            } else if within(0xA9FE_0000, 16) {
                .linkLocal
            } else if within(0xE000_0000, 4) {
                .multicast
            } else if within(0x0A00_0000, 8) || within(0xAC10_0000, 12) || within(0xC0A8_0000, 16)
                || within(0x6440_0000, 10)
            {
                .private
            } else {
                .global
            }
    }

    /// The kind of an IPv6 address by itself, without an embedded address.
    fileprivate init(v6 high: UInt64, _ low: UInt64) {
        let first = UInt16(truncatingIfNeeded: high >> 48)
        self =
            if high == 0 && low == 0 {
                .unspecified
            } else if high == 0 && low == 1 {
                .loopback
            } else if MetadataAddress.isKnown(v6: high, low) {
                .metadata
            } else if first & 0xFFC0 == 0xFE80 {
                .linkLocal
            } else if first & 0xFF00 == 0xFF00 {
                .multicast
            } else if first & 0xFE00 == 0xFC00 || first & 0xFFC0 == 0xFEC0 {
                .private
            } else {
                .global
            }
    }
}
