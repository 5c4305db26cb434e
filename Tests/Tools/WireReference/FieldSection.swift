/// One field line.
public struct ReferenceField: Equatable, Sendable {
    /// As received.
    public var name: [UInt8]
    /// Without blanks at its ends.
    public var value: [UInt8]

    /// As read elsewhere, to be compared.
    public init(
        name: [UInt8],
        value: [UInt8]
    ) {
        self.name = name
        self.value = value
    }
}

/// Reads the lines of a field section one after the other (RFC 9112 §5, H-019 to H-028).
struct FieldSection {
    let input: [UInt8]
    /// No byte from here on is looked at.
    let window: Int
    let tooLarge: Int
    private(set) var at: Int

    init(_ input: [UInt8], from start: Int, limit: Int, tooLarge: Int) {
        self.input = input
        self.tooLarge = tooLarge
        window = min(input.count, start + limit)
        at = start
    }

    /// The next line; nil at the end of the section, which is then behind `at`.
    mutating func next() throws -> ReferenceField? {
        guard let end = input[at..<window].firstIndex(of: lineFeed) else { throw cut() }
        let line = Array(input[at..<end])
        guard line.last == carriageReturn else {
            // Whatever else is wrong with it, all of it is 400.
            throw Refusal(400)
        }
        at = end + 1
        let text = Array(line.dropLast())
        if text.isEmpty { return nil }
        guard let colon = text.firstIndex(of: byte(":")) else { throw Refusal(400) }
        let field = ReferenceField(name: Array(text[..<colon]), value: trimmed(Array(text[(colon + 1)...])))
        guard isToken(field.name), text[(colon + 1)...].allSatisfy(isValueCharacter) else { throw Refusal(400) }
        return field
    }

    /// What to say where the line that begins at `at` has no end: more may come, unless it can no longer become a line
    /// or the section is too large already.
    private func cut() -> any Error {
        let rest = Array(input[at..<window])
        var statuses: Set<Int> = []
        if input.count > window { statuses.insert(tooLarge) }
        if !mayBecomeLine(rest) { statuses.insert(400) }
        return statuses.isEmpty ? Unfinished() : Refusal(statuses)
    }

    /// Whether a field line, or the empty one, can begin like this.
    private func mayBecomeLine(_ rest: [UInt8]) -> Bool {
        if rest.isEmpty || rest == [carriageReturn] { return true }
        let text = rest.last == carriageReturn ? Array(rest.dropLast()) : rest
        guard let colon = text.firstIndex(of: byte(":")) else {
            return text.allSatisfy(isTokenCharacter) && rest.last != carriageReturn
        }
        return isToken(Array(text[..<colon])) && text[(colon + 1)...].allSatisfy(isValueCharacter)
    }
}

/// Whether a lenient reader could take the name for a framing field's, which it is not (H-029).
func resemblesFraming(_ name: [UInt8]) -> Bool {
    let plain = lowercased(name)
    let dashed = plain.map { $0 == byte("_") ? byte("-") : $0 }
    return plain != dashed && (dashed == bytes("content-length") || dashed == bytes("transfer-encoding"))
}

/// What Connection says of persistence (H-067, H-087, H-088).
struct ReferenceConnection {
    var closes = false
    var keepsAlive = false
    var isOdd = false

    mutating func note(_ value: [UInt8]) {
        for member in members(value) where !member.isEmpty {
            if !isToken(member) { isOdd = true }
            if lowercased(member) == bytes("close") { closes = true }
            if lowercased(member) == bytes("keep-alive") { keepsAlive = true }
        }
    }

    func isPersistent(minor: Int) -> Bool { minor == 0 ? keepsAlive && !closes : !closes }
}

/// How content is framed.
public enum ReferenceFraming: Equatable, Sendable {
    case none
    case length(Int64)
    case chunked
    case untilClose
}

enum CodingVerdict { case chunked, unknown, wrong }

/// What a Transfer-Encoding line says (H-037): exactly `chunked`, or codings of which only the names are unknown.
func judgeCodings(_ value: [UInt8]) -> CodingVerdict {
    let codings = members(value).map(lowercased)
    let chunked = bytes("chunked")
    if codings == [chunked] { return .chunked }
    guard codings.allSatisfy(isToken), codings.last == chunked, !codings.dropLast().contains(chunked),
        !codings.contains(bytes("identity"))
    else { return .wrong }
    return .unknown
}
