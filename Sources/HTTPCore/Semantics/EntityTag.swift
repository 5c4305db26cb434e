/// An entity tag (RFC 9110 §8.8.3): opaque octets, quotes included, and whether an exact `W/` stands before them.
///
/// A tag without quotes, as some servers send it, is compared octet by octet like any other.
public struct EntityTag: Sendable, Hashable {
    public var opaque: [UInt8]
    public var isWeak: Bool

    public init(isWeak: Bool, opaque: [UInt8]) {
        self.isWeak = isWeak
        self.opaque = opaque
    }

    /// Reads a field value or list member; nil if it is empty.
    public init?(_ octets: Span<UInt8>) {
        let range = octets.trimmed(0..<octets.count)
        let start = range.lowerBound
        isWeak = range.count >= 2 && octets[start] == 0x57 && octets[start + 1] == 0x2F
        opaque = [UInt8](copying: octets.extracting(isWeak ? start + 2..<range.upperBound : range))
        guard !opaque.isEmpty else { return nil }
    }

    public init?(_ octets: [UInt8]) { self.init(octets.span) }

    /// The tag as it is sent.
    public var octets: [UInt8] { isWeak ? [0x57, 0x2F] + opaque : opaque }

    /// Both strong and equal.
    public func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// Equal but for weakness.
    public func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// The tags of all lines of a list field such as If-None-Match; `*` is not special here.
    public static func list(of field: KnownField, in fields: Fields) -> [EntityTag] {
        ListMembers.members(of: field, in: fields, quoting: .plain).compactMap { EntityTag($0) }
    }

    /// Whether a member of `list`, a value of If-None-Match or If-Match, is this tag; allocates nothing.
    public func isMember(ofList list: Span<UInt8>, strongly: Bool = false) -> Bool {
        if strongly && isWeak { return false }
        var position = 0
        while let member = ListMembers.next(in: list, from: &position, quoting: .plain) {
            let start = member.lowerBound
            let weak = member.count >= 2 && list[start] == 0x57 && list[start + 1] == 0x2F
            if weak && strongly { continue }
            let other = list.extracting(weak ? start + 2..<member.upperBound : member)
            if ByteScan.equals(other, opaque.span) { return true }
        }
        return false
    }
}
