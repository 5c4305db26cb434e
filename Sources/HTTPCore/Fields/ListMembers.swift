/// Comma-separated lists (RFC 9110 §5.6.1).
///
/// Members are trimmed, empty ones are skipped, and a comma in quotes does not separate.
public enum ListMembers {
    /// The meaning of a backslash in a quoted string.
    public enum Quoting: Sendable {
        /// It escapes the byte behind it (RFC 9110 §5.6.4).
        case escapes
        /// It means itself, as in entity tags (RFC 9110 §8.8.3).
        case plain
    }

    /// The next member at or after `position`, which moves behind it; nil at the end.
    ///
    /// Allocates nothing.
    public static func next(
        in bytes: Span<UInt8>,
        from position: inout Int,
        quoting: Quoting = .escapes
    ) -> Range<Int>? {
        while position < bytes.count {
            let start = position
            let end = memberEnd(bytes, from: start, quoting)
            position = end + 1
            let member = bytes.trimmed(start..<end)
            if !member.isEmpty { return member }
        }
        return nil
    }

    /// All members, as ranges of `bytes`.
    public static func ranges(in bytes: Span<UInt8>, quoting: Quoting = .escapes) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var position = 0
        while let member = next(in: bytes, from: &position, quoting: quoting) { result.append(member) }
        return result
    }

    /// All members of all lines of `field`, in order.
    public static func members(of field: KnownField, in fields: Fields, quoting: Quoting = .escapes) -> [[UInt8]] {
        guard fields.contains(field) else { return [] }
        var result: [[UInt8]] = []
        for line in fields.lines where line.known == field {
            let value = fields.bytes.span.extracting(line.value)
            var position = 0
            while let member = next(in: value, from: &position, quoting: quoting) {
                result.append([UInt8](copying: value.extracting(member)))
            }
        }
        return result
    }

    private static func memberEnd(_ bytes: Span<UInt8>, from start: Int, _ quoting: Quoting) -> Int {
        var at = start
        var isQuoted = false
        while at < bytes.count {
            switch bytes[at] {
            case 0x22: isQuoted.toggle()
            case 0x5C where isQuoted && quoting == .escapes: at += 1
            case 0x2C where !isQuoted: return at
            default: break
            }
            at += 1
        }
        return bytes.count
    }
}
