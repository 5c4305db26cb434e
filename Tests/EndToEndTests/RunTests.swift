import Glibc
import Platform
import Settings
import Testing
import TestSupport

/// `respite run`: a command with its traffic through the cache.
struct RunTests {
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { exchange in
            try exchange.reply("200 OK", ["Cache-Control: max-age=600"], body: "content of \(exchange.target)")
        }
    }

    private static func words(_ options: [String], _ script: String, _ arguments: [String] = []) -> [String] {
        [DaemonProcess.executable, "run"] + options + ["--", "sh", "-c", script, "sh"] + arguments
    }

    private static func run(
        _ home: TemporaryDirectory,
        _ options: [String] = [],
        _ script: String,
        _ arguments: [String] = []
    ) throws -> Command.Outcome {
        let own = options.contains("--admin") ? [] : ["--admin", "127.0.0.1:\(try unusedPort())"]
        return try Command.run(
            words(own + options, script, arguments),
            environment: DaemonProcess.environment(home)
        )
    }

    @Test("where no daemon runs one of its own serves the command, and keeps what it loads for the next time")
    func ownDaemon() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let script = "curl -sS \(origin.url("/a")); curl -sS \(origin.url("/a")); exit 7"
        let first = try Self.run(home, ["--no-proxy", ""], script)
        #expect(first.status == 7 && first.output == "content of /acontent of /a", "\(first)")
        #expect(first.errors == "respite: 2 requests, 1 hit, 13 B saved\n")
        let second = try Self.run(home, ["--no-proxy="], script)
        #expect(second.errors == "respite: 2 requests, 2 hits, 26 B saved\n")
        let quiet = try Self.run(home, ["-q", "--no-proxy="], script)
        #expect(quiet.status == 7 && quiet.errors.isEmpty, "\(quiet)")
        #expect(origin.requests.count == 1)
    }

    @Test("a daemon that runs is used, and its figures are told")
    func sharedDaemon() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/a"))
        let options = ["--admin", "127.0.0.1:\(daemon.adminPort)", "--store", daemon.storePath, "--no-proxy", ""]
        let outcome = try Self.run(daemon.home, options, "curl -sS \(origin.url("/a")); echo; echo $http_proxy")
        #expect(outcome.output == "content of /a\nhttp://127.0.0.1:\(daemon.port)\n", "\(outcome)")
        #expect(outcome.errors == "respite: 1 request, 1 hit, 13 B saved\n")
        // Its token is somebody else's: the command runs all the same.
        let token = try daemon.home.write("wrong\n", to: "other-token")
        let address = ["--set", "listen=127.0.0.1:\(daemon.port)"]
        #expect(try Self.run(daemon.home, options + address + ["--own"], "true").status == 125)
        let settings = try daemon.home.write("listen = \"127.0.0.1:\(daemon.port)\"\n", to: "respite.toml")
        let blind = try Self.run(
            daemon.home,
            options + ["--token-file", token, "--config", settings],
            "curl -sS \(origin.url("/a"))"
        )
        #expect(blind.status == 0 && blind.output == "content of /a", "\(blind)")
        let lines = blind.errors.split(separator: "\n")
        #expect(lines.first == "respite: using http://127.0.0.1:\(daemon.port), as the settings say")
        #expect(
            lines.last?.hasPrefix("respite: no statistics: the daemon at 127.0.0.1:\(daemon.adminPort) does not accept")
                == true
        )
        #expect(origin.requests.count == 1)
        // Without settings that say where clients reach it, it is not guessed.
        let guessless = try Self.run(daemon.home, options + ["--token-file", token], "true")
        #expect(guessless.errors.contains("; starting another one for this command\n"), "\(guessless)")
    }

    @Test("of two commands at once the second one stores in memory")
    func storeOfACommand() throws {
        let home = TemporaryDirectory()
        let command = try Command(
            [DaemonProcess.executable, "run", "--own", "--", "sh", "-c", "echo ready; exec sleep 600"],
            environment: DaemonProcess.environment(home)
        )
        _ = try command.waitForOutput("the command") { $0.contains("ready") ? true : nil }
        let outcome = try Self.run(home, ["--own"], "true")
        #expect(
            outcome.status == 0 && outcome.errors.contains("another process uses the storage directory"),
            "\(outcome)"
        )
        command.send(signal: SIGTERM)
        _ = try command.wait()
    }

    @Test("with the store of a running daemon, one of a command keeps what it loads below that store")
    func storeInUse() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        let script = "curl -sS \(origin.url("/a"))"
        for (turn, options) in [["--own"], ["--own"], ["--mode", "auto"]].enumerated() {
            let outcome = try Self.run(daemon.home, options + ["--store", daemon.storePath, "--no-proxy="], script)
            #expect(outcome.status == 0 && outcome.output == "content of /a", "\(outcome)")
            #expect(outcome.errors.hasPrefix("respite: 1 request, \(turn == 0 ? "0 hits" : "1 hit")"), "\(outcome)")
        }
        #expect(origin.requests.count == 1)
        #expect(SmallFile.exists("\(daemon.storePath)/run"))
    }

    @Test("the user's own socket leads to the daemon that runs; one of a command takes neither that nor the store")
    func ownSocket() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let store = home.path + "/cache/respite"
        let command = try Command(
            [DaemonProcess.executable, "run", "--own", "--", "sh", "-c", "echo ready; exec sleep 600"],
            environment: DaemonProcess.environment(home)
        )
        _ = try command.waitForOutput("the command") { $0.contains("ready") ? true : nil }
        #expect(access(store + "/admin.sock", F_OK) != 0)
        let daemon = try DaemonProcess(home: home, store: store)
        #expect(!daemon.command.standardError.contains("another process"))
        command.send(signal: SIGTERM)
        _ = try command.wait()
        let outcome = try Command.run(
            [
                DaemonProcess.executable, "run", "--no-proxy=", "--", "sh", "-c",
                "curl -sS \(origin.url("/a")); echo $http_proxy",
            ],
            environment: DaemonProcess.environment(home)
        )
        #expect(outcome.output == "content of /ahttp://127.0.0.1:\(daemon.port)\n", "\(outcome)")
        let status = try Command.run(
            [DaemonProcess.executable, "status"],
            environment: DaemonProcess.environment(home)
        )
        #expect(status.status == 0 && status.output.contains("127.0.0.1:\(daemon.port)"), "\(status)")
    }

    @Test("without administration there is a daemon of its own all the same; what is not said well enough is 2")
    func noAdministration() throws {
        let home = TemporaryDirectory()
        let settings = try home.write("admin = []\n", to: "respite.toml")
        let words = [DaemonProcess.executable, "run", "--config", settings]
        let outcome = try Command.run(words + ["--", "true"], environment: DaemonProcess.environment(home))
        #expect(outcome.status == 0 && outcome.errors == "respite: 0 requests, 0 hits, 0 B saved\n", "\(outcome)")
        let broken = try Command.run(
            ["env", "PATH=\(home.path)"] + words + ["--for", "pip", "--", "true"],
            environment: DaemonProcess.environment(home)
        )
        #expect(broken.status == 2 && broken.errors.contains("--index"), "\(broken)")
    }

    @Test("with a CA that cannot be used a command still runs: no variable names the CA, and a note says so")
    func unreadableAuthority() throws {
        let home = TemporaryDirectory()
        mkdir(home.path + "/ca", 0o700)
        mkdir(home.path + "/ca/ca.pem", 0o700)
        let settings = try home.write("intercept.ca-directory = \"\(home.path)/ca\"\n", to: "respite.toml")
        let options = ["--config", settings, "--store", "none"]
        let outcome = try Self.run(home, options, "echo ${SSL_CERT_FILE-none}")
        #expect(outcome.status == 0 && outcome.output == "none\n", "\(outcome)")
        #expect(outcome.errors.hasPrefix("respite: the variables do not name the CA: \(home.path)/ca/ca.pem"))
        let told = try Command.run(
            [DaemonProcess.executable, "env", "--config", settings, "--admin", "127.0.0.1:\(try unusedPort())"],
            environment: DaemonProcess.environment(home)
        )
        #expect(told.status == 0 && told.output.contains("# the variables do not name the CA"), "\(told)")
    }

    @Test("options that make a daemon different start one, whose store is below that of the daemon that runs")
    func differentDaemon() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        let options = ["--admin", "127.0.0.1:\(daemon.adminPort)", "--store", daemon.storePath, "--no-proxy", ""]
        let outcome = try Self.run(
            daemon.home,
            options + ["--mode", "offline"],
            "curl -s -o /dev/null -w '%{http_code}' \(origin.url("/a"))"
        )
        #expect(outcome.output == "504", "\(outcome)")
        #expect(outcome.errors == "respite: 1 request, 0 hits, 0 B saved\n", "\(outcome.errors)")
        #expect(origin.requests.isEmpty)
    }

    @Test(
        "the exit code is the command's, 128 and its signal, 126 where it is no program, 127 where there is none",
        arguments: [
            (["sh", "-c", "exit 0"], 0), (["sh", "-c", "exit 200"], 200), (["sh", "-c", "kill -9 $$"], 137),
            (["/etc/passwd"], 126), (["no-such-program"], 127), (["/no/such/program"], 127),
        ] as [([String], Int32)]
    )
    func exitCodes(command: [String], code: Int32) throws {
        let home = TemporaryDirectory()
        let options = ["--admin", "127.0.0.1:\(try unusedPort())", "--store", "none"]
        let outcome = try Command.run(
            [DaemonProcess.executable, "run"] + options + command,
            environment: DaemonProcess.environment(home)
        )
        #expect(outcome.status == code, "\(outcome)")
        #expect(outcome.errors.hasPrefix(code == 126 || code == 127 ? "respite: cannot run" : "respite: 0 requests"))
    }

    @Test("what stands behind the command is the command's, whatever it looks like")
    func arguments() throws {
        let home = TemporaryDirectory()
        let options = ["--admin", "127.0.0.1:\(try unusedPort())", "--store", "none"]
        let outcome = try Command.run(
            [DaemonProcess.executable, "run"] + options + ["printf", "%s|", "--json", "-q", "", "--", "ä b", "--help"],
            environment: DaemonProcess.environment(home)
        )
        #expect(outcome.status == 0 && outcome.output == "--json|-q||--|ä b|--help|", "\(outcome)")
    }

    @Test("signals and limits are for the command as they were for us")
    func inheritance() throws {
        let home = TemporaryDirectory()
        // Without the library's own signals, which are the last.
        let states = "sed -nE 's/^(Sig(Blk|Ign|Cgt):).*(.{7})$/\\1\\3/p' /proc/self/status"
        let script = "ulimit -Sn; ulimit -Hn; \(states); ls /proc/self/fd | wc -l"
        // Without what other tests have open, which comes and goes.
        let others = "for it in /proc/$$/fd/*; do it=${it##*/}; [ $it -lt 3 ] || eval \"exec $it>&-\"; done"
        let alone = others + "; ulimit -Sn 500; "
        let bare = try Command.run(["bash", "-c", alone + script])
        let words = Self.words(["--admin", "127.0.0.1:\(try unusedPort())"], script)
        let quoted = words.map { "'\($0.replacing("'", with: "'\\''"))'" }.joined(separator: " ")
        let ran = try Command.run(
            ["bash", "-c", alone + quoted],
            environment: DaemonProcess.environment(home)
        )
        #expect(ran.output == bare.output, "\(ran)")
    }

    @Test(
        "a signal is passed on, and the summary told when the command has ended",
        arguments: [SIGTERM, SIGINT, SIGHUP]
    )
    func signals(number: Int32) throws {
        let home = TemporaryDirectory()
        let script = "trap 'echo caught; kill -9 $!; exit 9' TERM INT HUP; sleep 600 & echo ready; wait"
        let command = try Command(
            Self.words(["--admin", "127.0.0.1:\(try unusedPort())"], script),
            environment: DaemonProcess.environment(home)
        )
        _ = try command.waitForOutput("the command") { $0.contains("ready") ? true : nil }
        command.send(signal: number)
        let outcome = try command.wait()
        #expect(outcome.status == 9 && outcome.output == "ready\ncaught\n", "\(outcome)")
        #expect(outcome.errors == "respite: 0 requests, 0 hits, 0 B saved\n")
    }

    @Test("when it is killed the command ends, and no daemon is left")
    func killed() throws {
        let home = TemporaryDirectory()
        let command = try Command(
            [DaemonProcess.executable, "run", "--admin", "127.0.0.1:\(try unusedPort())", "--"]
                + ["sh", "-c", "echo $http_proxy; exec sleep 600"],
            environment: DaemonProcess.environment(home)
        )
        let proxy = try command.waitForOutput("the command") { $0.hasSuffix("\n") ? String($0.dropLast()) : nil }
        command.send(signal: SIGKILL)
        // The end of its output comes when the last one who could write to it has gone.
        #expect(try command.wait().status == 128 + SIGKILL)
        #expect(try Command.run(["curl", "-s", "-x", proxy, "http://origin.invalid/"]).status == 7)
    }

    @Test("a daemon that cannot start is exit code 125, wrong usage 2")
    func failures() throws {
        let daemon = try DaemonProcess()
        let taken = try Self.run(daemon.home, ["--set", "listen=127.0.0.1:\(daemon.port)"], "echo no")
        #expect(taken.status == 125 && taken.output.isEmpty && taken.errors.contains("cannot listen"), "\(taken)")
        let unknown = try Self.run(daemon.home, ["--set", "lops=1"], "echo no")
        #expect(unknown.status == 2 && unknown.output.isEmpty, "\(unknown)")
        let bare = try Command.run([DaemonProcess.executable, "run"])
        #expect(bare.status == 2 && bare.errors.contains("COMMAND is missing"), "\(bare)")
    }
}
