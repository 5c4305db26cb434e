import Testing
import TestSupport

@testable import Commands

/// The tools that a command line starts.
@Suite struct ToolRecognitionTests {
    private static func found(_ words: [String]) -> [String] {
        ToolRecognition.tools(in: words).map { "\($0.tool.rawValue): \($0.program.joined(separator: " "))" }
    }

    @Test(
        "a tool is known by name, by path, as a module of Python and behind programs that start others",
        arguments: [
            (["pip", "install", "six"], ["pip: pip"]),
            (["/opt/venv/bin/pip3.11", "install"], ["pip: /opt/venv/bin/pip3.11"]),
            (["python3", "-m", "pip", "download", "six"], ["pip: python3 -m pip"]),
            (["/usr/bin/python3.11", "-I", "-m", "pip"], ["pip: /usr/bin/python3.11 -m pip"]),
            (["python3", "-m", "http.server"], ["python: python3"]),
            (["python3", "-c", "import pip", "-m", "pip"], ["python: python3"]),
            (["sudo", "-n", "apt-get", "update"], ["apt: apt-get"]),
            (["env", "A=b", "npx", "thing"], ["npm: npx"]),
            (["timeout", "30", "cargo", "+nightly", "build"], ["cargo: cargo"]),
            (["bundle", "install"], ["gem: bundle"]),
            (["pipeline"], []), (["make"], []), (["echo", "pip"], []), ([], []), ([""], []),
        ] as [([String], [String])]
    )
    func direct(words: [String], tools: [String]) { #expect(Self.found(words) == tools) }

    @Test(
        "in the text of a shell each command counts, but not what only names a tool",
        arguments: [
            ("pip install six && npm ci", ["pip: pip", "npm: npm"]),
            ("cd x; A=1 python3 -m pip install -r r.txt | tee log", ["pip: python3 -m pip"]),
            ("if true; then go build ./...; fi", ["go: go"]),
            ("(sudo apt-get update)", ["apt: apt-get"]),
            ("x=$(npm config get registry)", ["npm: npm"]),
            ("'/opt/my tools/cargo' build\ncargo build", ["cargo: cargo"]),
            ("echo pip; pip install a; pip install b", ["pip: pip"]),
            ("", []), (";;;|||", []), ("\"", []),
        ] as [(String, [String])]
    )
    func shell(text: String, tools: [String]) {
        #expect(Self.found(["sh", "-c", text]) == tools)
        #expect(Self.found(["env", "-i", "bash", "-euc", text]) == tools)
        #expect(ToolRecognition.tools(in: ["sh", "-c", text]).allSatisfy { $0.arguments == nil })
    }

    @Test("a small script is read, and a missing or long one is not")
    func script() throws {
        let home = TemporaryDirectory()
        let path = try home.write("#!/bin/sh\nset -e\ngem install rake\n", to: "build.sh")
        #expect(Self.found(["sh", "-e", path]) == ["gem: gem"])
        let long = try home.write(String(repeating: "pip\n", count: 20_000), to: "long.sh")
        #expect(Self.found(["sh", long]).isEmpty && Self.found(["sh", "/no/such/file"]).isEmpty)
        #expect(Self.found(["sh"]).isEmpty && Self.found(["sh", "-c"]).isEmpty)
    }

    @Test("arguments of ours go before the tool's own")
    func arguments() {
        #expect(ToolRecognition.tools(in: ["python3", "-m", "pip", "list"]).first?.arguments == 3)
        #expect(ToolRecognition.tools(in: ["sudo", "apt-get", "update"]).first?.arguments == 2)
    }
}
