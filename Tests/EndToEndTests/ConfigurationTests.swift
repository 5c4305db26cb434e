import Testing
import TestSupport

/// What is wrong on the command line or in the file is said with its place, and the exit code is 2.
struct ConfigurationTests {
    private static func serve(_ words: [String], configuration: String? = nil) throws -> Command.Outcome {
        let home = TemporaryDirectory()
        let file = try configuration.map { ["--config", try home.write($0, to: "respite.toml")] } ?? []
        return try Command.run(
            [DaemonProcess.executable, "serve"] + file + words,
            environment: DaemonProcess.environment(home)
        )
    }

    @Test("an unknown option is named with the nearest valid one")
    func unknownOption() throws {
        let outcome = try Self.serve(["--lisen", "127.0.0.1:0"])
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("--lisen") && outcome.errors.contains("--listen"))
    }

    @Test("an unknown subcommand is exit code 2")
    func unknownSubcommand() throws {
        #expect(try Command.run([DaemonProcess.executable, "sevre"]).status == 2)
    }

    @Test(
        "a fault in the file has line and column, the line itself and, for a name, the nearest valid one",
        arguments: [
            ("[limits]\nheader-timout = \"1s\"\n", ":2:1", "header-timeout"),
            ("[limits]\nheader-timeout = \"1 parsec\"\n", ":2:18", "parsec"),
            ("loops = \"many\"\n", ":1:9", "loops"), ("loops = = 2\n", ":1:", "loops = = 2"),
            ("mode = \"sideways\"\n", ":1:8", "sideways"),
        ]
    )
    func badFile(text: String, place: String, word: String) throws {
        let outcome = try Self.serve([], configuration: text)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("respite.toml" + place), "\(outcome.errors)")
        #expect(outcome.errors.contains(word), "\(outcome.errors)")
    }

    @Test(
        "--set is checked like the file",
        arguments: ["limits.header-timout=1s", "loops=many", "storage.limit=4Potatoes"]
    )
    func badSet(assignment: String) throws {
        #expect(try Self.serve(["--set", assignment]).status == 2)
    }

    @Test("the file's settings hold, the command line wins over them")
    func precedence() throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=60"], body: "x") }
        let home = TemporaryDirectory()
        let file = try home.write("gateway = \"\(origin.url(""))\"\nlisten = [\"127.0.0.1:1\"]\n", to: "respite.toml")
        let daemon = try DaemonProcess(["--config", file], home: home)
        #expect(try daemon.client().exchange("GET", "/", ["Host: localhost"]).text == "x")
    }
}
