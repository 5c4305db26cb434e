import Testing

@testable import Formats

/// The tokens of JSON text, and each byte where it may and may not stand.
@Suite("JSON tokens") struct JSONTokensTests {
    private static func tokens(_ bytes: [UInt8]) throws(JSONSyntaxError) -> [JSONToken] {
        var (scanner, tokens, at) = (JSONScanner(depthLimit: 8), [JSONToken](), 0)
        while let token = try scanner.next(bytes.span, &at) { tokens.append(token) }
        try scanner.finish()
        return tokens
    }

    private static func accepts(_ bytes: [UInt8]) -> Bool { (try? tokens(bytes)) != nil }

    /// The bytes that make JSON text between these two texts.
    private static func accepted(_ before: String, _ after: String) -> String {
        let bytes = (0...255).map { UInt8($0) }.filter { accepts(Array(before.utf8) + [$0] + Array(after.utf8)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("each token has its kind and its bytes, with the quotation marks of strings")
    func kinds() throws {
        let text = Array(" {\"a\" : [-2.5e+3,true , \"x\\n\",{}]} ".utf8)
        let kinds: [(JSONToken.Kind, String)] = [
            (.beginObject, "{"), (.name, "\"a\""), (.nameSeparator, ":"), (.beginArray, "["), (.number, "-2.5e+3"),
            (.valueSeparator, ","), (.literal, "true"), (.valueSeparator, ","), (.string, "\"x\\n\""),
            (.valueSeparator, ","), (.beginObject, "{"), (.endObject, "}"), (.endArray, "]"), (.endObject, "}"),
        ]
        let tokens = try Self.tokens(text)
        #expect(tokens.map(\.kind) == kinds.map(\.0) && tokens.allSatisfy(\.isStart))
        #expect(tokens.map { String(decoding: text[$0.range], as: UTF8.self) } == kinds.map(\.1))
        let values = kinds.map { $0.0.beginsValue }
        #expect(values == [true, false, false, true, true, false, true, false, true, false, true, false, false, false])
    }

    @Test("a token that goes on with the next piece is told in parts, of which one is the start")
    func parts() throws {
        for text in ["\"abcd\"", "123456", "true"] {
            let bytes = Array(text.utf8)
            var scanner = JSONScanner(depthLimit: 8)
            var found: [JSONToken] = []
            for piece in [Array(bytes[..<3]), Array(bytes[3...])] {
                var at = 0
                while let token = try scanner.next(piece.span, &at) { found.append(token) }
            }
            try scanner.finish()
            let kind = found[0].kind
            #expect(
                found == [
                    JSONToken(kind: kind, range: 0..<3, isStart: true),
                    JSONToken(kind: kind, range: 0..<bytes.count - 3, isStart: false),
                ]
            )
        }
    }

    @Test(
        "each byte is accepted only where the grammar has it (RFC 8259)",
        arguments: [
            ("[", "]", "\t\n\r 0123456789"), ("1", "", "\t\n\r 0123456789"), ("1", "5", ".0123456789Ee"),
            ("1e", "5", "+-0123456789"), ("1.", "", "0123456789"), ("-", "", "0123456789"), ("0", "", "\t\n\r "),
            ("0", "5", ".Ee"), ("0.1", "5", "0123456789Ee"), ("1e1", "", "\t\n\r 0123456789"),
            ("\"\\", "\"", "\"/\\bfnrt"), ("\"\\u00", "0\"", "0123456789ABCDEFabcdef"),
            ("\"\\u000", "\"", "0123456789ABCDEFabcdef"), ("[1", "2]", ",.0123456789Ee"),
            ("{\"a\"", "1}", ":"), ("[1", "", "]"), ("{\"a\":1", "", "}"), ("[", "", "]"), ("{", "", "}"),
        ]
    )
    func bytes(before: String, after: String, expected: String) {
        #expect(Self.accepted(before, after) == expected)
    }

    @Test("a string has any character but controls, quotation marks and backslashes as it is")
    func strings() {
        for byte in UInt8.min...0x7F {
            #expect(Self.accepts([0x22, byte, 0x22]) == (byte >= 0x20 && byte != 0x22 && byte != 0x5C), "\(byte)")
        }
        #expect(Self.accepts(Array("\"\\\"\"".utf8)))
    }

    @Test(
        "a byte order mark has three bytes",
        arguments: [[0xEF, 0xBB, 0x31], [0xEF, 0xBF, 0xBB, 0x31], [0xEF, 0x31], [0xEF], [0xEF, 0xBB, 0xBF]] as [[UInt8]]
    )
    func marks(bytes: [UInt8]) {
        #expect(!Self.accepts(bytes))
    }

    @Test(
        "a fault says what should be there",
        arguments: [
            ("", .ended("a value")), ("x", .expected("a value")), ("[", .ended("a value or `]`")),
            ("[x", .expected("a value or `]`")), ("[1", .ended("a comma or `]`")),
            ("[1 x", .expected("a comma or `]`")),
            ("{", .ended("a member name in quotation marks or `}`")), ("{\"a\"", .ended("a colon")),
            ("{\"a\":1", .ended("a comma or `}`")), ("{\"a\":1,", .ended("a member name in quotation marks")),
            ("1 1", .expected("the end of the text")), ("-", .ended("a digit")), ("-x", .expected("a digit")),
            ("\"", .ended("the quotation mark that ends a string")), ("nul", .ended("the rest of `null`")),
            ("trua", .expected("the rest of `true`")), ("\"\\x", .expected("one of `\"\\/bfnrtu` after a backslash")),
            ("\"\\u0x", .expected("a hexadecimal digit")), ("\"\n", .expected("an escape, not a control character")),
            ("[[[[[[[[[", .tooDeep(limit: 8)), ("[1]]", .expected("the end of the text")),
        ] as [(String, JSONSyntaxError.Problem)]
    )
    func faults(text: String, problem: JSONSyntaxError.Problem) {
        let error = #expect(throws: JSONSyntaxError.self) { _ = try Self.tokens(Array(text.utf8)) }
        #expect(error?.problem == problem)
    }

    @Test("a fault is told in a sentence, with its line and column")
    func sentences() {
        func text(_ problem: JSONSyntaxError.Problem) -> String {
            "\(JSONSyntaxError(problem: problem, line: 2, column: 7))"
        }
        #expect(text(.expected("a colon")) == "the content is not JSON: line 2, column 7 should be a colon")
        #expect(text(.ended("a value")) == "the content is not JSON: it ends at line 2, column 7 without a value")
        #expect(text(.tooDeep(limit: 8)) == "the JSON is nested more than 8 deep at line 2, column 7")
    }
}
