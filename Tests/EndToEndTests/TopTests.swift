import Glibc
import JSON
import Settings
import TestSupport
import Testing

/// `respite stats` and `respite top` with a daemon.
struct TopTests {
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { request in
            let control = request.target.hasPrefix("/no") ? "no-store" : "max-age=600"
            try request.reply("200 OK", ["Cache-Control: \(control)"], body: "content")
        }
    }

    private static func start(
        _ terminal: TestTerminal,
        _ admin: UInt16,
        _ home: TemporaryDirectory
    ) throws -> Command {
        try terminal.start(
            [DaemonProcess.executable, "top", "--admin", "127.0.0.1:\(admin)", "--store", home.path + "/store"],
            environment: DaemonProcess.environment(home)
        )
    }

    private static let leaving = "\u{1B}[?25h\u{1B}[?1049l"

    @Test("stats counts requests, hits and bytes, and says why requests were no hits")
    func stats() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        for path in ["/a", "/a", "/a", "/no"] { _ = try daemon.get(origin.url(path)) }
        let stats = try daemon.tool("stats")
        #expect(stats.status == 0 && stats.errors.isEmpty)
        for line in ["requests\t4", "hits\t2", "loads\t2", "from the cache\t14", "miss\t1\turi-miss, no-store"] {
            #expect(stats.output.contains("\(line)\n"), "\(stats)")
        }
        let json = try JSONReader.parse(Array(try daemon.tool("stats", "--since", "1d", "--json").output.utf8))
        #expect(json["hits"]?.integer == 2 && json["isSinceStart"] == .boolean(true))
        #expect(json["recent"]?["requests"]?.integer == 4)
    }

    @Test("where no requests are kept, stats and top show what is counted")
    func noRequests() throws {
        let daemon = try DaemonProcess(["--set", "admin-recent-requests=0"])
        let stats = try daemon.tool("stats")
        #expect(stats.status == 0 && stats.output.hasSuffix("from origins\t0\n"), "\(stats)")
        let top = try daemon.tool("top")
        #expect(top.status == 0 && top.output.contains("no requests are kept"), "\(top)")
    }

    @Test("top in a pipe prints one frame without control characters")
    func once() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        for path in ["/a", "/a", "/no"] { _ = try daemon.get(origin.url(path)) }
        let top = try daemon.tool("top")
        #expect(top.status == 0 && !top.output.contains("\u{1B}") && top.output.contains("HOT URL\n"))
        #expect(top.output.contains("   50 %      14 B  \(origin.url("/a"))\n"), "\(top)")
        let json = try JSONReader.parse(Array(try daemon.tool("top", "--json").output.utf8))
        #expect(json["hottest"]?.elements.first?["url"]?.text == origin.url("/a"))
        #expect(json["worst"]?.elements.count == 2)
    }

    @Test("top draws over the whole screen; q ends it, and the terminal is as before")
    func quit() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess()
        for _ in 0..<2 { _ = try daemon.get(origin.url("/a")) }
        let terminal = try TestTerminal(columns: 80)
        let command = try Self.start(terminal, daemon.adminPort, daemon.home)
        let shown = try terminal.output(through: origin.url("/a"))
        #expect(shown.hasPrefix("\u{1B}[?1049h\u{1B}[?25l") && shown.contains(" requests/s   "), "\(shown)")
        #expect(!terminal.echoes)
        terminal.type("xq")
        #expect(try terminal.output(through: Self.leaving).hasSuffix(Self.leaving))
        #expect(try command.wait().status == 0 && terminal.echoes)
    }

    @Test("a signal that ends top restores the terminal first", arguments: [SIGTERM, SIGHUP, SIGINT])
    func signals(number: Int32) throws {
        let daemon = try DaemonProcess()
        let terminal = try TestTerminal(columns: 80)
        let command = try Self.start(terminal, daemon.adminPort, daemon.home)
        _ = try terminal.output(through: "requests/s")
        command.send(signal: number)
        _ = try terminal.output(through: Self.leaving)
        #expect(try command.wait().status == (number == SIGINT ? 0 : 128 + number) && terminal.echoes)
    }

    @Test("top follows when the terminal gets another size")
    func resize() throws {
        let daemon = try DaemonProcess()
        let terminal = try TestTerminal(columns: 80)
        let command = try Self.start(terminal, daemon.adminPort, daemon.home)
        _ = try terminal.output(through: "mode auto")
        terminal.forget()
        try terminal.resize(columns: 20)
        // A wide line would go on.
        _ = try terminal.output(through: "\u{1B}[H\u{1B}[2K0.0 requests/s\r\n")
        command.send(signal: SIGTERM)
        _ = try command.wait()
    }

    @Test("when the daemon stops, top says so, and goes on with the next one at its address")
    func reconnect() throws {
        let origin = try Self.origin()
        let port = try unusedPort()
        let words = ["--admin", "127.0.0.1:\(port)"]
        let daemon = try DaemonProcess(words)
        let terminal = try TestTerminal(columns: 80)
        let command = try Self.start(terminal, port, daemon.home)
        _ = try terminal.output(through: "mode auto")
        #expect(try daemon.stop() == 0)
        _ = try terminal.output(through: "no daemon answers at 127.0.0.1:\(port); trying again every second")
        terminal.forget()
        let next = try DaemonProcess(words, home: daemon.home)
        _ = try next.get(origin.url("/a"))
        _ = try terminal.output(through: origin.url("/a"))
        terminal.type("q")
        #expect(try command.wait().status == 0)
    }
}
