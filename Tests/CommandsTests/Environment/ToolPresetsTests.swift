import CommandSyntax
import Platform
import Settings
import Testing
import TestSupport

@testable import Commands

/// The rules that come with the program.
@Suite struct ToolPresetsTests {
    private let presets = ToolPresets(PackageIndex(state: ProcessState(), environment: ProcessEnvironment()))

    private func load(_ text: String) throws -> LoadedSettings {
        let home = TemporaryDirectory()
        let file = try home.write(text, to: "respite.toml")
        let command = try ParsedCommand.parse(["serve", "--config", file])
        return try LoadedSettings.load(command, context: .current, presets: presets)
    }

    @Test("the rules of each preset are valid, and are for its index", arguments: RulePreset.allCases)
    func valid(preset: RulePreset) throws {
        let loaded = try load("rules = [\"\(preset.rawValue)=https://index.example/path/simple\"]")
        let rules = loaded.values.rules
        #expect(!rules.isEmpty && rules.allSatisfy { $0.match.hasPrefix("https://index.example/path/") })
        #expect(loaded.presets.map(\.text) == ["\(preset.rawValue)=https://index.example/path/simple"])
        #expect(loaded.presets.first?.rules == rules.indices)
        // Pages of other hosts stay as they are.
        #expect(loaded.presets.first?.linkedRules.allSatisfy { $0.settings.transform == nil } == true)
    }

    @Test("pages of a Python index are where its URL says, and its files beside them")
    func pythonIndex() throws {
        let usual = try load("rules = \"pip=https://index.example/simple/\"").values.rules.map(\.match)
        #expect(usual.contains("https://index.example/**/simple/**"))
        let other = try load("rules = \"pip=https://index.example/whl/cpu\"").values.rules.map(\.match)
        #expect(other.contains("https://index.example/whl/cpu/**"))
        #expect(other.contains("https://index.example/whl/**/packages/*/*/*/*"))
    }

    @Test("rules of the settings come behind those of presets, and an option adds to the file's presets")
    func order() throws {
        let home = TemporaryDirectory()
        let file = try home.write(
            "rules = [\"go=https://go.example/\"]\n[[rule]]\nmatch = \"https://own.example/**\"\nttl = \"1h\"\n",
            to: "respite.toml"
        )
        let words = [
            "serve", "--config", file, "--rules", "gem=https://gem.example/", "--rules", "go=https://go.example/",
        ]
        let loaded = try LoadedSettings.load(try ParsedCommand.parse(words), context: .current, presets: presets)
        #expect(loaded.presets.map(\.preset) == [.go, .gem])
        #expect(loaded.values.rules.last?.match == "https://own.example/**")
        #expect(loaded.values.rules.count == (loaded.presets.last?.rules.upperBound ?? 0) + 1)
    }
}
