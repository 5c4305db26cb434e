import Testing

@testable import TOML

/// Reading on behind errors.
@Suite("All errors of a TOML file") struct TOMLRecoveryTests {
    private static func parse(_ text: String) -> (keys: [String], errors: [String]) {
        let (members, errors) = TOMLRecovery.parse(Array(text.utf8))
        return (members.map(\.key), errors.map { "\($0.position.line):\($0.position.column) \($0.message)" })
    }

    private static func lines(_ text: String) -> [Int] {
        TOMLRecovery.parse(Array(text.utf8)).errors.map(\.position.line)
    }

    @Test("a file without errors has its members only")
    func right() {
        let (keys, errors) = Self.parse("a = 1\n[b]\nc = 2\n")
        #expect(keys == ["a", "b"] && errors.isEmpty)
    }

    @Test("each faulty statement is told with its line, and the others are read")
    func several() {
        let text = "a = 1\nb = x\nc = 3\nd = 010\ne = 5\n[f]\ng = 2\n"
        #expect(Self.lines(text) == [2, 4])
        #expect(Self.parse(text).keys == ["a", "c", "e", "f"])
    }

    @Test("a statement that lacks its end is taken out whole, up to where the next begins")
    func unended() {
        let (keys, errors) = Self.parse("a = 1\nb = [\n  1,\n  2\nc = 3\n")
        #expect(keys == ["a", "c"] && errors.count == 1)
    }

    @Test("a heading that is wrong takes its table along")
    func heading() {
        let (keys, errors) = Self.parse("a = 1\n[b\nc = 2\n[d]\ne = 3\n")
        #expect(keys == ["a", "d"] && errors.count == 1 && errors[0].hasPrefix("2:"))
    }

    @Test("a setting that stands twice is told with the line of the first, in tables, too")
    func twice() {
        #expect(
            Self.parse("a = 1\nb = 2\n a = 3\n").errors == [
                "3:2 `a` stands here for the second time; the first is in line 1: leave one of them out"
            ]
        )
        #expect(
            Self.parse("[t]\nb = 2\n[u]\nb = 1\nb = 3\n").errors == [
                "5:1 `u.b` stands here for the second time; the first is in line 4: leave one of them out"
            ]
        )
        #expect(
            Self.parse("a = 1\n[t]\nb = 2\n[u]\n[t]\nb = 3\n").errors.first
                == "5:1 `t` stands here for the second time; the first is in line 2: write its settings there"
        )
    }

    @Test(
        "what stands twice in a list of tables is told with its place in the last table of the list",
        arguments: [
            ("[[t]]\nb = 2\nb = 3\n", "3:1 `t.b`", 2, "leave one of them out"),
            ("[[t]]\nb = 1\n[[t]]\nb = 2\nb = 3\n", "5:1 `t.b`", 4, "leave one of them out"),
            ("[t]\na = 1\n[[t]]\nb = 2\n", "3:1 `t`", 1, "write its settings there"),
            ("[[t]]\na = 1\n[t]\nb = 2\n", "3:1 `t`", 1, "write its settings there"),
            ("a.b = 1\na.b = 2\n", "2:1 `a.b`", 1, "leave one of them out"),
        ]
    )
    func twiceInLists(text: String, place: String, first: Int, remedy: String) {
        let message = "\(place) stands here for the second time; the first is in line \(first): \(remedy)"
        #expect(Self.parse(text).errors == [message])
    }

    @Test("at most twenty errors are told")
    func limit() {
        for (count, expected) in [(19, 19), (20, 20), (25, 20)] {
            let text = (0..<count).map { "a\($0) = x\n" }.joined()
            #expect(Self.lines(text) == Array(1...expected))
        }
    }

    @Test(
        "a mistake that people make is reported at its place, in words that say what is right",
        arguments: [
            ("a = x", "text needs straight quotes: name = \"text\""), ("a = 010", "a number begins with no 0"),
            ("a = 9223372036854775808", "this number is too large"),
            ("a = \"\\q\"", "in text, write `\\\\` for a backslash, or put the text into '…'"),
            ("a = \"x", "the text has no quote at its end; text of several lines stands in \"\"\"…\"\"\""),
            ("a = 'x", "the text has no quote at its end; text of several lines stands in \"\"\"…\"\"\""),
            ("a = tru", "this is `true`, `false`, or text in straight quotes: name = \"text\""),
            ("a = falsy", "this is `true`, `false`, or text in straight quotes: name = \"text\""),
            ("a = 10m", "a number with a unit is text, which needs quotes: name = \"10m\""),
            ("a = 1.5m", "a number with a unit is text, which needs quotes: name = \"10m\""),
            ("a = [1 2]", "a list has commas between its values and `]` at its end"),
            ("a = [1", "the list has no `]` at its end"),
            ("a = { b = 1 c = 2 }", "a table has commas between its members and `}` at its end"),
            ("[b", "a heading has `]` at its end: [section]"), ("a 1", "behind a name comes `=`: name = value"),
            ("a =", "behind `=` comes a value: name = value"),
            ("a = 1 2", "one line has one setting; text with spaces needs quotes: name = \"a b\""),
            ("{", "a line is `name = value`, a heading such as [section], or a comment behind `#`"),
        ]
    )
    func mistakes(text: String, sentence: String) {
        let errors = Self.parse("z = 1\n\(text)\n").errors
        #expect(errors.count == 1 && errors[0].hasPrefix("2:") && errors[0].hasSuffix(" \(sentence)"), "\(errors)")
    }

    @Test("what the parser says is told in words for users; other messages keep their own")
    func sentences() {
        #expect(
            TOMLSentence.explain("Error while parsing array: expected comma or closing ']'; saw 'x'")
                == "a list has commas between its values and `]` at its end"
        )
        #expect(TOMLSentence.explain("Error while parsing key: odd") == "this is not TOML: odd")
        #expect(TOMLSentence.explain("out of luck: odd") == "out of luck: odd")
    }
}
