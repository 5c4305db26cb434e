import CommandSyntax
import Platform
import Settings
import TestSupport
import Testing

@testable import Commands

/// Which tools of a command are pointed at the gateway, and at which indexes.
@Suite struct RunToolsTests {
    private let home = TemporaryDirectory()

    /// The tools of `respite run -- WORDS`, with presets that `--rules` names.
    private func tools(_ words: [String], _ wanted: PresetSetting...) throws -> RunTools {
        var environment = ProcessEnvironment()
        environment["PATH"] = home.path
        return try RunTools(
            try ParsedCommand.parse(["run", "--"] + words),
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
}
