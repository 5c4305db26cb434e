import CommandSyntax
import Platform
import Settings
import Testing
import TestSupport

@testable import Commands

/// Why no index is known, and which tool is asked for it; each tool here is a script.
@Suite struct PresetFaultTests {
    private let home = TemporaryDirectory()

    private func index(_ variables: [String: String] = [:]) -> PackageIndex {
        var environment = ProcessEnvironment()
        environment["PATH"] = home.path
        for (name, value) in variables { environment[name] = value }
        return PackageIndex(state: ProcessState(), environment: environment)
    }

    private func write(_ script: String, to name: String) throws {
        try home.write("#!/bin/sh\n\(script)\n", to: name, mode: 0o700)
    }

    @Test(
        "a tool that has no index, or none of its own, says why",
        arguments: [
            (.gradle, "the build files name gradle's repositories"),
            (.docker, "the name of an image names its registry"),
            (.skopeo, "the name of an image names its registry"),
            (.podman, "the name of an image names its registry"), (.git, "it has no package index"),
            (.curl, "it has no package index"), (.wget, "it has no package index"),
            (.python, "it has no package index"), (.node, "it has no package index"),
            (.java, "it has no package index"), (.pip, "pip does not say where its packages come from"),
            (.uv, "uv does not say where its packages come from"),
            (.npm, "npm does not say where its packages come from"),
            (.pnpm, "pnpm does not say where its packages come from"),
            (.yarn, "yarn does not say where its packages come from"),
            (.go, "go does not say where its packages come from"),
            (.cargo, "cargo does not say where its packages come from"),
            (.gem, "gem does not say where its packages come from"),
        ] as [(ClientTool, String)]
    )
    func reasons(tool: ClientTool, reason: String) throws {
        #expect(index().ask(tool, [tool.rawValue]) == .unknown("\(tool.rawValue) is not installed here"))
        try write("exit 0", to: tool.rawValue)
        #expect(index().ask(tool, [tool.rawValue]) == .unknown(reason))
    }

    @Test("uv's variables name its index, the newer one first; a file with indexes leaves it unknown")
    func uv() throws {
        try write("exit 0", to: "uv")
        func ask(_ variables: [String: String]) -> IndexAnswer { index(variables).ask(.uv, ["uv"]) }
        let both = ["UV_DEFAULT_INDEX": "https://a.example/s", "UV_INDEX_URL": "https://b.example/s"]
        #expect(ask(both).indexes.map(\.text) == ["https://a.example/s"])
        let older = ["UV_DEFAULT_INDEX": "", "UV_INDEX_URL": "https://b.example/s"]
        #expect(ask(older).indexes.map(\.text) == ["https://b.example/s"])
        #expect(ask(["UV_DEFAULT_INDEX": "nonsense"]) == .unknown("UV_DEFAULT_INDEX is no URL"))
        #expect(ask(["UV_INDEX_URL": "nonsense"]) == .unknown("UV_INDEX_URL is no URL"))
        _ = home.directory("config/uv")
        let file = try home.write("[[index]]\n", to: "config/uv/uv.toml")
        #expect(ask(["XDG_CONFIG_HOME": home.path("config")]) == .unknown("\(file) names indexes of its own"))
    }

    @Test(
        "a preset whose tools are all absent names them, and what to write",
        arguments: [
            (.pip, "pip, pip3, uv"), (.npm, "npm, pnpm, yarn"), (.go, "go"), (.cargo, "cargo"), (.apt, "apt-get"),
            (.gem, "gem"), (.maven, "mvn"),
        ] as [(RulePreset, String)]
    )
    func absent(preset: RulePreset, tools: String) {
        let fault = #expect(throws: PresetFault.self) { try ToolPresets(index()).indexes(of: preset) }
        #expect(
            fault?.userMessage
                == "no tool here can name the index of \(preset) (\(tools)); install one, or write \"\(preset)=URL\" with "
                + "the URL of the index"
        )
    }

    @Test("a preset for images, and one whose tool does not know, say what to write")
    func unknown() throws {
        let images = #expect(throws: PresetFault.self) { try ToolPresets(index()).indexes(of: .oci) }
        #expect(
            images?.userMessage
                == "the name of an image names its registry, so write \"oci=URL\" with the URL of the index"
        )
        try write("exit 0", to: "go")
        let fault = #expect(throws: PresetFault.self) { try ToolPresets(index()).indexes(of: .go) }
        #expect(
            fault?.userMessage
                == "go does not say where its packages come from; write \"go=URL\" with the URL of the index"
        )
    }

    @Test("of the tools of a preset the first one that is installed is asked, unless the index is known")
    func first() throws {
        func help(_ host: String) -> String { "echo '--index-url <url> (default https://\(host).example/s).'" }
        var presets = ToolPresets(index())
        func asked() throws -> [String] { try presets.indexes(of: .pip).map(\.text) }
        try write("echo '--default-index (by default: https://uv.example/s)'", to: "uv")
        #expect(try asked() == ["https://uv.example/s"])
        try write(help("three"), to: "pip3")
        #expect(try asked() == ["https://three.example/s"])
        try write(help("pip"), to: "pip")
        #expect(try asked() == ["https://pip.example/s"])
        presets.known[.pip] = [try #require(PackageIndexURL("https://known.example/s"))]
        #expect(try asked() == ["https://known.example/s"])
    }
}
