import Testing

@testable import Commands

/// Operands that are a URL, or a pattern of URLs.
@Suite struct PatternOperandTests {
    private static func lines(_ check: () throws(CommandFailure) -> Void) -> [Substring] {
        do throws(CommandFailure) {
            try check()
            return []
        } catch {
            return error.exitCode == 2 ? error.userMessage.split(separator: "\n") : ["exit code \(error.exitCode)"]
        }
    }

    @Test(
        "a pattern that does not parse is shown with a mark below the place",
        arguments: [("https://{a,b/**", 8), ("http://h.example:0/**", 17)]
    )
    func mark(pattern: String, column: Int) {
        let expected = ["    \(pattern)", String(repeating: " ", count: 4 + column) + "^"]
        let alone = Self.lines { () throws(CommandFailure) in try PatternOperand.check(pattern) }
        #expect(alone.count == 3 && alone.suffix(2).map(String.init) == expected, "\(alone)")
        // Of a filter the term alone is shown.
        let term = Self.lines { () throws(CommandFailure) in try PatternOperand.checkFilter("a \(pattern) b") }
        #expect(term == alone)
    }

    @Test("what is no pattern must be a URL as an operand, and may be any word of a filter")
    func words() {
        let noURL = Self.lines { () throws(CommandFailure) in try PatternOperand.check("h/x") }
        #expect(noURL == ["`h/x` is not an absolute http or https URL"])
        for text in ["http://h.example/", "http://h.example/**"] {
            #expect(Self.lines { () throws(CommandFailure) in try PatternOperand.check(text) }.isEmpty, "\(text)")
        }
        let filter = "h/x  y http://h.example/*"
        #expect(Self.lines { () throws(CommandFailure) in try PatternOperand.checkFilter(filter) }.isEmpty)
    }
}
