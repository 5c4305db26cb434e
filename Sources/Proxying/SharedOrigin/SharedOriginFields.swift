import HTTPCore

/// The fields by which a response is kept from acting as a document of our own origin, or on all of it.
///
/// They go with every response: what clients take for a document is not told by its type alone.
enum SharedOriginFields {
    private static let typeOptions: StaticString = "x-content-type-options"
    /// What an origin says for the whole of the origin a client sees.
    private static let originWide: [StaticString] = ["service-worker-allowed", "clear-site-data"]

    /// What a response from the store needs.
    enum Need: UInt8 {
        /// Not known yet.
        case unknown
        /// `lines` behind its fields.
        case lines
        /// `sandboxLine` behind its fields, which say the rest.
        case sandboxLine
        /// Fields taken off or rewritten.
        case change
    }

    static let sandboxLine = Array("Content-Security-Policy: sandbox\r\n".utf8)
    static let lines = Array("X-Content-Type-Options: nosniff\r\n".utf8) + sandboxLine

    /// A policy of the response's own stays: all of them hold.
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
