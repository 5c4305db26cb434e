import Testing

@testable import TOML

/// Text with variables in it.
@Suite struct VariableTextTests {
    private static let environment = ["PORT": "8000", "EMPTY": "", "AGAIN": "${PORT}", "_X1": "x"]

    @Test(
        "variables stand in text, with a default, and `$${` for the letters",
        arguments: [
            ("http://h.example:${PORT}", "http://h.example:8000"), ("${PORT}${PORT}", "80008000"),
            ("${NONE:-a b}", "a b"),
            ("${EMPTY:-b}", "b"), ("x${EMPTY}y", "xy"), ("${NONE:-}", ""), ("${PORT:-1}", "8000"), ("${_X1}", "x"),
            ("$${PORT}", "${PORT}"), ("$$${PORT}", "$${PORT}"), ("$PORT $", "$PORT $"), ("a$${", "a${"),
            ("${AGAIN}", "${PORT}"), ("${NONE:-$$}", "$$"),
        ]
    )
    func expanded(_ text: String, _ expected: String) throws {
        let variables = VariableText(environment: Self.environment)
        #expect(try variables.expanded(text) ?? text == expected)
    }
}
