import HTTPCore

/// The fields that keep a response from acting as a document of our own origin, or on all of it.
///
/// Every response gets them: its type alone does not decide what clients take for a document.
enum SharedOriginFields {
    private static let typeOptions: StaticString = "x-content-type-options"
    /// Fields by which a response acts on the whole origin that a client sees.
    private static let originWide: [StaticString] = ["service-worker-allowed", "clear-site-data"]

    /// What the head of a stored response needs on such a route.
    enum Need: UInt8 {
        /// Not known yet.
        case unknown
        /// `lines` after its fields.
        case lines
        /// `sandboxLine` after its fields, which contain the rest.
        case sandboxLine
        /// Some fields must be removed or rewritten.
        case change
    }

    static let sandboxLine = Array("Content-Security-Policy: sandbox\r\n".utf8)
    static let lines = Array("X-Content-Type-Options: nosniff\r\n".utf8) + sandboxLine

    /// Adds the limits.
    ///
    /// A policy that the response has stays: browsers apply all of them.
    static func limit(_ fields: inout Fields) {
        let copy = fields
        fields.removeLines { line in
            line.known == nil && copy.withName(line) { isOriginWide($0) || Token.matches($0, typeOptions) }
        }
        fields.append(name: "X-Content-Type-Options", value: "nosniff")
        fields.append(name: "Content-Security-Policy", value: "sandbox")
    }

    static func need(of fields: Fields) -> Need {
        if fields.contains(.setCookie) { return .change }
        var need = Need.lines
        for line in fields.lines where line.known == nil {
            if fields.withName(line, isOriginWide) { return .change }
            guard fields.withName(line, { Token.matches($0, typeOptions) }) else { continue }
            guard need == .lines, fields.withValue(line, { Token.matches($0, "nosniff") }) else { return .change }
            need = .sandboxLine
        }
        return need
    }

    private static func isOriginWide(_ name: Span<UInt8>) -> Bool { originWide.contains { Token.matches(name, $0) } }
}
