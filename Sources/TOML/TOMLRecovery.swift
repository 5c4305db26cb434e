/// Reads TOML on behind its errors, so that a user sees all of them at once.
///
/// A faulty statement is taken for blank lines. What is read is good for finding more mistakes, not for use.
public struct TOMLRecovery {
    /// The most errors that are looked for.
    private static let limit = 20

    private var lines: [ArraySlice<UInt8>]
    private var errors: [TOMLError] = []

    /// The members that could be read, and the errors in the order of the document.
    public static func parse(_ bytes: [UInt8]) -> (members: [TOMLMember], errors: [TOMLError]) {
        do throws(TOMLError) {
            return (try TOMLDocument.parse(bytes), [])
        } catch {
            var recovery = TOMLRecovery(bytes)
            return (recovery.readOn(behind: error), recovery.errors)
        }
    }

    private init(_ bytes: [UInt8]) {
        lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }

    private mutating func readOn(behind first: TOMLError) -> [TOMLMember] {
        var next: TOMLError? = first
        while let error = next, errors.count < Self.limit {
            errors.append(explained(error))
            guard let repair = bestRepair(of: error.position.line) else { return [] }
            for line in repair.lines { lines[line - 1] = [] }
            if let members = repair.members { return members }
            next = repair.error
        }
        return []
    }

    // MARK: Repairs

    private struct Repair {
        var lines: ClosedRange<Int>
        var members: [TOMLMember]?
        var error: TOMLError?

        /// How far the document can be read.
        var reach: Int { error?.position.line ?? .max }
    }

    /// Blanks the lines whose loss lets the parser read furthest beyond a faulty line.
    ///
    /// Nil if it does not get further.
    private func bestRepair(of line: Int) -> Repair? {
        guard lines.indices.contains(line - 1) else { return nil }
        var best: Repair?
        for range in candidates(line) {
            let repair = repaired(range)
            if repair.reach > (best?.reach ?? line) { best = repair }
        }
        return best
    }

    /// The statement at a line, and the one before it, which may lack its end.
    private func candidates(_ line: Int) -> [ClosedRange<Int>] {
        var ranges: [ClosedRange<Int>] = []
        if isHeading(line) { ranges.append(line...lastLine(ofTableAt: line)) }
        ranges.append(line...line)
        if let start = (1...line).last(where: isStart), start < line { ranges.append(start...line) }
        if line > 1, let start = (1..<line).last(where: isStart) {
            ranges.append(start...line - 1)
            ranges.append(start...line)
        }
        return ranges
    }

    private func repaired(_ range: ClosedRange<Int>) -> Repair {
        do throws(TOMLError) {
            return Repair(lines: range, members: try TOMLDocument.parse(text(without: range)))
        } catch {
            return Repair(lines: range, error: error)
        }
    }

    private func text(without range: ClosedRange<Int>) -> [UInt8] {
        let kept = lines.enumerated().map { range.contains($0 + 1) ? [] : $1 }
        return Array(kept.joined(separator: [UInt8(ascii: "\n")]))
    }

    private func content(_ line: Int) -> ArraySlice<UInt8> { lines[line - 1].drop { $0 == 0x20 || $0 == 0x09 } }

    private func isHeading(_ line: Int) -> Bool { content(line).first == UInt8(ascii: "[") }

    /// Whether a line may begin a statement.
    private func isStart(_ line: Int) -> Bool {
        isHeading(line) || (content(line).contains(UInt8(ascii: "=")) && content(line).first != UInt8(ascii: "#"))
    }

    private func lastLine(ofTableAt line: Int) -> Int {
        (line..<lines.count).first { isHeading($0 + 1) } ?? lines.count
    }

    // MARK: Sentences

    /// The error in our words, for a setting that stands twice also with the first place.
    private func explained(_ error: TOMLError) -> TOMLError {
        var explained = error
        explained.message = TOMLSentence.explain(error.message)
        guard error.message.contains("cannot redefine") else { return explained }
        let line = error.position.line
        if lines.indices.contains(line - 1), let (name, first) = firstOfTwo(line) {
            explained.position = TextPosition(line: line, column: lines[line - 1].count - content(line).count + 1)
            let remedy = isHeading(line) ? "write its settings there" : "leave one of them out"
            explained.message = "`\(name)` stands here for the second time; the first is in line \(first): \(remedy)"
        }
        return explained
    }

    /// The name of a statement that repeats an earlier one, and the line of that one.
    private func firstOfTwo(_ line: Int) -> (name: String, first: Int)? {
        let heading = isHeading(line) ? [] : (1..<line).last(where: isHeading).map { lines[$0 - 1] } ?? []
        let statement = Array(heading) + [UInt8(ascii: "\n")] + Array(lines[line - 1])
        guard let own = try? TOMLDocument.parse(statement), let path = own.onlyPath,
            let before = try? TOMLDocument.parse(Array(lines[..<(line - 1)].joined(separator: [UInt8(ascii: "\n")]))),
            let position = before.position(at: path)
        else { return nil }
        return (path.joined(separator: "."), position.line)
    }
}

extension [TOMLMember] {
    /// The keys down to the only value; a list of tables counts as its last one.
    fileprivate var onlyPath: [String]? {
        guard count == 1, let member = first else { return nil }
        switch member.node.value {
        case .table(let inner): return inner.isEmpty ? [member.key] : inner.onlyPath.map { [member.key] + $0 }
        case .array(let nodes):
            guard case .table(let inner)? = nodes.last?.value, !inner.isEmpty else { return [member.key] }
            return inner.onlyPath.map { [member.key] + $0 }
        default: return [member.key]
        }
    }

    fileprivate func position(at path: [String]) -> TextPosition? {
        guard let member = first(where: { $0.key == path.first }) else { return nil }
        let rest = [String](path.dropFirst())
        if rest.isEmpty { return member.keyPosition }
        switch member.node.value {
        case .table(let inner): return inner.position(at: rest)
        case .array(let nodes):
            guard case .table(let inner)? = nodes.last?.value else { return nil }
            return inner.position(at: rest)
        default: return nil
        }
    }
}

/// The parser's messages in the words of users.
enum TOMLSentence {
    /// What messages contain, and what to say instead.
    private static let sentences: [(part: String, sentence: String)] = [
        ("could not determine value type", "text needs straight quotes: name = \"text\""),
        ("expected 'true'", "this is `true`, `false`, or text in straight quotes: name = \"text\""),
        ("expected 'false'", "this is `true`, `false`, or text in straight quotes: name = \"text\""),
        ("decimal integer: expected digit", "a number with a unit is text, which needs quotes: name = \"10m\""),
        ("floating-point: expected decimal digit", "a number with a unit is text, which needs quotes: name = \"10m\""),
        ("leading zeroes are prohibited", "a number begins with no 0"),
        ("is not representable in 64 bits", "this number is too large"),
        (
            "string: unescaped control characters",
            "the text has no quote at its end; text of several lines stands in \"\"\"…\"\"\""
        ),
        (
            "literal string: control characters",
            "the text has no quote at its end; text of several lines stands in \"\"\"…\"\"\""
        ),
        (
            "string: encountered end-of-file",
            "the text has no quote at its end; text of several lines stands in \"\"\"…\"\"\""
        ),
        ("unknown escape sequence", "in text, write `\\\\` for a backslash, or put the text into '…'"),
        ("array: expected comma or closing ']'", "a list has commas between its values and `]` at its end"),
        ("array: encountered end-of-file", "the list has no `]` at its end"),
        ("inline table: expected comma or closing '}'", "a table has commas between its members and `}` at its end"),
        ("inline table: encountered end-of-file", "the table has no `}` at its end"),
        ("table header: expected ']'", "a heading has `]` at its end: [section]"),
        ("expected '=', saw", "behind a name comes `=`: name = value"),
        ("expected value, saw", "behind `=` comes a value: name = value"),
        ("expected a comment or whitespace", "one line has one setting; text with spaces needs quotes: name = \"a b\""),
        ("expected keys, tables", "a line is `name = value`, a heading such as [section], or a comment behind `#`"),
        ("cannot redefine existing table", "this table stands in the file twice; join the two"),
        ("as array-of-tables", "this name has a value in the file already, so it cannot be a list of tables, too"),
        ("cannot redefine existing array", "this is a list of tables: write [[name]] with two brackets"),
        ("cannot redefine", "this setting stands in the file twice; leave one out"),
    ]

    static func explain(_ message: String) -> String {
        if let known = sentences.first(where: { message.contains($0.part) }) { return known.sentence }
        guard message.hasPrefix("Error while parsing "), let colon = message.firstIndex(of: ":") else { return message }
        return "this is not TOML: " + message[colon...].dropFirst().drop { $0 == " " }
    }
}
