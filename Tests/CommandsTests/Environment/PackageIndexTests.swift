import CommandSyntax
import Platform
import Settings
import Testing
import TestSupport

@testable import Commands

/// What tools say about their indexes; each tool here is a script.
@Suite struct PackageIndexTests {
    private let home = TemporaryDirectory()

    private func ask(_ tool: ClientTool, _ script: String, timeout: Duration = .seconds(60)) throws -> IndexAnswer {
        let name = tool == .apt ? "apt-get" : tool.rawValue
        try home.write("#!/bin/sh\n\(script)\n", to: name, mode: 0o700)
        var environment = ProcessEnvironment()
        environment["PATH"] = "\(home.path):/usr/bin:/bin"
        environment["HOME"] = home.path
        return PackageIndex(state: ProcessState(), environment: environment, timeout: timeout).ask(tool, [name])
    }

    @Test(
        "each tool is asked in its own way",
        arguments: [
            (
                .pip, "echo '-i, --index-url <url> Base (default'; echo ' https://a.example/simple). More'",
                "https://a.example/simple"
            ),
            (.uv, "echo '--default-index <I> The (by default: <https://a.example/s>) [env: X]'", "https://a.example/s"),
            (
                .npm,
                "echo '; registry = \"https://no.example/\" ; overridden'; echo 'registry = \"https://a.example/\"'",
                "https://a.example/"
            ),
            (.pnpm, "echo https://a.example/", "https://a.example/"),
            (
                .yarn,
                """
                [ $2 = list ] || exit 1
                echo '{"type":"info","data":"yarn config"}'; echo '{"type":"inspect","data":{"registry":"https://no.example"}}'
                echo '{"type":"info","data":"npm config"}'; echo '{"type":"inspect","data":{"registry":"https://a.example/"}}'
                """,
                "https://a.example/"
            ),
            (
                .yarn,
                """
                [ $2 = list ] || exit 1
                echo '{"type":"inspect","data":{"registry":"https://a.example"}}'; echo '{"type":"inspect","data":{"cafile":"x"}}'
                """,
                "https://a.example/"
            ),
            (.yarn, "[ \"$3\" = npmRegistryServer ] && echo https://a.example || echo undefined", "https://a.example/"),
            (.go, "echo 'https://a.example,direct'", "https://a.example/"),
            (
                .cargo, "echo 'failed to download from `https://a.example/i/config.json`' >&2; exit 101",
                "https://a.example/i/"
            ),
            (.apt, "echo http://a.example/debian; echo http://a.example/debian", "http://a.example/debian"),
            (.gem, "echo https://a.example/", "https://a.example/"),
            (
                .mvn, "echo 'Cannot access central (https://a.example/maven2) in offline mode'; exit 1",
                "https://a.example/maven2"
            ),
            (.npm, "echo 'registry = \"http://127.0.0.1:3128/https://a.example/\"'", "https://a.example/"),
        ] as [(ClientTool, String, String)]
    )
    func answers(tool: ClientTool, script: String, index: String) throws {
        let answer = try ask(tool, script)
        #expect(answer.indexes.map(\.text) == [index], "\(answer)")
        guard case .named = answer else { return #expect(Bool(false), "\(answer)") }
    }

    @Test(
        "an index with a user name or a token is the tool's alone, and no text shows the secret",
        arguments: [
            (.pip, "echo '--index-url <url> (default https://ann:****@a.example/simple).'"),
            (.go, "echo 'https://ann:secret@a.example/go,https://b.example'"),
            (.gem, "echo https://secret@a.example/"),
            (.npm, "echo '//a.example/:_authToken = (protected)'; echo 'registry = \"https://a.example/n/\"'"),
            (.mvn, "echo 'Cannot access m (https://ann:secret@a.example/m) in offline mode'"),
            (.pnpm, "echo https://a.example/n/"),
            (.yarn, "echo '{\"data\":{\"registry\":\"https://a.example/n/\"}}'"),
            (
                .yarn,
                "case $3 in registry) exit 1;; npmRegistryServer) echo https://a.example;; npmAuthToken) echo '****';; *) echo null;; esac"
            ),
            (
                .yarn,
                "case $3 in registry) exit 1;; npmRegistryServer) echo https://a.example;; npmRegistries) echo 'npmAuthIdent: x';; esac"
            ),
        ] as [(ClientTool, String)]
    )
    func credentials(tool: ClientTool, script: String) throws {
        try home.write("; a comment\n//other.example/:_authToken=x\n //a.example/n/:_authToken=secret\n", to: ".npmrc")
        let answer = try ask(tool, script)
        guard case .credential(let index) = answer else { return #expect(Bool(false), "\(answer)") }
        #expect(index.text.hasPrefix("https://a.example/"))
        let endpoint = try ProxyEndpoint(listeners: ["127.0.0.1:1"])
        let result = tool.variables(endpoint, nil, exceptions: "", answer: answer)
        #expect(result.variables.isEmpty && result.notes.first?.contains("stays as it is") == true, "\(result)")
        #expect(!"\(answer) \(result)".contains("secret"))
    }

    @Test(
        "a token of .npmrc for another registry, or another path of it, is none for this one",
        arguments: [
            (ClientTool.pnpm, "echo https://a.example/n/"),
            (.yarn, "echo '{\"data\":{\"registry\":\"https://a.example/n/\"}}'"),
        ]
    )
    func otherTokens(tool: ClientTool, script: String) throws {
        try home.write("//b.example/:_authToken=x\n//a.example/other/:_authToken=x\nalways-auth=true\n", to: ".npmrc")
        #expect(
            try ask(tool, script)
                == .named(text: "https://a.example/n/", [#require(PackageIndexURL("https://a.example/n/"))])
        )
    }

    @Test(
        "garbage, silence and failure are no index",
        arguments: [
            "exit 1", "true", "echo undefined", "head -c 20000 /dev/urandom",
            "echo 'registry = \"ftp://a.example/\"'",
            "echo '--index-url (default https://a.example/*)'", "echo 'Cannot access x'", "printf '\\0\\377\\n'",
            "echo '--default-index (by default: javascript:x)'", "kill -9 $$",
        ]
    )
    func garbage(script: String) throws {
        for tool in [ClientTool.pip, .uv, .npm, .pnpm, .yarn, .go, .cargo, .apt, .gem, .mvn] {
            guard case .unknown(let reason) = try ask(tool, script) else {
                #expect(Bool(false), "\(tool): \(script)")
                continue
            }
            #expect(!reason.isEmpty)
        }
    }

    @Test("for bundler `gem` is asked; a program that is gem by another path is asked itself")
    func gems() throws {
        for (name, host) in [("gem", "a"), ("other-gem", "b"), ("bundle", "c")] {
            try home.write("#!/bin/sh\necho https://\(host).example/\n", to: name, mode: 0o700)
        }
        var environment = ProcessEnvironment()
        environment["PATH"] = "\(home.path):/usr/bin:/bin"
        let index = PackageIndex(state: ProcessState(), environment: environment, timeout: .seconds(20))
        for (program, host) in [("bundle", "a"), ("gem", "a"), ("\(home.path)/other-gem", "b")] {
            #expect(index.ask(.gem, [program]).indexes.map(\.text) == ["https://\(host).example/"], "\(program)")
        }
    }

    @Test("megabytes of garbage are no index")
    func flood() throws {
        guard case .unknown = try ask(.pip, "head -c 2000000 /dev/urandom") else {
            return #expect(Bool(false), "an index was found")
        }
    }

    @Test(
        "a program that runs packages is not asked: its tool is",
        arguments: [
            (.npm, "npx", "echo 'registry = \"https://a.example/\"'"), (.pnpm, "pnpx", "echo https://a.example/"),
            (.uv, "uvx", "echo '--default-index <I> (by default: https://a.example/)'"),
        ] as [(ClientTool, String, String)]
    )
    func runners(tool: ClientTool, runner: String, script: String) throws {
        let mark = home.path + "/ran"
        try home.write("#!/bin/sh\ntouch \(mark)\n", to: runner, mode: 0o700)
        try home.write("#!/bin/sh\n\(script)\n", to: tool.rawValue, mode: 0o700)
        var environment = ProcessEnvironment()
        environment["PATH"] = "\(home.path):/usr/bin:/bin"
        let answer = PackageIndex(state: ProcessState(), environment: environment).ask(tool, [runner])
        #expect(answer.indexes.map(\.text) == ["https://a.example/"])
        #expect(SmallFile.names(in: home.path).contains("ran") == false)
    }

    @Test("a tool that hangs is ended, and the reason says so")
    func hanging() throws {
        let answer = try ask(.go, "exec sleep 600", timeout: .seconds(1))
        #expect(answer == .unknown("go has not answered within 1 s"))
    }

    @Test("a preset whose tool is absent, or names nothing, says what to write")
    func absent() throws {
        var environment = ProcessEnvironment()
        environment["PATH"] = home.path
        let presets = ToolPresets(PackageIndex(state: ProcessState(), environment: environment))
        for preset in RulePreset.allCases {
            let fault = #expect(throws: PresetFault.self) { try presets.indexes(of: preset) }
            #expect(fault?.userMessage.contains("write \"\(preset.rawValue)=URL\"") == true)
        }
    }
}
