/// An entity tag (RFC 9110 §8.8.3): opaque bytes with their quotes, and whether they follow an exact `W/`.
///
/// Some servers send tags without quotes; these are compared byte by byte like any other.
public struct EntityTag: Sendable, Hashable {
    // The tag of a stored response is a part of its head's text, so few tags have an array of their own.
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
        guard let (isWeak, range) = Self.parse(bytes, bytes.trimmed(0..<bytes.count)) else { return nil }
        self.init(isWeak: isWeak, opaque: [UInt8](copying: bytes.extracting(range)))
    }

    /// The tag in the first ETag line of `fields`, whose text it shares; nil if that is missing or empty.
    public init?(in fields: borrowing Fields) {
        guard fields.contains(.etag), let line = fields.lines.first(where: { $0.known == .etag }),
            let (isWeak, range) = Self.parse(fields.bytes.span, fields.bytes.span.trimmed(line.value))
        else { return nil }
        text = fields.bytes
        start = UInt32(truncatingIfNeeded: range.lowerBound)
        count = UInt32(truncatingIfNeeded: range.count)
        self.isWeak = isWeak
    }

    /// Whether `bytes[range]` begins with an exact `W/`, and the range of the rest; nil if that is empty.
    private static func parse(_ bytes: Span<UInt8>, _ range: Range<Int>) -> (isWeak: Bool, opaque: Range<Int>)? {
        let start = range.lowerBound
        let isWeak = range.count >= 2 && bytes[start] == 0x57 && bytes[start + 1] == 0x2F
        let opaque = isWeak ? start + 2..<range.upperBound : range
        return opaque.isEmpty ? nil : (isWeak, opaque)
    }

    /// The range of the opaque bytes in `text`.
    private var range: Range<Int> { Int(start)..<(Int(start) + Int(count)) }
    public var opaque: [UInt8] { Array(text[range]) }

    /// The same tag, which shares the text of `fields` if they have this tag, and otherwise has its own text.
    public func sharing(_ fields: Fields) -> EntityTag {
        if let shared = EntityTag(in: fields), shared == self { return shared }
        return EntityTag(isWeak: isWeak, opaque: opaque)
    }

    public init?(_ bytes: [UInt8]) { self.init(bytes.span) }

    /// The tag as a field has it.
    public var bytes: [UInt8] { isWeak ? [0x57, 0x2F] + opaque : opaque }

    /// Whether both are strong and equal.
    public func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && matchesWeakly(other) }

    /// Whether the opaque bytes are equal.
    public func matchesWeakly(_ other: EntityTag) -> Bool {
        ByteScan.equals(text.span.extracting(range), other.text.span.extracting(other.range))
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
            if ByteScan.equals(other, text.span.extracting(range)) { return true }
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
