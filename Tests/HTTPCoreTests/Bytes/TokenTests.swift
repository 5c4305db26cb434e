import HTTPCore
import Testing

@Suite("Tokens and quoted strings")
struct TokenTests {
    @Test("a quoted string loses its quotes and escapes, and what is none is refused")
    func quotedStrings() {
        #expect(Token.unquoted(latin("\"a\\\"b\"").span) == latin("a\"b"))
        #expect(Token.unquoted(latin("\"\"").span) == [])
        for bad in ["", "\"", "a", "\"a", "\"a\"b\"", "\"a\\\"", "\"a\u{1}\""] {
            #expect(Token.unquoted(latin(bad).span) == nil)
        }
    }
}
