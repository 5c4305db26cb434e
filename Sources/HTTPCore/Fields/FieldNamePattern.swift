/// A field name in which `*` matches any characters.
///
/// Case does not matter.
struct FieldNamePattern: Sendable {
    /// In lower case.
    let text: String
    private let bytes: [UInt8]
    /// Nil: only one name matches.
    private let wildcards: PatternAutomaton?
    private let target: FieldEdits.Target

    /// Throws if `text` is not a name or pattern, or if it names a protected field.
    init(_ text: String, of target: FieldEdits.Target) throws(FieldEditError) {
        self.target = target
        bytes = text.utf8.map(\.asciiLowercased)
        self.text = String(decoding: bytes, as: UTF8.self)
        let pieces: [BytePattern.Piece] = bytes.map { $0 == 0x2A ? .anything : .byte($0) }
        let isExact = !pieces.contains(.anything)
        wildcards = isExact ? nil : PatternAutomaton(pieces[...], delimiters: [], ignoresCase: true)
        guard Token.isToken(bytes.span) else {
            throw FieldEditError("has \(Quoted(bytes)), which is not a field name")
        }
        if isExact { try ProtectedFields.check(Array(text.utf8), of: target) }
    }

    /// Whether the pattern matches a field name.
    ///
    /// A pattern with `*` never matches a protected field or Set-Cookie.
    func matches(_ name: Span<UInt8>) -> Bool {
        guard let wildcards else { return Token.matches(bytes.span, name) }
        guard wildcards.matches(name) else { return false }
        return !(ProtectedFields.contains(name, of: target) || Token.matches(name, "set-cookie"))
    }
}

extension FieldNamePattern: Equatable {
    static func == (left: FieldNamePattern, right: FieldNamePattern) -> Bool {
        left.text == right.text && left.target == right.target
    }
}
