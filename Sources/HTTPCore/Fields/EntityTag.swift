/// An entity tag (RFC 9110 §8.8.3): opaque bytes, quotes included, and whether an exact `W/` stands before them.
///
/// A tag without quotes, as some servers send it, is compared byte by byte like any other.
public struct EntityTag: Sendable, Hashable {
    // A stored response's tag stands in the text of its head: few have an array of their own.
    private var text: [UInt8]
    private var start: UInt32
    private var count: UInt32
    public let isWeak: Bool

    public init(isWeak: Bool, opaque: [UInt8]) {
        text = opaque
        start = 0
        count = UInt32(truncatingIfNeeded: opaque.count)
        self.isWeak = isWeak
    }

    /// Reads a field value or list member; nil if it is empty.
    public init?(_ bytes: Span<UInt8>) {
        guard let (isWeak, place) = Self.place(in: bytes, bytes.trimmed(0..<bytes.count)) else { return nil }
        self.init(isWeak: isWeak, opaque: [UInt8](copying: bytes.extracting(place)))
    }

    /// The tag in the first ETag line of `fields`, whose text it shares; nil without one, or if that is empty.
    public init?(in fields: borrowing Fields) {
        guard fields.contains(.etag), let line = fields.lines.first(where: { $0.known == .etag }),
            let (isWeak, place) = Self.place(in: fields.bytes.span, fields.bytes.span.trimmed(line.value))
        else { return nil }
        text = fields.bytes
        start = UInt32(truncatingIfNeeded: place.lowerBound)
        count = UInt32(truncatingIfNeeded: place.count)
        self.isWeak = isWeak
    }

    /// Whether an exact `W/` stands before the tag, and where the rest stands.
    private static func place(in bytes: Span<UInt8>, _ range: Range<Int>) -> (Bool, Range<Int>)? {
        let start = range.lowerBound
        let isWeak = range.count >= 2 && bytes[start] == 0x57 && bytes[start + 1] == 0x2F
        let place = isWeak ? start + 2..<range.upperBound : range
        return place.isEmpty ? nil : (isWeak, place)
    }

    private var place: Range<Int> { Int(start)..<(Int(start) + Int(count)) }
    public var opaque: [UInt8] { Array(text[place]) }

    /// The same tag; its text is that of `fields`, if it stands there, and else its own.
    public func sharing(_ fields: Fields) -> EntityTag {
        if let shared = EntityTag(in: fields), shared == self { return shared }
        return EntityTag(isWeak: isWeak, opaque: opaque)
    }

    public init?(_ bytes: [UInt8]) { self.init(bytes.span) }

    /// The tag as it is sent.
    public var bytes: [UInt8] { isWeak ? [0x57, 0x2F] + opaque : opaque }

    /// Both strong and equal.
    public func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && matchesWeakly(other) }

    /// Equal but for weakness.
    public func matchesWeakly(_ other: EntityTag) -> Bool {
        ByteScan.equals(text.span.extracting(place), other.text.span.extracting(other.place))
    }

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
            if ByteScan.equals(other, text.span.extracting(place)) { return true }
        }
        return false
    }
}

extension EntityTag {
    public static func == (left: EntityTag, right: EntityTag) -> Bool {
        left.isWeak == right.isWeak && left.matchesWeakly(right)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(isWeak)
        hasher.combine(opaque)
    }
}
