/// The member that this proxy adds to `Via` (RFC 9110 §7.6.3).
///
/// Its pseudonym contains the id of this instance, to detect loops. A class, since each message would copy a value with
/// all its texts.
public final class Via: Sendable, Equatable {
    /// A token, such as `respite-4f2a91`.
    public let pseudonym: [UInt8]
    /// The member for messages received as HTTP/1.0, and for those received as HTTP/1.1.
    private let members: (old: [UInt8], new: [UInt8])

    /// - Parameter instance: the id of this instance; bytes other than letters and digits are skipped.
    public init(instance: [UInt8]) {
        let letters = instance.filter { $0.isDigit || ($0 | 0x20) &- 0x61 < 26 }
        let pseudonym = Array("respite".utf8) + (letters.isEmpty ? [] : [0x2D] + letters)
        self.pseudonym = pseudonym
        members = (Array("1.0 ".utf8) + pseudonym, Array("1.1 ".utf8) + pseudonym)
    }

    public static func == (left: Via, right: Via) -> Bool { left.pseudonym == right.pseudonym }

    /// A complete line with its end, for heads that have no fields.
    public func line(received version: HTTPVersion) -> [UInt8] {
        Array("Via: 1.\(version == .http10 ? 0 : 1) ".utf8) + pseudonym + [0x0D, 0x0A]
    }

    /// Appends a line with the version of the received message; lines of other proxies stay.
    public func append(to fields: inout Fields, received version: HTTPVersion) {
        fields.append(.via, version == .http10 ? members.old : members.new)
    }

    /// Whether the message has passed this instance before.
    public func isMember(of fields: Fields) -> Bool {
        guard fields.contains(.via) else { return false }
        let pseudonym = pseudonym
        for line in fields.lines where line.known == .via {
            if Self.names(pseudonym.span, in: fields.bytes.span.extracting(line.value)) { return true }
        }
        return false
    }

    /// Whether the pseudonym is the second word of a member; ignores comments.
    private static func names(_ pseudonym: Span<UInt8>, in value: Span<UInt8>) -> Bool {
        var word = 0
        var depth = 0
        var at = 0
        while at < value.count {
            let byte = value[at]
            switch byte {
            case 0x28: depth += 1
            case 0x29: depth = max(0, depth - 1)
            case 0x5C where depth > 0: at += 1
            case 0x2C where depth == 0: word = 0
            case _ where depth == 0 && ByteClass.token.contains(byte):
                var end = at
                while end < value.count, !value[end].isBlank, value[end] != 0x2C, value[end] != 0x28 { end += 1 }
                word += 1
                if word == 2, Token.matches(value.extracting(at..<end), pseudonym) { return true }
                at = end
                continue
            default: break
            }
            at += 1
        }
        return false
    }
}
