public import HTTPCore

/// A name by which stored responses are purged together: a tag of any origin, or a group of one (RFC 9875).
public struct CacheTag: Sendable, Hashable {
    /// A longer name is none; Fastly has the same limit.
    public static let lengthLimit = 1024

    /// `t` and the name; or `g`, the origin, a line feed and the name.
    ///
    /// No name and no origin has a line feed, so no two tags have one text.
    public let bytes: [UInt8]

    /// A tag; nil if `name` is none: empty, too long, or with a byte that is neither visible ASCII nor a space.
    public init?(_ name: some Sequence<UInt8>) {
        let bytes = [0x74] + Array(name)
        guard (2...Self.lengthLimit + 1).contains(bytes.count), bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return nil
        }
        self.bytes = bytes
    }

    /// The group `name` of an origin; nil if the name is none.
    public init?(group name: [UInt8], of origin: Origin) {
        guard let tag = CacheTag(name) else { return nil }
        bytes = [0x67] + Array(origin.text.utf8) + [0x0A] + tag.name
    }

    /// The tag whose `bytes` these are; nil: they are none.
    public init?(bytes: [UInt8]) {
        self.bytes = bytes
        guard let first = bytes.first, first == 0x74 || first == 0x67, bytes.count <= 4 * Self.lengthLimit,
            bytes.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x0A }), (first == 0x67) == bytes.contains(0x0A)
        else { return nil }
        guard CacheTag(name) != nil else { return nil }
    }

    /// The name, without the origin of a group.
    public var name: [UInt8] {
        let end = bytes.firstIndex(of: 0x0A) ?? 0
        return Array(bytes[(end + 1)...])
    }

    /// A hash that differs in each process, so that no origin can choose names with one hash.
    public var digest: UInt64 { UInt64(truncatingIfNeeded: hashValue) }
}
