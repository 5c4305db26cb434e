import Glibc
import Testing
import TestSupport

/// `respite refresh --from`, and `[[warm]]` in the settings.
struct RefreshListTests {
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { exchange in
            if exchange.target.contains("cut") { return exchange.reset() }
            try exchange.reply("200 OK", ["Cache-Control: max-age=600"], body: "answer \(exchange.ordinal)")
        }
    }

    /// Runs `respite refresh` with a list on standard input.
    private static func refresh(_ daemon: DaemonProcess, _ list: String, _ words: String...) throws -> Command.Outcome {
        let script = "printf '%s' \"$1\" | { shift; exec \"$@\"; }"
        let command = [DaemonProcess.executable, "refresh", "--from", "-", "--admin", "127.0.0.1:\(daemon.adminPort)"]
        return try Command.run(
            ["sh", "-c", script, "sh", list] + command + ["--store", daemon.storePath] + words,
            environment: DaemonProcess.environment(daemon.home)
        )
    }

    @Test("all URLs of a list are loaded, from a file and from standard input; they are hits then")
    func loading() throws {
        let (origin, daemon) = (try Self.origin(), try DaemonProcess())
        let urls = (0..<30).map { origin.url("/\($0)") }
        let file = try daemon.home.write("# mirror\n" + urls.joined(separator: "\n"), to: "list.txt")
        let outcome = try daemon.tool("refresh", "--from", file)
        #expect(outcome.status == 0 && outcome.output == "30 loaded, 240 B\n" && outcome.errors == "", "\(outcome)")
        #expect(origin.requests.count == 30)
        for url in urls { #expect(try daemon.get(url).isHit) }
        let again = try Self.refresh(daemon, urls[0] + "\n")
        #expect(again.status == 0 && again.output == "1 loaded, 8 B\n", "\(again)")
        #expect(try Self.refresh(daemon, "# nothing\n").output == "0 loaded\n")
        let json = try Self.refresh(daemon, urls[1], "--json")
        #expect(json.output.contains("\"result\":\"newData\"") && json.output.contains("\"bytes\":8"), "\(json)")
    }

    @Test("wrong lines are told with their numbers, and nothing is asked")
    func wrongLines() throws {
        let (origin, daemon) = (try Self.origin(), try DaemonProcess())
        let outcome = try Self.refresh(daemon, "\(origin.url("/a"))\nnonsense\n\(origin.url("/**"))\n")
        #expect(outcome.status == 2 && outcome.output == "", "\(outcome)")
        #expect(outcome.errors.contains("standard input:2: ") && outcome.errors.contains("standard input:3: "))
        #expect(outcome.errors.contains("nothing was loaded: 2 lines are wrong"))
        #expect(origin.requests.isEmpty)
        let missing = try daemon.tool("refresh", "--from", daemon.home.path + "/none")
        #expect(missing.status == 2 && missing.errors.contains("/none cannot be read"), "\(missing)")
        let none = try daemon.tool("refresh")
        #expect(none.status == 2 && none.errors.contains("--from"), "\(none)")
    }

    @Test("what cannot be loaded is named, denied URLs with their text, and the exit code is 1; the others are loaded")
    func failures() throws {
        let world = try RuledDaemon { RuledDaemon.rule($0.url("/no/**"), "deny = \"not here\"") }
        let closed = try Self.origin()
        let list = [world.origin.url("/a"), world.origin.url("/no/b"), closed.url("/cut"), world.origin.url("/c")]
        let outcome = try Self.refresh(world.daemon, list.joined(separator: "\n"))
        #expect(outcome.status == 1 && outcome.output.hasPrefix("2 loaded, 2 failed"), "\(outcome)")
        #expect(outcome.errors.contains(list[1]) && outcome.errors.contains("not here"), "\(outcome)")
        #expect(outcome.errors.contains(list[2]) && outcome.errors.contains("2 of 4 URLs could not be loaded"))
        #expect(try world.daemon.get(list[0]).isHit && world.daemon.get(list[3]).isHit)
        try world.daemon.stop()
        #expect(try Self.refresh(world.daemon, list[0]).status == 4)
    }

    @Test("a terminal shows how far it is, elsewhere nothing does; a reader that leaves ends it quietly")
    func progress() throws {
        let (origin, daemon) = (try Self.origin(), try DaemonProcess())
        let urls = (0..<20).map { origin.url("/\($0)") }
        let list = try daemon.home.write(urls.joined(separator: "\n"), to: "list.txt")
        let options = ["--admin", "127.0.0.1:\(daemon.adminPort)", "--store", daemon.storePath]
        let words = [DaemonProcess.executable, "refresh", "--from", list] + options
        let terminal = try TestTerminal()
        let command = try terminal.start(words, environment: DaemonProcess.environment(daemon.home))
        let shown = try terminal.output(through: "20 loaded, 160 B\r\n")
        #expect(shown.contains("] 20/20, 160 B") && shown.contains("[###"), "\(shown)")
        #expect(try command.wait().status == 0)
        let piped = try Command.run(["sh", "-c", "\"$@\" --json | true", "sh"] + words)
        #expect(piped.status == 0 && piped.errors == "", "\(piped)")
    }

    @Test("a list in the settings is loaded at the start, again at intervals, and after a reload that names it")
    func schedule() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        _ = try home.write("\(origin.url("/a"))\n\(origin.url("/cut"))\n", to: "list.txt")
        let file = try home.write("[[warm]]\nurls = \"list.txt\"\nevery = \"1s\"\n", to: "respite.toml")
        let daemon = try DaemonProcess(["--config", file], home: home)
        try origin.wait(for: 2, of: "/a")
        _ = try daemon.command.waitForError("the end of a round") { $0.contains("warmed list=list.txt") ? () : nil }
        #expect(try daemon.get(origin.url("/a")).isHit)
        let metrics = try daemon.admin("GET", "/metrics").text
        #expect(
            metrics.contains("\nrespite_warm_rounds_total ") && !metrics.contains("respite_warm_failures_total 0\n")
        )
        #expect(try daemon.admin("GET", "/v1/status").text.contains("URLs of list.txt could not be loaded"))
        _ = try home.write("\(origin.url("/b"))\n", to: "other.txt")
        _ = try home.write("[[warm]]\nurls = \"other.txt\"\nevery = \"1h\"\n", to: "respite.toml")
        #expect(try daemon.admin("POST", "/v1/reload").text.contains("\"name\":\"warm\""))
        try origin.wait(for: 1, of: "/b")
    }

    @Test(
        "a list that is missing, open to all or wrong is a mistake of the settings, with its line",
        arguments: [
            ("", "cannot be read"), ("http://a.example/\nnonsense\n", "list.txt:2"),
            ("http://a.example/*\n", "list.txt:1"),
        ]
    )
    func mistakes(list: String, message: String) throws {
        let home = TemporaryDirectory()
        if !list.isEmpty { _ = try home.write(list, to: "list.txt") }
        let file = try home.write("[[warm]]\nurls = \"list.txt\"\nevery = \"1h\"\n", to: "respite.toml")
        let outcome = try Command.run([DaemonProcess.executable, "config", "check", file])
        #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome)")
    }
}
