import Testing

@testable import TOML

@Suite struct TOMLDocumentTests {
    @Test("members keep the order and places of the document")
    func order() throws {
        let members = try TOMLDocument.parse(Array("zeta = 1\nalpha.beta = \"ä\"\n[middle]\nx = [true, 1.5]\n".utf8))
        #expect(members.map(\.key) == ["zeta", "alpha", "middle"])
        guard case .table(let inner) = members[2].node.value, case .array(let items) = inner[0].node.value else {
            Issue.record("no table with a list")
            return
        }
        #expect(inner[0].keyPosition == TextPosition(line: 4, column: 1))
        #expect(items[1].position == TextPosition(line: 4, column: 12))
        guard case .real(1.5) = items[1].value else {
            Issue.record("not 1.5")
            return
        }
    }

    @Test("columns count code points, not bytes")
    func columns() {
        #expect(throws: TOMLError.self) { try TOMLDocument.parse(Array("a = \"ää\" b".utf8)) }
        do {
            _ = try TOMLDocument.parse(Array("a = \"ää\" b".utf8))
        } catch {
            #expect(error.position == TextPosition(line: 1, column: 10))
        }
    }

    @Test("a file larger than 1 MiB is refused")
    func size() {
        #expect(throws: TOMLError.self) {
            try TOMLDocument.parse([UInt8](repeating: UInt8(ascii: "#"), count: 1 << 20 + 1))
        }
        #expect(throws: Never.self) { try TOMLDocument.parse([UInt8](repeating: UInt8(ascii: "#"), count: 1 << 20)) }
    }

    @Test(
        "nesting over 64 is refused, whatever it is made of",
        arguments: [
            String(repeating: "a.", count: 20_000) + "a = 1",
            "[" + String(repeating: "a.", count: 20_000) + "a]",
            "x = { \"\"\"\"a\"\"\"\"\" = 1 }\n" + String(repeating: "a.", count: 400_000) + "a = 1",
            "x = [\"\"\"a\"\"\"\"\"," + "{ " + String(repeating: "a.", count: 400_000) + "a = 1 }]",
            "x = " + String(repeating: "[", count: 100_000),
            "x = " + String(repeating: "{a=", count: 100_000),
            "x = " + String(repeating: "[", count: 80) + String(repeating: "]", count: 80),
            "[" + String(repeating: "a.", count: 60) + "a]\n" + String(repeating: "a.", count: 60) + "a = 1",
        ]
    )
    func depth(text: String) {
        #expect(throws: TOMLError.self) { try TOMLDocument.parse(Array(text.utf8)) }
    }

    @Test(
        "a malformed table header is an error of its line, not the end of the process",
        arguments: ["[[[1]]]", "[ # a", "[=", "[[=", "[.a]", "[a.]", "[[]]", "[", "[["]
    )
    func headers(text: String) {
        do {
            _ = try TOMLDocument.parse(Array("a = 1\n\nb = 2\n\(text)\nc = 3\n".utf8))
            Issue.record("taken")
        } catch {
            #expect(error.position.line == 4)
        }
    }

    @Test("dots in text and comments are no nesting")
    func dots() throws {
        let dots = String(repeating: ".", count: 500)
        let members = try TOMLDocument.parse(Array("a = \"\(dots)\" # \(dots)\nb = '''\n\(dots)'''\n".utf8))
        #expect(members.count == 2)
    }

    @Test(
        "no bytes crash it",
        arguments: [
            [0], [0xFF, 0xFE], Array("a = \"\\".utf8), Array("\"".utf8), Array("a = '''".utf8), [0x61, 0x3D, 0xC3],
        ]
    )
    func garbage(bytes: [UInt8]) {
        #expect(throws: TOMLError.self) { try TOMLDocument.parse(bytes) }
    }
}
