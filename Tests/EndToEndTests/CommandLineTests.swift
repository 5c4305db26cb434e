import JSON
import Settings
import Testing
import TestSupport

/// `respite` as a tool: text, JSON and exit codes.
struct CommandLineTests {
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { exchange in
            try exchange.reply("200 OK", ["Cache-Control: max-age=600"], body: "content of \(exchange.target)")
        }
    }

    private static func json(_ outcome: Command.Outcome) throws -> JSONValue {
        try JSONReader.parse(Array(outcome.output.utf8))
    }

    @Test("ls, show, cat and purge work on what is stored; a missing URL is exit code 3")
    func stored() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        let url = origin.url("/one")
        _ = try daemon.get(url)
        _ = try daemon.get(origin.url("/two"))

        let list = try daemon.tool("ls")
        #expect(list.status == 0 && list.output.contains(url) && list.output.contains("/two"), "\(list)")
        let filtered = try daemon.tool("ls", origin.url("/o"))
        #expect(filtered.output.contains(url) && !filtered.output.contains("/two"))
        let show = try daemon.tool("show", url)
        #expect(show.status == 0 && show.output.contains("200"), "\(show)")
        let content = try daemon.tool("cat", url)
        #expect(content.status == 0 && content.output == "content of /one", "\(content)")

        #expect(try daemon.tool("purge", url).status == 0)
        for command in ["show", "cat"] {
            let outcome = try daemon.tool(command, url)
            #expect(outcome.status == 3 && outcome.output.isEmpty && !outcome.errors.isEmpty, "\(command)")
        }
        #expect(try !daemon.get(url).isHit)
    }

    @Test("show --as curl prints a command that a shell runs, and that gets what is stored; secrets stay hidden")
    func asCurl() throws {
        let origin = try ScriptedOrigin { exchange in
            let fields = ["Cache-Control: max-age=600", "Vary: Accept-Language, X-Own, Accept"]
            try exchange.reply("200 OK", fields, body: "content")
        }
        let daemon = try DaemonProcess()
        let url = origin.url("/a?b='c'&d")
        _ = try daemon.get(url, ["Accept-Language: de"])
        let plain = try daemon.tool("show", "--as", "curl", url)
        #expect(plain.status == 0 && plain.errors.isEmpty, "\(plain)")
        let line = plain.output.split(separator: "\n").first ?? ""
        let outcome = try Command.run(["sh", "-c", "\(line) -sS --include"])
        #expect(
            outcome.status == 0 && outcome.output.contains("; hit") && outcome.output.hasSuffix("content"),
            "\(line): \(outcome)"
        )

        _ = try daemon.get(url, ["Accept-Language: de", "X-Own: hidden-word"])
        let masked = try daemon.tool("show", "--as", "curl", url)
        #expect(masked.output.contains(" -H 'x-own: …' ") && !"\(masked)".contains("hidden-word"), "\(masked)")
        #expect(masked.errors == "respite: … stands for a value of which the store has only a hash\n")
        #expect(try daemon.tool("show", "--as", "wget", url).status == 2)
        #expect(try daemon.tool("show", "--as", "curl", origin.url("/other")).status == 3)
    }

    @Test("wrong usage names the nearest word and an example")
    func nearest() throws {
        for (words, hint, example) in [
            (["ls", "--srt", "x"], "did you mean `--sort`?", "example: respite ls\n"),
            (["purg", "x"], "did you mean `purge`?", "usage: respite COMMAND [options]; see `respite help`\n"),
            (["config", "chek"], "did you mean `config check`?", "see `respite help`\n"),
        ] {
            let outcome = try Command.run([DaemonProcess.executable] + words)
            #expect(
                outcome.status == 2 && outcome.errors.contains(hint) && outcome.errors.hasSuffix(example),
                "\(outcome)"
            )
        }
    }

    @Test("--json is for programs")
    func forPrograms() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/one"))
        for words in [["status"], ["ls"], ["show", origin.url("/one")]] {
            let outcome = try Command.run(
                [DaemonProcess.executable] + words
                    + ["--json", "--admin", "127.0.0.1:\(daemon.adminPort)", "--store", daemon.storePath],
                environment: DaemonProcess.environment(daemon.home)
            )
            #expect(outcome.status == 0, "\(words): \(outcome)")
            #expect(throws: Never.self, "\(words)") { try Self.json(outcome) }
        }
    }

    @Test("config schema is text for people, JSON for programs, and a settings file to begin with")
    func schema() throws {
        let home = TemporaryDirectory()
        func schema(_ options: String...) throws -> String {
            let words = [DaemonProcess.executable, "config", "schema"] + options
            let outcome = try Command.run(words, environment: DaemonProcess.environment(home))
            #expect(outcome.status == 0, "\(options): \(outcome)")
            return outcome.output
        }
        #expect(try schema() == SettingsDocument.schema)
        #expect(try Array(schema("--json").utf8) == SettingsDocument.schemaJSON)
        #expect(try schema("--toml") == SettingsDocument.example)
    }

    @Test("status tells how the daemon is")
    func status() throws {
        let daemon = try DaemonProcess()
        let outcome = try daemon.tool("status")
        #expect(outcome.status == 0 && outcome.output.contains("store"), "\(outcome)")
    }

    @Test("a daemon that does not answer is exit code 4")
    func unreachable() throws {
        let home = TemporaryDirectory()
        let token = try home.write("token\n", to: "token")
        let words = ["status", "--admin", "127.0.0.1:\(try unusedPort())", "--token-file", token]
        let outcome = try Command.run(
            [DaemonProcess.executable] + words,
            environment: DaemonProcess.environment(home)
        )
        #expect(outcome.status == 4 && !outcome.errors.isEmpty, "\(outcome)")
    }

    @Test("a wrong token is exit code 1 and a sentence")
    func wrongToken() throws {
        let daemon = try DaemonProcess()
        let token = try daemon.home.write("wrong\n", to: "other-token")
        let outcome = try daemon.tool("status", "--token-file", token)
        #expect(outcome.status == 1 && !outcome.errors.isEmpty, "\(outcome)")
    }

    @Test("version and help need no daemon")
    func version() throws {
        let version = try Command.run([DaemonProcess.executable, "version"])
        #expect(version.status == 0 && version.output.hasPrefix("respite "), "\(version)")
        let help = try Command.run([DaemonProcess.executable, "help"])
        #expect(help.status == 0 && help.output.contains("serve"))
    }

    @Test(
        "wrong usage is exit code 2",
        arguments: [["show"], ["ls", "--limt", "3"], ["frobnicate"], ["cat", "a", "b"]]
    )
    func usage(words: [String]) throws {
        let outcome = try Command.run([DaemonProcess.executable] + words)
        #expect(outcome.status == 2 && !outcome.errors.isEmpty, "\(outcome)")
    }
}
