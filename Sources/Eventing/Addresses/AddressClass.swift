public import HTTPCore

extension IPAddress {
    /// What kind of address this is; decides whether it may be connected to.
    public var addressClass: AddressClass {
        switch unmapped {
        case .v4(let bits): AddressClass(v4: bits)
        case .v6(let high, let low): AddressClass(v6: high, low)
        }
    }
}

/// Kinds of addresses, as far as rules tell them apart.
public enum AddressClass: String, Sendable, Hashable, CaseIterable {
    case global
    case loopback
    /// Private, unique local, site-local and shared (100.64/10) networks.
    case `private`
    case linkLocal = "link-local"
    /// The well-known addresses of cloud machines' own data, credentials included.
    case metadata
    case multicast
    case broadcast
    case unspecified

    /// 169.254.169.254 and its kin at several providers.
    private static let metadataV4: Set<UInt32> = [0xA9FE_A9FE, 0xA9FE_AA02, 0x6464_64C8, 0xA83F_8110, 0xC000_00C0]

    init(v4 bits: UInt32) {
        func within(_ network: UInt32, _ length: UInt32) -> Bool { (bits ^ network) >> (32 - length) == 0 }
        self =
            if Self.metadataV4.contains(bits) {
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

    init(v6 high: UInt64, _ low: UInt64) {
        let first = UInt16(truncatingIfNeeded: high >> 48)
        self =
            if high == 0 && low == 0 {
                .unspecified
            } else if high == 0 && low == 1 {
                .loopback
            } else if high == 0 && low >> 32 == 0 {
                // IPv4-compatible: what stacks make of it is the IPv4 address.
                AddressClass(v4: UInt32(truncatingIfNeeded: low))
            } else if high == 0x0064_FF9B_0000_0000 && low >> 32 == 0 {
                // NAT64 leads to the IPv4 address.
                AddressClass(v4: UInt32(truncatingIfNeeded: low))
            } else if high == 0xFD00_0EC2_0000_0000 && low == 0x254 {
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
