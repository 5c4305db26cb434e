import CommandSyntax
import Platform
import Settings
import TestSupport
import Testing

@testable import Commands

/// The daemon that `respite run` starts for its command.
struct OwnDaemonTests {
    private func serve(_ words: String...) throws -> ParsedCommand {
        try OwnDaemon.serveCommand(try ParsedCommand.parse(["run"] + words + ["true"]))
    }

    @Test("it listens on ports of the system's choice, and gets the settings of the user")
    func options() throws {
        let command = try serve("--store", "/s", "--mode", "offline", "--set", "loops=7")
        #expect(command.name == "serve")
        #expect(command.value(of: "listen") == "127.0.0.1:0" && command.value(of: "admin") == "127.0.0.1:0")
        #expect(command.value(of: "mode") == "offline" && command.value(of: "store") == "/s")
        let settings = command.values(of: "set")
        #expect(settings.contains("log.level=error"))
        #expect(settings.contains("loops=7") && !settings.contains("loops=2"))
    }

    @Test("it has the rules, the services and the CA that its command needs")
    func needs() throws {
        let home = TemporaryDirectory()
        var environment = ProcessEnvironment()
        environment["TMPDIR"] = home.path
        let command = try ParsedCommand.parse(["run", "--intercept=*.a.example,b.example", "--store", "/s", "true"])
        let authority = try RunAuthority(command, try RunDirectory(environment), environment)
        let serve = try OwnDaemon.serveCommand(
            command,
            [PresetSetting(.pip, index: "https://index.example/simple")],
            services: [("run-maven", "https://maven.example/")],
            authority
        )
        let settings = serve.values(of: "set")
        #expect(settings.contains("intercept.hosts=[\"*.a.example\", \"b.example\"]"))
        #expect(settings.contains("intercept.ca-directory=\"\(authority.directory)\""))
        #expect(settings.contains("rules=[\"pip=https://index.example/simple\"]"))
        #expect(settings.contains("service.run-maven.base=\"https://maven.example/\""))
        _ = try LoadedSettings.load(serve, context: .current)
    }

    @Test("an address that the user sets is not replaced")
    func addresses() throws {
        let command = try serve("--store", "none", "--set", "listen=\"127.0.0.1:4000\"")
        #expect(command.value(of: "listen") == nil && command.value(of: "admin") == "127.0.0.1:0")
    }

    @Test("its store is below the user's, unless an option names one that is free")
    func store() throws {
        let command = try serve("--config", "/dev/null")
        #expect(command.value(of: "store")?.hasSuffix("/run") ?? true)
        #expect((command.value(of: "store") == nil) == (ProcessContext.current.cacheDirectory == nil))
        #expect(try serve("--store", "/s").value(of: "store") == "/s")
    }

    @Test("without a server, the exit code is 125")
    func noServer() {
        #expect(EntryPoint.withoutDaemon.run(["run", "--own", "-q", "--store", "none", "true"]) == 125)
    }
}
