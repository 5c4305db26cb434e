import CommandSyntax
import Platform
import Settings
import TestSupport
import Testing

@testable import Commands

/// Which tools of a command are pointed at the gateway, and at which indexes.
@Suite struct RunToolsTests {
    private let home = TemporaryDirectory()

    /// The tools of `respite run OPTIONS -- WORDS`, with presets that `--rules` names.
    private func tools(
        _ words: [String],
        _ wanted: PresetSetting...,
        options: [String] = []
    ) throws -> RunTools {
        var environment = ProcessEnvironment()
        environment["PATH"] = home.path
        return try RunTools(
            try ParsedCommand.parse(["run"] + options + ["--"] + words),
            wanted: wanted,
            PackageIndex(state: ProcessState(), environment: environment)
        )
    }

    @Test(
        "an index that --rules names is told to the tool of the command in its own form",
        arguments: [
            ("go", .go, "https://a.example/i,direct"), ("mvn", .maven, "central https://a.example/i"),
            ("pip", .pip, "https://a.example/i"), ("npm", .npm, "https://a.example/i"),
        ] as [(String, RulePreset, String)]
    )
    func forms(program: String, preset: RulePreset, text: String) throws {
        let index = try #require(PackageIndexURL("https://a.example/i"))
        let wanted = PresetSetting(preset, index: "https://a.example/i")
        let tools = try tools([program, "x"], wanted)
        #expect(tools.entries.map(\.answer) == [.named(text: text, [index])])
        #expect(tools.presets == [wanted] && tools.known == [preset: [index]])
        #expect(tools.services.map(\.name) == (preset == .maven ? ["run-maven"] : []))
        #expect(tools.services.map(\.base) == (preset == .maven ? ["https://a.example/i/"] : []))
    }

    @Test("tools of a preset that is named are pointed at it if they are installed, whatever the command is")
    func installed() throws {
        let wanted = PresetSetting(.npm, index: "https://a.example/n")
        let absent = try tools(["true"], wanted)
        #expect(absent.entries.isEmpty && absent.presets == [wanted] && absent.known.isEmpty)
        for name in ["npm", "pnpm", "pip"] { try home.write("#!/bin/sh\n", to: name, mode: 0o700) }
        let present = try tools(["true"], wanted)
        #expect(Set(present.entries.map(\.tool.tool)) == [.npm, .pnpm])
        #expect(present.entries.allSatisfy { $0.tool.arguments == nil && $0.answer.indexes.count == 1 })
        #expect(present.presets == [wanted])
    }

    @Test("a preset whose index nobody names ends the command, and the message names the option")
    func nameless() {
        let failure = #expect(throws: CommandFailure.self) { try tools(["true"], PresetSetting(.gem)) }
        #expect(failure?.exitCode == 2)
        #expect(
            failure?.userMessage
                == "`--rules`: no tool here can name the index of gem (gem); install one, or write \"gem=URL\" with the URL "
                + "of the index"
        )
    }

    @Test("a preset without an index is done where a tool of the command has named one, and no other tool is asked")
    func namedByTool() throws {
        _ = home.directory("own")
        let npm = try home.write(
            "#!/bin/sh\necho 'registry = \"https://a.example/n/\"'\n",
            to: "own/npm",
            mode: 0o700
        )
        let index = try #require(PackageIndexURL("https://a.example/n/"))
        let tools = try tools([npm, "ci"], PresetSetting(.npm))
        #expect(tools.entries.map(\.tool.program) == [[npm]])
        #expect(tools.entries.map(\.answer) == [.named(text: "https://a.example/n/", [index])])
        #expect(tools.presets == [PresetSetting(.npm, index: "https://a.example/n/")])
    }

    @Test("an index that --rules names is also for other tools of its preset than that of the command")
    func otherTools() throws {
        for name in ["npm", "pnpm", "yarn", "pip"] { try home.write("#!/bin/sh\n", to: name, mode: 0o700) }
        let wanted = PresetSetting(.npm, index: "https://a.example/n")
        let tools = try tools(["npm", "ci"], wanted)
        #expect(tools.entries.map(\.tool.tool) == [.npm, .yarn, .pnpm])
        #expect(tools.entries.map(\.tool.arguments) == [1, nil, nil])
        #expect(Set(tools.entries.flatMap(\.answer.indexes)).count == 1 && tools.presets == [wanted])
    }

    @Test(
        "of the tools of a preset those are pointed at its index that have a variable or a file for that",
        arguments: [
            (.pip, [.pip, .uv]), (.npm, [.npm, .yarn, .pnpm]), (.go, [.go]), (.cargo, [.cargo]), (.apt, []),
            (.oci, []), (.gem, [.gem]), (.maven, [.mvn]),
        ] as [(RulePreset, [ClientTool])]
    )
    func pointed(preset: RulePreset, expected: [ClientTool]) throws {
        for tool in ClientTool.allCases where tool.preset == preset || tool == .pip {
            try home.write("#!/bin/sh\n", to: tool.rawValue, mode: 0o700)
        }
        let wanted = PresetSetting(preset, index: "https://a.example/i")
        let tools = try tools(["true"], wanted)
        #expect(tools.entries.map(\.tool.tool) == expected && tools.presets == [wanted])
        #expect(tools.entries.map(\.tool.program) == expected.map { [$0.rawValue] })
    }

    @Test("tools without an index of packages count only if --for names them, except Java")
    func others() throws {
        let words = ["sh", "-c", "git a; curl b; java c; node d"]
        #expect(try tools(words).entries.map(\.tool.tool) == [.java])
        let named = try tools(words, options: ["--for", "curl", "--for", "wget"])
        #expect(named.entries.map(\.tool.tool) == [.curl, .java, .wget])
        for entry in named.entries { #expect(entry.answer == Self.absent(entry)) }
        #expect(named.presets.isEmpty && named.known.isEmpty && named.services.isEmpty)
    }

    /// What is said of a tool that is not there.
    private static func absent(_ entry: RunTools.Entry) -> IndexAnswer {
        .unknown("\(entry.tool.tool.rawValue) is not installed here")
    }

    @Test("a tool that names no index does not stop a command, unless --for names it: then --index has to")
    func silent() throws {
        let words = ["sh", "-c", "pip a; npm b"]
        let silent = try tools(words)
        #expect(silent.entries.map(\.tool.tool) == [.pip, .npm] && silent.presets.isEmpty && silent.known.isEmpty)
        for entry in silent.entries { #expect(entry.answer == Self.absent(entry)) }
        let failure = #expect(throws: CommandFailure.self) { try tools(words, options: ["--for", "npm"]) }
        #expect(failure?.exitCode == 2)
        #expect(failure?.userMessage == "npm is not installed here; name the index with --index URL")
        let index = try #require(PackageIndexURL("https://a.example/n"))
        let named = try tools(words, options: ["--for", "npm", "--index", "https://a.example/n"])
        #expect(named.entries.map(\.tool.tool) == [.pip, .npm])
        #expect(named.entries.last?.answer == .named(text: "https://a.example/n", [index]))
        // What `--index` says is for the tools that are named, and for one alone.
        #expect(named.entries.first.map { $0.answer == Self.absent($0) } == true && named.known == [.npm: [index]])
        let alone = try tools(["pip", "a"], options: ["--index", "https://a.example/n"])
        #expect(alone.entries.map(\.answer) == [.named(text: "https://a.example/n", [index])])
    }

    @Test("a tool that a script starts by two names is asked once")
    func once() throws {
        let script = "#!/bin/sh\necho >>\"${0%/*}/asked\"; echo '--index-url (default https://a.example/s)'\n"
        for name in ["pip", "pip3"] { try home.write(script, to: name, mode: 0o700) }
        let index = try #require(PackageIndexURL("https://a.example/s"))
        let tools = try tools(["sh", "-c", "pip a; pip3 b"])
        #expect(tools.entries.map(\.tool.program) == [["pip"], ["pip3"]])
        #expect(tools.entries.map(\.answer.indexes) == [[index], [index]] && tools.presets.count == 1)
        #expect(try SmallFile.read(home.path("asked"), limit: 100) == [0x0A])
    }
}
