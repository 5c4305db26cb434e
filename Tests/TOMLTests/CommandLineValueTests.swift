import Testing

@testable import TOML

/// Values of settings on a command line.
@Suite("Values on a command line") struct CommandLineValueTests {
    /// The value in words, with its position; or the error with its own.
    private static func read(_ text: String, isText: Bool = false, column: Int = 10) -> String {
        do throws(TOMLError) {
            let node = try CommandLineValue.node(text, isText: isText, column: column)
            return "\(node.text) at \(node.position.line):\(node.position.column)"
        } catch {
            return "error at \(error.position.line):\(error.position.column)"
        }
    }

    @Test(
        "TOML is read as such; text for a setting of text, or what is no TOML, is itself",
        arguments: [
            ("8080", false, "integer 8080 at 1:10"), ("true", false, "boolean true at 1:10"),
            ("8080", true, "text 8080 at 1:10"), ("10m", false, "text 10m at 1:10"), ("", false, "text  at 1:10"),
            ("\"a b\"", true, "text a b at 1:10"), ("'a b'", true, "text a b at 1:10"),
            ("\"a", true, "text \"a at 1:10"),
            ("1.5", false, "real 1.5 at 1:10"), ("[::1]:3128", false, "text [::1]:3128 at 1:10"),
            ("[::1]:3128", true, "text [::1]:3128 at 1:10"), ("a = 1", true, "text a = 1 at 1:10"),
        ]
    )
    func values(text: String, isText: Bool, expected: String) {
        #expect(Self.read(text, isText: isText) == expected)
    }

    @Test(
        "lists and tables have the places of their parts in the line, whatever the setting's kind",
        arguments: [true, false]
    )
    func nested(isText: Bool) throws {
        #expect(Self.read("[1, 2]", isText: isText) == "list [integer 1 at 1:11, integer 2 at 1:14] at 1:10")
        #expect(Self.read("{ a = 1 }", isText: isText) == "table {a at 1:12: integer 1 at 1:16} at 1:10")
        #expect(Self.read("[1, 2]", isText: isText, column: 1) == "list [integer 1 at 1:2, integer 2 at 1:5] at 1:1")
        // Only the first line is moved.
        #expect(Self.read("[1,\n 2]", isText: isText) == "list [integer 1 at 1:11, integer 2 at 2:2] at 1:10")
    }

    @Test("what begins like a list or table and is none fails at its place", arguments: [true, false])
    func faults(isText: Bool) {
        for text in ["[1, 2", "{ a = 1", "[1 2]"] { #expect(Self.read(text, isText: isText).hasPrefix("error at 1:1")) }
        #expect(Self.read("[1]\nb = 2", isText: isText) == "error at 1:10")
    }
}

extension TOMLNode {
    /// The value in words, those inside with their positions.
    fileprivate var text: String {
        func placed(_ node: TOMLNode) -> String { "\(node.text) at \(node.position.line):\(node.position.column)" }
        return switch value {
        case .text(let text): "text \(text)"
        case .integer(let number): "integer \(number)"
        case .real(let number): "real \(number)"
        case .boolean(let flag): "boolean \(flag)"
        case .dateOrTime: "date"
        case .array(let nodes): "list [\(nodes.map(placed).joined(separator: ", "))]"
        case .table(let members):
            "table {\(members.map { "\($0.key) at \($0.keyPosition.line):\($0.keyPosition.column): \(placed($0.node))" }.joined(separator: ", "))}"
        case .faulty: "faulty"
        }
    }
}
