/// The text of one alternative of a pattern, and where each byte stands in the pattern.
struct PatternText: Sendable {
    var bytes: [UInt8] = []
    /// For each byte its offset in the pattern.
    var offsets: [Int] = []

    mutating func append(_ text: [UInt8], _ range: Range<Int>) {
        bytes += text[range]
        offsets += range
    }

    /// The offset in the pattern of the byte at `index`; behind the last byte, that of the last byte.
    func offset(_ index: Int) -> Int { index < offsets.count ? offsets[index] : offsets.last ?? 0 }
}

extension PatternText {
    /// A pattern stands for at most this many combinations of alternatives.
    static let alternativeLimit = 64
    /// All combinations have at most this many bytes together, so that a match takes bounded time.
    private static let sizeLimit = 16 * 1024

    /// The combinations that `{a,b}` stands for; a pattern without braces is one.
    static func alternatives(of text: [UInt8]) throws(URLGlob.SyntaxError) -> [PatternText] {
        var results = [PatternText()]
        var start = 0
        while let brace = text[start...].firstIndex(where: { $0 == 0x7B || $0 == 0x7D }) {
            guard text[brace] == 0x7B else {
                throw URLGlob.SyntaxError(
                    userMessage: "a `}` closes nothing; write `%7D` for the letter",
                    offset: brace
                )
            }
            for index in results.indices { results[index].append(text, start..<brace) }
            let group = try Self.group(text, at: brace)
            guard results.count * group.count <= alternativeLimit else {
                throw URLGlob.SyntaxError(
                    userMessage: "the braces stand for more than \(alternativeLimit) combinations; split the pattern",
                    offset: brace
                )
            }
            results = results.flatMap { result in
                group.map { range in
                    var longer = result
                    longer.append(text, range)
                    return longer
                }
            }
            start = (group.last?.upperBound ?? brace) + 1
        }
        for index in results.indices { results[index].append(text, start..<text.count) }
        guard results.count == 1 || results.reduce(0, { $0 + $1.bytes.count }) <= sizeLimit else {
            throw URLGlob.SyntaxError(
                userMessage: "the combinations of the braces are longer than \(sizeLimit) bytes; split the pattern",
                offset: text.firstIndex(of: 0x7B) ?? 0
            )
        }
        return results
    }

    /// The alternatives between the brace at `open` and the one that closes it.
    private static func group(_ text: [UInt8], at open: Int) throws(URLGlob.SyntaxError) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = open + 1
        for index in (open + 1)..<text.count {
            switch text[index] {
            case 0x7B:
                throw URLGlob.SyntaxError(
                    userMessage: "braces stand inside braces; list the alternatives side by side: `{a,b,c}`",
                    offset: index
                )
            case 0x2C:
                ranges.append(start..<index)
                start = index + 1
            case 0x7D:
                ranges.append(start..<index)
                guard ranges.count > 1 else {
                    throw URLGlob.SyntaxError(
                        userMessage:
                            "braces list alternatives: `{a,b}`; write `*` for any text, `%7B` and `%7D` for the letters",
                        offset: open
                    )
                }
                return ranges
            default: continue
            }
        }
        throw URLGlob.SyntaxError(userMessage: "nothing closes this `{`; write `%7B` for the letter", offset: open)
    }
}
