import Testing

@testable import Settings

/// Where mistakes and warnings are, in which order they are told, and how.
@Suite struct SettingsPlaceTests {
    @Test(
        "a place is told by what is known of it",
        arguments: [
            (SettingsPlace(source: "f", line: 3, column: 2), "f:3:2"), (SettingsPlace(source: "f", line: 3), "f:3"),
            (SettingsPlace(source: "f", line: 0, column: 2), "f:0"),
            (SettingsPlace(source: "f", line: 1, column: 1), "f:1:1"),
            (SettingsPlace(source: "--set", column: 2), "--set"), (SettingsPlace(source: "f"), "f"),
        ]
    )
    func summaries(place: SettingsPlace, summary: String) { #expect(place.summary == summary) }

    @Test(
        "a caret stands below the column, and never beyond the end of the line",
        arguments: [(1, "^"), (2, " ^"), (4, "   ^"), (9, "   ^"), (0, "^"), (-1, "^")]
    )
    func carets(column: Int, caret: String) {
        let place = SettingsPlace(source: "f", line: 1, column: column, lineText: "abc")
        #expect(SettingsError(at: place, userMessage: "no").description.hasSuffix(": no\n    abc\n    \(caret)"))
        #expect(SettingsWarning("no", at: place).description.hasSuffix(": no\n    abc\n    \(caret)"))
    }

    @Test("a line without a column is shown without a caret")
    func lineAlone() {
        let place = SettingsPlace(source: "f", line: 1, lineText: "abc")
        #expect(SettingsError(at: place, userMessage: "no").description == "f:1: no\n    abc")
    }

    @Test("mistakes are told by files, lines and columns, each once, with their number")
    func order() throws {
        func mistake(_ source: String, _ line: Int?, _ column: Int?) -> SettingsError {
            SettingsError(source: source, line: line, column: column, userMessage: "no")
        }
        let all = [
            mistake("other", 1, 1), mistake("b", 1, 2), mistake("b", 1, 1), mistake("a", 2, 1), mistake("b", nil, nil),
            mistake("a", 10, 1), mistake("b", 1, 2),
        ]
        let error = try #require(SettingsError(all, in: ["a", "b"]))
        #expect(
            error.mistakes.map(\.summary) == [
                "a:2:1: no", "a:10:1: no", "b: no", "b:1:1: no", "b:1:2: no", "other:1:1: no",
            ]
        )
        #expect(error.summary == "a:2:1: no; 5 more mistakes")
        #expect(error.description.hasSuffix("\nother:1:1: no\n6 mistakes"))
        let two = try #require(SettingsError(Array(all[..<2]), in: ["a", "b"]))
        #expect(two.summary == "b:1:2: no; 1 more mistake" && two.description == "b:1:2: no\nother:1:1: no\n2 mistakes")
        let one = try #require(SettingsError([all[0]], in: []))
        #expect(one.summary == "other:1:1: no" && one.description == "other:1:1: no")
        #expect(SettingsError([], in: []) == nil)
    }

    @Test("warnings without a place come last")
    func warnings() {
        var loaded = LoadedSettings(values: DaemonSettings())
        loaded.sources = ["a", "b"]
        func warning(_ source: String?) -> SettingsWarning {
            SettingsWarning("no", at: source.map { SettingsPlace(source: $0) })
        }
        let sorted = loaded.inOrder([warning(nil), warning("b"), warning("a")])
        #expect(sorted.map(\.summary) == ["a: no", "b: no", "no"])
    }

    @Test("a line that ends in CR LF is shown without, and no more than 400 letters of it")
    func lines() throws {
        let error = try #require(refusal("loops = 1\r\nlops = 2\r\n"))
        #expect(
            error.description == "respite.toml:2:1: unknown setting `lops`; did you mean `loops`?\n    lops = 2\n    ^"
        )
        let long = try #require(refusal("lops = \"" + String(repeating: "a", count: 500) + "\""))
        #expect(long.lineText?.count == 400)
    }

    @Test("an option has no lines: a caret stands below its text alone")
    func options() throws {
        let error = try #require(refusal("", options: ["loops=-1"]))
        #expect(error.line == nil && error.column == 7 && error.lineText == "loops=-1")
    }

    // MARK: What is set on a command line

    @Test(
        "an assignment has a key of parts and a value behind the first = outside quotes",
        arguments: [
            ("a=b=c", ["a"], "b=c", 3), ("a . b =  c ", ["a", "b"], "c", 10), ("a=", ["a"], "", 3),
            ("x.\"a=b\"=c", ["x", "a=b"], "c", 9), ("x.'a=b'=c", ["x", "a=b"], "c", 9),
            ("x.\"a\\\"=b\"=c", ["x", "a\"=b"], "c", 11), ("x.\"a\\\\\"=c", ["x", "a\\"], "c", 9),
            ("x.'a\\'=c", ["x", "a\\"], "c", 8), ("x.\"'\"=c", ["x", "'"], "c", 7),
            ("hosts.c.d=1", ["hosts", "c.d"], "1", 11),
            ("hosts.c=1", ["hosts", "c"], "1", 9), ("hosts.a.b.c=1", ["hosts", "a.b.c"], "1", 13),
            ("host.a.b=1", ["host", "a", "b"], "1", 10), ("x.\"[\"=c", ["x", "["], "c", 7),
            ("x.'['=c", ["x", "["], "c", 7),
        ]
    )
    func assignments(text: String, path: [String], value: String, column: Int) throws {
        let assignment = try CommandLineAssignment(text)
        #expect(assignment.path.map(\.key) == path)
        #expect(assignment.value == value && assignment.column == column)
    }

    @Test(
        "what has no = outside quotes, or no key, is no assignment",
        arguments: ["a", "\"a=b\"", "", "[a]=1", "a\nb=1", "a b=1"]
    )
    func noAssignments(text: String) {
        #expect(refusal("", options: [text])?.mistakes.count == 1)
    }

    @Test(
        "of an assignment without = or key the first line is shown, with the caret below its first letter",
        arguments: [
            ("a", "write it as --set KEY=VALUE"), ("\"a=b\"", "write it as --set KEY=VALUE"),
            ("'a=b'", "write it as --set KEY=VALUE"), ("", "write it as --set KEY=VALUE"),
            ("[a]=1", "this is no key"), ("a\nb=1", "this is no key"),
        ]
    )
    func firstLetter(text: String, message: String) throws {
        let error = try #require(refusal("", options: [text]))
        #expect(error.summary == "--set: \(message)" && error.line == nil && error.column == 1)
        #expect(error.lineText == String(text.prefix { $0 != "\n" }))
    }
}
