/// A field name in which `*` matches any characters.
///
/// Case does not matter.
struct FieldNamePattern: Sendable, Equatable {
    /// In lower case.
    let text: String
    private let bytes: [UInt8]
    private let isExact: Bool
    private let target: FieldEdits.Target

    /// Throws if `text` is not a name or pattern, or if it names a protected field.
    init(_ text: String, of target: FieldEdits.Target) throws(FieldEditError) {
        self.target = target
        bytes = text.utf8.map(\.asciiLowercased)
        self.text = String(decoding: bytes, as: UTF8.self)
        isExact = !bytes.contains(0x2A)
        guard Token.isToken(bytes.span) else {
            throw FieldEditError("has \(Quoted(bytes)), which is not a field name")
        }
        if isExact { try ProtectedFields.check(Array(text.utf8), of: target) }
    }

    /// Whether the pattern matches a field name.
    ///
    /// A pattern with `*` never matches a protected field or Set-Cookie.
    func matches(_ name: Span<UInt8>) -> Bool {
        guard Self.matches(bytes, name) else { return false }
        return isExact || !(ProtectedFields.contains(name, of: target) || Token.matches(name, "set-cookie"))
    }

    /// Backtracks to the last `*` only, so that time is at most the product of both lengths.
    private static func matches(_ pattern: [UInt8], _ name: Span<UInt8>) -> Bool {
        var (at, position) = (0, 0)
        var star: (at: Int, position: Int)?
        while position < name.count {
            if at < pattern.count, pattern[at] == 0x2A {
                star = (at, position)
                at += 1
            } else if at < pattern.count, pattern[at] == name[position].asciiLowercased {
                at += 1
                position += 1
            } else if let last = star {
                at = last.at + 1
                position = last.position + 1
                star = (last.at, position)
            } else {
                return false
            }
        }
        return pattern[at...].allSatisfy { $0 == 0x2A }
    }
}
