import Testing

@testable import Transformers

/// Pointers (RFC 6901).
@Suite("JSON pointers") struct JSONPointerParserTests {
    /// The tokens of a pointer, with the index that each may be.
    private static func tokens(_ text: String) throws -> [String] {
        try JSONPointerParser.parse(text).segments.map { segment in
            guard segment.selectors.count == 1, !segment.isDescendant,
                case .reference(let token, let index) = segment.selectors[0]
            else { return "?" }
            return String(decoding: token, as: UTF8.self) + (index.map { " \($0)" } ?? "")
        }
    }

    @Test(
        "tokens are names, and array indexes if they are digits without leading zeros, 15 at most",
        arguments: [
            ("", []), ("/", [""]), ("/a/b", ["a", "b"]), ("/a~1b/~0c", ["a/b", "~c"]), ("/0/10", ["0 0", "10 10"]),
            ("/01/-1/1a", ["01", "-1", "1a"]), ("/123456789012345", ["123456789012345 123456789012345"]),
            ("/1234567890123456", ["1234567890123456"]), ("//x", ["", "x"]), ("/\u{FC}~01", ["\u{FC}~1"]),
        ] as [(String, [String])]
    )
    func tokens(text: String, expected: [String]) throws {
        #expect(try Self.tokens(text) == expected)
    }

    @Test(
        "a wrong pointer is told with its place",
        arguments: [("a", 1), ("~0", 1), ("/~2", 3), ("/a~", 4), ("/~", 3)]
    )
    func wrong(text: String, column: Int) {
        let error = #expect(throws: JSONPathError.self) { try JSONPointerParser.parse(text) }
        #expect(error?.column == column)
    }
}
