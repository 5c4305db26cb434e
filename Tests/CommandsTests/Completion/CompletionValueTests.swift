import CommandSyntax
import CommandTexts
import Settings
import Testing

@testable import Commands

/// What completion scripts offer.
@Suite struct CompletionValueTests {
    private static func option(_ name: String, of command: String) throws -> CompletionValue {
        let options = try CommandSpecification.named(command).options
        return CompletionValue(try #require(options.first { $0.name == name }))
    }

    @Test("values that are a fixed set are offered, files and directories are looked for, the rest is the user's")
    func values() throws {
        #expect(try Self.option("mode", of: "serve") == .words(["online", "auto", "offline", "replay"]))
        #expect(try Self.option("sort", of: "ls") == .words(ListOrder.allCases.map(\.rawValue)))
        #expect(try Self.option("format", of: "ca export") == .words(["pem", "der"]))
        #expect(try Self.option("config", of: "serve") == .files)
        #expect(try Self.option("store", of: "serve") == .directories)
        #expect(try Self.option("name", of: "ca create") == .anything)
        #expect(try Self.option("for", of: "ca create") == .anything)
        #expect(try Self.option("json", of: "ls") == .anything)
        guard case .words(let names) = try Self.option("set", of: "serve") else { return #expect(Bool(false)) }
        #expect(names.contains("storage.limit=") && names.count == SettingKey.all.count)
    }

    @Test(
        "the word for a value in help texts says what is offered",
        arguments: [
            ("MODE", ["online", "auto", "offline", "replay"]), ("ACTION", ["fail", "pass", "record"]),
            ("PACE", ["instant", "recorded"]),
            ("PARTS", ["method,url,content", "method,path,content", "-content", "-query", "+field:"]),
            ("PAGE", ["respite.1", "respite.toml.5"]), ("SHELL", ["bash", "zsh", "fish"]),
            ("METHOD", ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]),
            ("ORDER", ["url", "state", "status", "size", "age", "ttl", "hits"]),
            (
                "TOOL",
                [
                    "pip", "uv", "npm", "yarn", "pnpm", "cargo", "go", "git", "apt", "gem", "mvn", "gradle", "docker",
                    "skopeo", "podman", "curl", "wget", "python", "node", "java",
                ]
            ), ("CATEGORY", LogCategoryNames.all),
        ]
    )
    func words(word: String, offered: [String]) { #expect(CompletionValue(word: word) == .words(offered)) }

    @Test("of files, directories and what only the user knows no words are offered")
    func places() {
        #expect(CompletionValue(word: "FILE") == .files && CompletionValue(word: "DIR") == .directories)
        for word in ["URL", "ADDR", "TIME", "", "file"] { #expect(CompletionValue(word: word) == .anything) }
    }

    @Test("presets and forms of requests are offered by the names of their options")
    func named() throws {
        let presets = ["pip", "npm", "go", "cargo", "apt", "oci", "gem", "maven"]
        #expect(try Self.option("rules", of: "serve") == .words(presets))
        #expect(try Self.option("as", of: "show") == .words(["curl"]))
    }

    @Test("an operand alone may be the last of two; the words of commands are offered once")
    func operands() throws {
        let mode = CompletionOperands(try .named("mode"))
        #expect(mode.first.count == 2 && mode.first[0] == mode.first[1] && mode.rest == nil)
        #expect(CompletionOperands(try .named("run")).rest == .program)
        guard case .words(let words)? = CompletionOperands(try .named("help")).rest else { return #expect(Bool(false)) }
        #expect(words.filter { $0 == "show" }.count == 1 && words.contains("ca") && !words.contains("man"))
    }

    @Test("the first word is a command or a group; after a group come the names of its parts")
    func names() throws {
        let names = CompletionCommand.names.map(\.name)
        let words = CommandSpecification.listed.compactMap { $0.name.split(separator: " ").first.map(String.init) }
        #expect(names.count == Set(words).count && Set(names) == Set(words))
        #expect(CompletionCommand.names.allSatisfy { !$0.brief.isEmpty })
        let group = try #require(CommandGroup.all.first { $0.name == "ca" })
        let parts = CompletionCommand.parts(of: group)
        #expect(parts.map(\.name) == ["create", "show", "trust", "untrust", "export"])
        #expect(parts.map(\.brief) == group.members.map(\.guide.brief))
    }

    @Test("each script has every command and option that help texts have", arguments: CompletionShell.allCases)
    func complete(shell: CompletionShell) {
        let script = CompletionCommand.script(for: shell)
        for command in CommandSpecification.listed {
            for word in command.name.split(separator: " ") { #expect(script.contains(word), "\(word)") }
            for option in command.options {
                let name = shell == .fish ? "-l \(option.name) " : "--\(option.name)"
                #expect(script.contains(name), "\(option.name)")
            }
        }
    }
}
