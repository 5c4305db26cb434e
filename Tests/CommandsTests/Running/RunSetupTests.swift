import Platform
import Settings
import TestSupport
import Testing

@testable import Commands

/// How the tools of a command are pointed at the gateway.
@Suite struct RunSetupTests {
    private let home = TemporaryDirectory()

    /// The setup after one tool was pointed; its program is a file of that name in `home`.
    private func setup(
        _ words: [String],
        _ answer: IndexAnswer,
        isIntercepting: Bool = false,
        change: (inout RecognizedTool) -> Void = { _ in }
    ) throws -> RunSetup {
        var environment = ProcessEnvironment()
        environment["PATH"] = home.path
        environment["TMPDIR"] = home.path
        environment["GEMRC"] = "/own/gemrc"
        var tool = try #require(ToolRecognition.tools(in: words).first)
        change(&tool)
        let name = try #require(tool.program.first)
        if !name.contains("/") { try home.write("#!/bin/sh\n", to: name, mode: 0o700) }
        var setup = RunSetup(words.map { Array($0.utf8) }, try RunDirectory(environment), environment)
        try setup.point(
            RunTools.Entry(tool: tool, answer: answer),
            at: try ProxyEndpoint(listeners: ["127.0.0.1:1"]),
            nil,
            exceptions: "localhost",
            index: PackageIndex(state: ProcessState(), environment: environment),
            isIntercepting: isIntercepting
        )
        return setup
    }

    private static func words(_ setup: RunSetup) -> [String] { setup.words.map { String(decoding: $0, as: UTF8.self) } }

    private static func named(_ url: String) -> IndexAnswer { IndexAnswer(url, orElse: "") }
    private static let index = named("https://a.example/i/")
    private static let prefixed = "http://127.0.0.1:1/https://a.example/i/"

    @Test("where https is read anyway, tools get the gateway only if their index is known, and no lock file names it")
    func intercepting() throws {
        for (words, name) in [(["pip", "list"], "PIP_INDEX_URL"), (["npm", "ci"], "npm_config_registry")] {
            #expect(try setup(words, Self.index, isIntercepting: true).variables[name] == Self.prefixed)
            #expect(try setup(words, Self.index).variables[name] == Self.prefixed)
            let unknown = try setup(words, .unknown("why"), isIntercepting: true).variables
            #expect(unknown[name] == nil && unknown.notes.isEmpty)
            #expect(try setup(words, .unknown("why")).variables.notes.first?.hasPrefix("why, so") == true)
        }
        for words in [["uv", "pip", "list"], ["yarn", "install"]] {
            #expect(try setup(words, Self.index, isIntercepting: true).variables == ClientVariables())
            #expect(try setup(words, Self.index).variables.variables.map(\.value).contains(Self.prefixed))
        }
    }

    @Test("yarn, and uv if it may lock a project, come with a note that their lock files name the gateway")
    func notes() throws {
        let note = "; `respite run --intercept -- …` leaves it out"
        #expect(
            try setup(["yarn", "install"], Self.index).variables.notes == [
                "yarn writes the gateway's URL into yarn.lock" + note
            ]
        )
        #expect(try setup(["uv", "pip", "list"], Self.index).variables.notes.isEmpty)
        let inScript = try setup(["uv", "pip", "list"], Self.index) { $0.arguments = nil }
        #expect(inScript.variables.notes == ["uv writes the gateway's URL into uv.lock if it locks a project" + note])
        #expect(try setup(["pip", "list"], Self.index).variables.notes.isEmpty)
    }

    @Test("a command of uv that writes uv.lock stays as it is", arguments: ["lock", "sync", "add", "remove", "run"])
    func locking(command: String) throws {
        let setup = try setup(["uv", "--quiet", command], Self.index)
        #expect(setup.variables.variables.isEmpty && setup.variables.notes.count == 1)
        #expect(setup.variables.notes.first?.hasPrefix("uv would write the gateway's URL into uv.lock") == true)
    }

    @Test("cargo, Maven and gem get files, and their options stand before the command's own, behind a toolchain")
    func files() throws {
        let cargo = Self.words(try setup(["cargo", "+nightly", "build"], Self.index))
        #expect(cargo.count == 5 && cargo[..<3] == ["cargo", "+nightly", "--config"] && cargo[4] == "build")
        let settings = String(decoding: try SmallFile.read(cargo[3], limit: 4096), as: UTF8.self)
        #expect(settings.hasSuffix("registry = \"sparse+\(Self.prefixed)\"\n"))
        let maven = Self.words(try setup(["mvn", "-B", "verify"], .named(text: "central https://a.example/i/", [])))
        #expect(maven.count == 5 && maven[1] == "-gs" && maven[3...] == ["-B", "verify"])
        let mirror = String(decoding: try SmallFile.read(maven[2], limit: 4096), as: UTF8.self)
        #expect(mirror.contains("<mirrorOf>central</mirrorOf><url>http://127.0.0.1:1/run-maven/</url>"))
        let gem = try setup(["gem", "install", "rake"], Self.index)
        #expect(gem.variables["BUNDLE_MIRROR__ALL"] == Self.prefixed)
        let gemrc = try #require(gem.variables["GEMRC"])
        #expect(gemrc.hasPrefix("/own/gemrc:/"))
        let sources = try SmallFile.read(String(gemrc.dropFirst(11)), limit: 4096)
        #expect(String(decoding: sources, as: UTF8.self) == "---\n:sources:\n- \(Self.prefixed)\n")
    }

    @Test("without a known index cargo gets the proxy, and gem and Maven a note")
    func unknown() throws {
        let cargo = try setup(["cargo", "build"], .unknown("why"))
        #expect(cargo.variables["CARGO_HTTP_PROXY"] == "http://127.0.0.1:1" && Self.words(cargo) == ["cargo", "build"])
        for words in [["gem", "list"], ["mvn", "verify"]] {
            let setup = try setup(words, .unknown("why"))
            #expect(setup.variables.variables.isEmpty && setup.variables.notes.count == 1 && Self.words(setup) == words)
        }
    }

    @Test("in a script a tool's options come from a program of its name, which the PATH finds first")
    func script() throws {
        let setup = try setup(["cargo", "build"], Self.index) { $0.arguments = nil }
        #expect(Self.words(setup) == ["cargo", "build"])
        let path = try #require(setup.variables["PATH"])
        #expect(path.hasPrefix("\(home.path)/") && path.hasSuffix(":\(home.path)"))
        let program = "\(path.prefix { $0 != ":" })/cargo"
        #expect(SmallFile.isExecutable(program))
        let text = String(decoding: try SmallFile.read(program, limit: 4096), as: UTF8.self)
        #expect(text.contains("exec \(home.path)/cargo \"$toolchain\" --config "))
        // A tool that is named by its path is found there, whatever the PATH says.
        let byPath = try self.setup(["\(home.path)/cargo", "build"], Self.index) { $0.arguments = nil }
        #expect(byPath.variables["PATH"] == nil)
    }

    @Test("apt gets its proxy as an option behind sudo, which removes variables; https servers get a note")
    func apt() throws {
        let http = Self.named("http://a.example/debian")
        let behind = try setup(["sudo", "apt-get", "update"], http)
        #expect(Self.words(behind) == ["sudo", "apt-get", "-o", "Acquire::http::Proxy=http://127.0.0.1:1", "update"])
        #expect(Self.words(try setup(["apt-get", "update"], http)) == ["apt-get", "update"])
        #expect(behind.variables.notes.isEmpty)
        let note = "apt fetches from its https servers through tunnels"
        let https = Self.named("https://a.example/debian")
        #expect(try setup(["apt-get", "update"], https).variables.notes.map { $0.hasPrefix(note) } == [true])
        #expect(try setup(["apt-get", "update"], https, isIntercepting: true).variables.notes.isEmpty)
    }

    @Test("docker stays as it is, with a note")
    func docker() throws {
        let setup = try setup(["docker", "pull", "a"], .unknown("why"))
        #expect(setup.variables.variables.isEmpty)
        #expect(setup.variables.notes.map { $0.hasPrefix("docker's daemon fetches images itself") } == [true])
    }
}
