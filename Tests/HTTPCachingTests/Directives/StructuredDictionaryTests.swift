import HTTPCore
import Testing

@testable import HTTPCaching

/// Dictionaries of Structured Fields (RFC 9651 §3.2).
@Suite struct StructuredDictionaryTests {
    @Test("an item with more than 256 parameters is malformed")
    func parameterLimit() {
        func text(_ count: Int) -> [UInt8] { ("a=1" + (0..<count).map { ";p\($0)" }.joined()).bytes }
        #expect(StructuredDictionary(parsing: text(256))?.members.count == 1)
        #expect(StructuredDictionary(parsing: text(257)) == nil)
    }

    @Test(
        "members have values of these types",
        arguments: [
            ("a", .boolean(true)), ("a=?0", .boolean(false)), ("a=?1", .boolean(true)), ("a=7", .integer(7)),
            ("a=-15", .integer(-15)), ("a=999999999999999", .integer(999_999_999_999_999)),
            ("a=\"x \\\" \\\\ ~\"", .string("x \" \\ ~".bytes)), ("a=tok:/*en", .token("tok:/*en".bytes)),
            ("a=*t", .token("*t".bytes)), ("a=Zz", .token("Zz".bytes)), ("a=1.5", .other),
            ("a=123456789012.123", .other),
            ("a=:aGk+/=:", .other), ("a=@-1", .other), ("a=%\"f%c3%bc ~\"", .other),
            ("a=()", .innerList([])), ("a=( \"x\"  y;q=1 5 )", .innerList(["x".bytes, "y".bytes, nil])),
            ("a=1;b;c=2;  *d-._9=\"e\"", .integer(1)), ("a;b", .boolean(true)), ("  a", .boolean(true)),
            ("a  ", .boolean(true)), ("a\t", .boolean(true)), ("a=1, a=2", .integer(2)),
        ] as [(String, StructuredDictionary.Value)]
    )
    func values(text: String, expected: StructuredDictionary.Value) throws {
        let members = try #require(StructuredDictionary(parsing: text.bytes)).members
        #expect(members.count == 1 && members.first?.key == "a".bytes && members.first?.value == expected)
    }

    @Test("members stand in the order of their first appearance, between blanks and commas")
    func order() throws {
        let members = try #require(StructuredDictionary(parsing: "b=1 \t,\t *a_-.9,b=3,c".bytes)).members
        #expect(members.map { $0.key } == ["b".bytes, "*a_-.9".bytes, "c".bytes])
        #expect(members.map { $0.value } == [.integer(3), .boolean(true), .boolean(true)])
        #expect(StructuredDictionary(parsing: [])?.members.count == 0)
    }

    @Test(
        "one fault in the syntax, and there is no dictionary",
        arguments: [
            "A", "9", "-", "a b", "a,", "a, ", ",a", "a;", "a;B", "a;b=", "a=", "a= 1", "a=-", "a=1.", "a=1.1234",
            "a=1234567890123.1", "a=1000000000000000", "a=\"x", "a=\"\\x\"", "a=\"\u{7F}\"", "a=\"\t\"", "a=?", "a=?2",
            "a=:a",
            "a=:-:", "a=@", "a=@1.5", "a=%x", "a=%\"%C3\"", "a=%\"%c\"", "a=%\"x", "a=%\"\u{7F}\"", "a=(", "a=(x",
            "a=(x\"y\")",
            "a=(x,y)", "a=(x;B)", "a=()x", "a={", "\ta",
        ]
    )
    func faults(text: String) {
        #expect(StructuredDictionary(parsing: text.bytes) == nil)
    }
}
