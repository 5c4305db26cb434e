import Glibc
import Settings
import TestSupport
import Testing

/// What people see at a terminal, and what programs see instead.
struct TerminalTests {
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=600"], body: "content of \($0.target)") }
    }

    /// Runs a command at a terminal of its own, where `typed` is typed; returns what it shows through `end`, and the
    /// exit code.
    private static func atTerminal(
        _ words: [String],
        of daemon: DaemonProcess,
        typed: String = "",
        columns: UInt16 = 0,
        environment: [String] = [],
        through end: String
    ) throws -> (output: String, status: Int32) {
        let terminal = try TestTerminal(columns: columns)
        terminal.type(typed)
        let names = environment.map { $0.prefix { $0 != "=" } }
        let usual = DaemonProcess.environment(daemon.home).filter { !names.contains($0.prefix { $0 != "=" }) }
        let command = try terminal.start(
            [DaemonProcess.executable] + words + options(daemon),
            environment: usual + environment
        )
        let output = try terminal.output(through: end)
        return (output, try command.wait().status)
    }

    private static func options(_ daemon: DaemonProcess) -> [String] {
        ["--admin", "127.0.0.1:\(daemon.adminPort)", "--store", daemon.storePath]
    }

    @Test("ls has titles and totals on a terminal, and only lines elsewhere")
    func list() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        for path in ["/one", "/twelve"] { for _ in 0..<2 { _ = try daemon.get(origin.url(path)) } }
        let people = try Self.atTerminal(["ls", "--sort", "size"], of: daemon, through: " 2 hits\r\n")
        let lines = people.output.split(separator: "\r\n")
        #expect(lines.count == 4 && people.status == 0, "\(people)")
        #expect(lines.first?.hasPrefix("STATE ") == true && lines.first?.hasSuffix(" HITS  URL") == true)
        #expect(lines[1].contains("fresh for ") && lines[1].contains("  18 B  ") && lines[1].contains("  shared "))
        #expect(lines[1].hasSuffix(origin.url("/twelve")) && lines[2].hasSuffix(origin.url("/one")))
        #expect(lines.last == "2 resources, 33 B, 2 hits")
        let first = try daemon.tool("ls", "--sort", "size", "--limit", "1").output
        #expect(first.hasSuffix(origin.url("/twelve") + "\n") && first.split(separator: "\n").count == 1)
        let programs = try daemon.tool("ls", "--sort", "size", "--reverse", "-l")
        let rows = programs.output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
        #expect(rows.map(\.last) == [origin.url("/one"), origin.url("/twelve")], "\(programs)")
        #expect(rows.first?.dropLast().suffix(4) == ["1", "memory", "1", "-"])
    }

    @Test("no line of ls, status or tunnels is longer than the terminal, and the state stays", arguments: [20, 40, 80])
    func narrow(columns: UInt16) throws {
        let origin = try Self.origin()
        let far = try TestListener()
        let daemon = try DaemonProcess(["--set", "access.connect-ports=[\(far.port)]"])
        let path = "/" + String(repeating: "long", count: 40)
        _ = try daemon.get(origin.url(path))
        let client = try daemon.client()
        try client.send("CONNECT", "127.0.0.1:\(far.port)", ["Host: 127.0.0.1:\(far.port)"])
        #expect(try client.readHead(toCONNECT: true).status == 200)
        for words in [["ls"], ["ls", "-l"]] {
            let shown = try Self.atTerminal(words, of: daemon, columns: columns, through: "hits\r\n")
            let lines = shown.output.split(separator: "\r\n")
            #expect(shown.status == 0 && lines.allSatisfy { $0.count <= columns }, "\(shown)")
            #expect(lines[0].hasPrefix("STATE ") && lines[1].hasPrefix("fresh") && lines[1].contains("…"), "\(shown)")
        }
        let tunnels = try Self.atTerminal(["tunnels"], of: daemon, columns: columns, through: ":\(far.port)\r\n")
        let rows = tunnels.output.split(separator: "\r\n")
        #expect(rows[0].contains("STATE  ") && rows.allSatisfy { $0.count <= columns }, "\(tunnels)")
        let status = try Self.atTerminal(["status"], of: daemon, columns: columns, through: "queued")
        let lines = status.output.split(separator: "\r\n")
        #expect(lines.first == "Daemon" && lines.contains("Store"), "\(status)")
        // A single word that is longer than a line goes on in the next one.
        let sentences = lines.filter { $0.drop { $0 == " " }.contains(" ") }
        #expect(sentences.allSatisfy { $0.count <= columns }, "\(status)")
    }

    @Test("--no-header leaves the lines alone; COLUMNS sets the width; a dumb terminal gets no colours")
    func noHeader() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        let url = origin.url("/one")
        _ = try daemon.get(url)
        let lines = try Self.atTerminal(["ls", "--no-header"], of: daemon, through: "\(url)\r\n")
        #expect(lines.status == 0 && lines.output.hasPrefix("fresh for ") && lines.output.hasSuffix("\(url)\r\n"))
        let narrow = try Self.atTerminal(["ls"], of: daemon, environment: ["COLUMNS=30"], through: "0 hits\r\n")
        #expect(narrow.output.split(separator: "\r\n")[1].count == 30, "\(narrow)")
        for (variables, hasColor) in [
            (["NO_COLOR="], true), (["NO_COLOR=", "TERM=dumb"], false), (["NO_COLOR=1"], false),
        ] {
            let shown = try Self.atTerminal(["ls"], of: daemon, environment: variables, through: "0 hits\r\n")
            #expect(shown.output.contains("\u{1B}[32mfresh for ") == hasColor, "\(shown)")
            #expect(shown.output.contains("\u{1B}") == hasColor)
        }
        let pipe = try daemon.tool("ls", "--no-header")
        #expect(pipe.output.hasPrefix("fresh\t200\t15\t") && pipe.output.hasSuffix("\tshared\t0\t\(url)\n"), "\(pipe)")
    }

    @Test("an empty ls says how something comes to be stored, and nothing on standard output")
    func empty() throws {
        let daemon = try DaemonProcess()
        let all = try daemon.tool("ls")
        #expect(all.status == 0 && all.output.isEmpty)
        #expect(all.errors.hasPrefix("respite: nothing is stored yet; `respite run -- COMMAND` sends "))
        let some = try daemon.tool("ls", "http://h.example/*")
        #expect(some.status == 0 && some.errors == "respite: nothing that is stored fits `http://h.example/*`\n")
    }

    @Test(
        "purge of every host asks at a terminal, and does nothing unless the reply is yes",
        arguments: [("n\n", false), ("\n", false), ("y\n", true), ("yes\n", true)]
    )
    func purgeAsks(reply: String, isPurged: Bool) throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/one"))
        let outcome = try Self.atTerminal(
            ["purge", "**"],
            of: daemon,
            typed: reply,
            through: isPurged ? "1 purged" : "nothing was purged"
        )
        #expect(outcome.output.contains("purge 1 resource, 15 B, 0 hits that fit `**`? [y/N] "), "\(outcome)")
        #expect(outcome.status == (isPurged ? 0 : 1))
        #expect(try daemon.get(origin.url("/one")).isHit == !isPurged)
    }

    @Test("purge of every host wants --yes where nobody can be asked; --dry-run lists, and purges nothing")
    func purgeOfAll() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        let url = origin.url("/one")
        _ = try daemon.get(url)
        for pattern in ["http://*/**", "http://{*,x}/**"] {
            let refused = try daemon.tool("purge", pattern)
            #expect(refused.status == 2 && refused.output.isEmpty)
            #expect(
                refused.errors.contains("fits every host, now 1 resource, 15 B, 0 hits: `--yes` purges them"),
                "\(refused)"
            )
        }
        let listed = try daemon.tool("purge", "--dry-run", "**", url)
        #expect(listed.status == 0 && listed.output == "\(url)\n\(url)\n")
        #expect(listed.errors.hasPrefix("respite: ** would purge 1 resource, 15 B, 0 hits\n"))
        #expect(listed.errors.contains("\nrespite: \(url) would purge 1 resource, 15 B, 0 hits\n"), "\(listed)")
        let nothing = try daemon.tool("purge", "--dry-run", origin.url("/other"))
        #expect(nothing.status == 3 && nothing.output.isEmpty)
        #expect(try daemon.get(url).isHit)
        let purged = try daemon.tool("purge", "--yes", "**")
        #expect(purged.status == 0 && purged.output == "1\t**\n")
        #expect(try !daemon.get(url).isHit)
    }

    @Test("serve greets at a terminal with the page to open and the next command")
    func greeting() throws {
        let home = TemporaryDirectory()
        let terminal = try TestTerminal()
        let daemon = try terminal.start(
            DaemonProcess.serveWords(store: home.path + "/store", loops: 1),
            environment: DaemonProcess.environment(home)
        )
        defer { daemon.send(signal: SIGKILL) }
        let text = try terminal.output(through: "Ctrl-C ends it.")
        let port =
            text.ranges(of: " listen=127.0.0.1:").first.map { text[$0.upperBound...].prefix { $0.isNumber } } ?? "-"
        #expect(text.contains("Open http://127.0.0.1:\(port)/ to see"), "\(text)")
        #expect(text.contains("eval \"$(respite env --listen 127.0.0.1:\(port))\" && curl -sD- "))
    }

    @Test("env warns on standard error while no daemon answers, and is silent when one does")
    func environment() throws {
        let home = TemporaryDirectory()
        let address = "127.0.0.1:\(try unusedPort())"
        let words = [DaemonProcess.executable, "env", "--admin", address]
        let alone = try Command.run(words, environment: DaemonProcess.environment(home))
        #expect(alone.status == 0 && alone.output.contains("export http_proxy=http://127.0.0.1:3128\n"))
        #expect(
            alone.errors
                == "respite: no daemon answers at \(address), so programs with these variables may reach nothing at "
                + "http://127.0.0.1:3128: start a daemon with `respite serve`, or `systemctl start respite`\n"
        )
        #expect(try Command.run(words + ["--unset"], environment: DaemonProcess.environment(home)).errors.isEmpty)
        let daemon = try DaemonProcess()
        #expect(try daemon.tool("env").errors.isEmpty)
    }

    @Test("tunnels that passed unread are told by status, an empty ls, explain and, without hosts, by the page on /")
    func tunnels() throws {
        let far = try TestListener()
        let daemon = try DaemonProcess(["--set", "access.connect-ports=[\(far.port)]"])
        let target = "127.0.0.1:\(far.port)"
        for _ in 0..<2 {
            let client = try daemon.client()
            try client.send("CONNECT", target, ["Host: \(target)"])
            #expect(try client.readHead(toCONNECT: true).status == 200)
        }
        let status = try daemon.tool("status")
        #expect(status.output.contains("passed unread\t\(target): 2 tunnels\n"), "\(status)")
        #expect(status.output.contains("advice\t2 tunnels to \(target) passed unread, "))
        let list = try daemon.tool("ls")
        #expect(list.errors.contains("2 tunnels to \(target) passed unread, "), "\(list)")
        let explain = try daemon.tool("explain", "https://\(target)/")
        #expect(
            explain.output.contains(
                "2 tunnels to \(target) passed unread: for hits, ask for http://127.0.0.1:\(daemon.port)/https://\(target)/… "
                    + "instead, or name 127.0.0.1 in `intercept.hosts`\n"
            ),
            "\(explain)"
        )
        let page = try daemon.client().exchange("GET", "/", ["Host: 127.0.0.1:\(daemon.port)"])
        #expect(page.text.contains("2 tunnels have passed unread so far") && !page.text.contains(target))
    }
}
