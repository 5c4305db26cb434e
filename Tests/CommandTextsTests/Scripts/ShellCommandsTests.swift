import Testing

@testable import CommandTexts

/// The commands in a shell's text.
@Suite struct ShellCommandsTests {
    @Test(
        "commands end at lines and operators; words of the language, assignments and wrappers are none of their words",
        arguments: [
            ("", []), ("a", [["a"]]), ("a b\n", [["a", "b"]]),
            ("a b; c|d && e\nf", [["a", "b"], ["c"], ["d"], ["e"], ["f"]]),
            ("if x; then y; fi", [["x"], ["y"], ["fi"]]), ("! { a b", [["a", "b"]]),
            ("while a; do b; done", [["a"], ["b"], ["done"]]),
            ("A=1 B_2=x a b", [["a", "b"]]), ("A=1", []), ("A=1\nB=2 c", [["c"]]), ("a-b=c d", [["a-b=c", "d"]]),
            ("a B=1", [["a", "B=1"]]), ("env a b", [["a", "b"]]), ("env A=1 a", [["a"]]), ("a env", [["a", "env"]]),
            ("a if", [["a", "if"]]), ("'a' \"b c\" \\d", [["a", "b", "c", "d"]]), ("a > f", [["a", "f"]]),
            ("(a)", [["a"]]), ("`a`", [["a"]]), ("b $(a c)", [["b", "$"], ["a", "c"]]), (" ;; a ;", [["a"]]),
            ("until a\r\nb", [["a"], ["b"]]), ("elif a; else b", [["a"], ["b"]]),
        ] as [(String, [[String]])]
    )
    func commands(text: String, commands: [[String]]) {
        #expect(ShellCommands.commands(in: text) { $0 == "env" } == commands)
    }
}
