import Testing

@testable import Commands

@Suite struct ExplainTests {
    @Test(
        "an identifier of a request is up to 13 digits and small letters",
        arguments: ["0", "9", "a", "z", "0123456789xyz"]
    )
    func identifiers(id: String) throws { #expect(try ExplainCommand.segment(id) == id) }

    @Test(
        "what is no identifier of a request goes into no path",
        arguments: ["", "0123456789wxyz", "a/", "a:", "`", "a{", "A", "é", "a b"]
    )
    func others(id: String) {
        let error = #expect(throws: CommandFailure.self) { try ExplainCommand.segment(id) }
        #expect(error?.exitCode == 2)
    }
}
