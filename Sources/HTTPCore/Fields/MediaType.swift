/// A media type (RFC 9110 §8.3.1).
public struct MediaType: Sendable, Hashable {
    /// `type/subtype` in lower case.
    public var essence: [UInt8]
    /// Names in lower case, values without quotes.
    public var parameters: [Parameter]

    public struct Parameter: Sendable, Hashable {
        public var name: [UInt8]
        public var value: [UInt8]
    }

    /// Reads a value of Content-Type; nil if type or subtype is no token.
    ///
    /// Malformed parameters are left out.
    public init?(_ bytes: Span<UInt8>) {
        var pieces = Self.pieces(bytes)[...]
        guard let first = pieces.popFirst() else { return nil }
        let text = [UInt8](copying: bytes.extracting(bytes.trimmed(first))).map(\.asciiLowercased)
        let halves = text.split(separator: 0x2F, omittingEmptySubsequences: false)
        guard halves.count == 2, halves.allSatisfy({ Token.isToken($0.span) }) else { return nil }
        essence = text
        parameters = []
        for piece in pieces { note(bytes.extracting(bytes.trimmed(piece))) }
    }

    public init?(_ bytes: [UInt8]) { self.init(bytes.span) }

    /// The value of the first parameter of this name, in any case.
    public func parameter(_ name: String) -> [UInt8]? {
        let wanted = name.utf8.map(\.asciiLowercased)
        return parameters.first { $0.name == wanted }?.value
    }

    /// `application/json` or any subtype that ends in `+json`.
    public var isJSON: Bool {
        essence == Array("application/json".utf8) || essence.suffix(5) == Array("+json".utf8)[...]
    }

    private mutating func note(_ text: Span<UInt8>) {
        var sign = 0
        while sign < text.count, text[sign] != 0x3D { sign += 1 }
        guard sign < text.count, Token.isToken(text.extracting(0..<sign)) else { return }
        let value = text.extracting(sign + 1..<text.count)
        let name = [UInt8](copying: text.extracting(0..<sign)).map(\.asciiLowercased)
        if let plain = Token.unquoted(value) {
            parameters.append(Parameter(name: name, value: plain))
        } else if Token.isToken(value) {
            parameters.append(Parameter(name: name, value: [UInt8](copying: value)))
        }
    }

    /// Splits at semicolons outside of quotes.
    private static func pieces(_ bytes: Span<UInt8>) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var start = 0
        var at = 0
        var isQuoted = false
        while at < bytes.count {
            switch bytes[at] {
            case 0x22: isQuoted.toggle()
            case 0x5C where isQuoted: at += 1
            case 0x3B where !isQuoted:
                result.append(start..<at)
                start = at + 1
            default: break
            }
            at += 1
        }
        result.append(start..<bytes.count)
        return result
    }
}
