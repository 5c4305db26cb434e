import Glibc
import JSON
import Settings
import TestSupport
import Testing

/// The latest requests, as `respite tail`, `respite explain --request` and the admin API show them.
struct RecentRequestTests {
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { request in
            let control = request.target.hasPrefix("/no") ? "no-store" : "max-age=600"
            try request.reply("200 OK", ["Cache-Control: \(control)"], body: "content")
        }
    }

    private static func requests(_ daemon: DaemonProcess, _ words: String...) throws -> [JSONValue] {
        let outcome = try Command.run(
            [DaemonProcess.executable, "tail", "--no-follow", "--json"] + words
                + ["--admin", "127.0.0.1:\(daemon.adminPort)", "--store", daemon.storePath],
            environment: DaemonProcess.environment(daemon.home)
        )
        try #require(outcome.status == 0, "\(outcome)")
        return try outcome.output.split(separator: "\n").map { try JSONReader.parse(Array($0.utf8)) }
    }

    @Test("tail shows requests of all loops in their order, by columns, or as JSON, all or those that fit")
    func list() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess(["--set", "admin-recent-requests=100"], loops: 2)
        let none = try daemon.tool("tail", "--no-follow")
        #expect(none.status == 0 && none.output.isEmpty)
        #expect(none.errors == "respite: no request has been answered yet\n")
        for number in 0..<6 { #expect(try daemon.get(origin.url("/\(number % 3)")).status == 200) }
        let lines = try daemon.tool("tail", "--no-follow").output.split(separator: "\n").map {
            $0.split(separator: "\t").map(String.init)
        }
        #expect(lines.map(\.last) == (0..<6).map { origin.url("/\($0 % 3)") })
        #expect(lines.map { $0[2] } == ["miss", "miss", "miss", "hit", "hit", "hit"])
        #expect(lines.allSatisfy { $0.count == 7 && $0[1] == "200" && $0[3] == "GET" && $0[5] == "7" })
        #expect(try Self.requests(daemon, "cache=hit", "**/1").map { $0["url"]?.text } == [origin.url("/1")])
        #expect(try Self.requests(daemon, "-n", "2").map { $0["url"]?.text } == [origin.url("/1"), origin.url("/2")])
        let wrong = try daemon.tool("tail", "status=999")
        #expect(wrong.status == 1 && wrong.errors.contains("the filter is wrong at character 8: expected a status"))
        let archive = try JSONReader.parse(Array(try daemon.tool("tail", "--har", "**").output.utf8))["log"]
        #expect(archive?["version"]?.text == "1.2" && archive?["entries"]?.elements.count == lines.count)
        let nothing = try daemon.tool("tail", "--no-follow", "status=5xx")
        #expect(nothing.status == 0 && nothing.errors == "respite: no request that is kept fits the filter\n")
    }

    @Test("tail follows: each request once, the last ones first; it ends when the daemon stops")
    func follow() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess(["--set", "admin-recent-requests=100"])
        for number in 0..<3 { _ = try daemon.get(origin.url("/\(number)")) }
        let tail = try Command(
            [DaemonProcess.executable, "tail", "--json", "-n", "2", "**"]
                + ["--admin", "127.0.0.1:\(daemon.adminPort)", "--store", daemon.storePath],
            environment: DaemonProcess.environment(daemon.home)
        )
        try tail.waitForOutput("the last requests") { $0.contains("/2\"") ? () : nil }
        for number in 3..<6 { _ = try daemon.get(origin.url("/\(number)")) }
        try tail.waitForOutput("new requests") { $0.contains("/5\"") ? () : nil }
        #expect(try daemon.stop() == 0)
        let outcome = try tail.wait()
        #expect(outcome.status == 4 && outcome.errors == "respite: the daemon is stopping, and no more requests come\n")
        let urls = try outcome.output.split(separator: "\n").map { try JSONReader.parse(Array($0.utf8))["url"]?.text }
        #expect(urls == (1..<6).map { origin.url("/\($0)") })
    }

    @Test("explain --request says why that request was a miss, and what has become of it once it is gone")
    func explain() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess(["--set", "admin-recent-requests=2"])
        for path in ["/no", "/yes", "/yes"] { _ = try daemon.get(origin.url(path)) }
        let requests = try Self.requests(daemon)
        #expect(requests.map { $0["cache"]?.text } == ["miss", "hit"])
        let ids = requests.compactMap { $0["id"]?.text }
        try #require(ids.count == 2)
        let hit = try daemon.tool("explain", "--request", ids[1])
        #expect(hit.status == 0 && hit.output.contains("  hit: a stored response was fresh: the origin was not asked"))
        _ = try daemon.get(origin.url("/no"))
        let last = try #require(try Self.requests(daemon).last?["id"]?.text)
        let miss = try daemon.tool("explain", "--request", last)
        #expect(miss.output.hasPrefix("GET \(origin.url("/no"))\n"))
        #expect(miss.output.contains("  uri-miss: nothing was stored for this URI (RFC 9111 §4)\n"), "\(miss)")
        #expect(miss.output.contains("  no-store: the response was not stored: "))
        let gone = try daemon.tool("explain", "--request", ids[0])
        #expect(gone.status == 3 && gone.errors.contains("newer ones took its place; the last 2 are kept"))
        for words in [["--request", "-"], ["--request", last, origin.url("/no")], ["--request", last, "-X", "GET"]] {
            let outcome = try Command.run([DaemonProcess.executable, "explain"] + words)
            #expect(outcome.status == 2 && outcome.output.isEmpty, "\(words)")
        }
    }

    @Test("a reload changes how many requests are kept, and what is masked")
    func reload() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        func settings(_ count: Int, _ secret: String) throws -> String {
            try home.write(
                "admin-recent-requests = \(count)\nlog.secret-parameters = [\"\(secret)\"]\n",
                to: "respite.toml"
            )
        }
        let daemon = try DaemonProcess(["--config", try settings(4, "token")], home: home)
        for number in 0..<6 { _ = try daemon.get(origin.url("/\(number)?token=aaa&key=bbb")) }
        func urls() throws -> [String?] { try Self.requests(daemon).map { $0["url"]?.text } }
        #expect(try urls() == (2..<6).map { origin.url("/\($0)?token=…&key=bbb") })
        _ = try settings(2, "key")
        #expect(try daemon.tool("reload").status == 0)
        #expect(try urls() == (4..<6).map { origin.url("/\($0)?token=aaa&key=…") })
        _ = try settings(0, "key")
        #expect(try daemon.tool("reload").status == 0)
        _ = try daemon.get(origin.url("/7"))
        for words in [["tail"], ["tail", "--no-follow", "-n", "0"], ["tail", "--no-follow"]] {
            let off = try Command.run(
                [DaemonProcess.executable] + words
                    + ["--admin", "127.0.0.1:\(daemon.adminPort)", "--store", daemon.storePath],
                environment: DaemonProcess.environment(daemon.home)
            )
            #expect(off.status == 3 && off.output.isEmpty)
            #expect(off.errors.hasPrefix("respite: no requests are kept: `admin-recent-requests` is 0; set how many"))
        }
        _ = try settings(10, "key")
        #expect(try daemon.tool("reload").status == 0)
        _ = try daemon.get(origin.url("/8"))
        #expect(try urls() == [origin.url("/8")])
    }

    @Test("a secret of a URL is in nothing that shows recent requests, whoever asks (H-158)")
    func secrets() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let file = try home.write("reader-reader-reader-reader\n", to: "reader")
        chmod(file, 0o600)
        let words = ["--set", "admin-read-token-file=\(file)", "--set", "admin-recent-requests=100"]
        let daemon = try DaemonProcess(words, home: home)
        for _ in 0..<2 { _ = try daemon.get(origin.url("/a?access_token=pl4nted&x=1")) }
        let id = try #require(try Self.requests(daemon).last?["id"]?.text)
        let long = String(repeating: "a", count: 2200)
        let targets = ["/https/u:pl4nted@h/", "/http/u:pl4nted@h/", "/http:/u:pl4nted@h/", "//u:pl4nted@h/"]
        for target in targets + ["/http://u:pl4nted\(long)@h.example/a", "/https/u:pl4nted?\(long)@h/"] {
            let client = RawClient(port: daemon.port)
            let host = "Host: 127.0.0.1:\(daemon.port)"
            client.send("GET \(target) HTTP/1.1\r\n\(host)\r\nConnection: close\r\n\r\n")
            _ = client.receiveAllBytes()
        }
        let all = try Self.requests(daemon)
        #expect(all.count > 2 && all.allSatisfy { $0["url"]?.text?.contains("pl4nted") == false })
        for words in [["tail", "--no-follow"], ["tail", "--no-follow", "--json"], ["explain", "--request", id]] {
            let outcome = try Command.run(
                [DaemonProcess.executable] + words
                    + ["--admin", "127.0.0.1:\(daemon.adminPort)", "--store", daemon.storePath],
                environment: DaemonProcess.environment(daemon.home)
            )
            #expect(outcome.status == 0 && outcome.output.contains("access_token=…&x=1"), "\(outcome)")
            #expect(!outcome.output.contains("pl4nted") && !outcome.errors.contains("pl4nted"))
        }
        for filter in ["pl4nted", "access_token=pl*", "**pl4**"] {
            let outcome = try daemon.tool("tail", "--no-follow", "--json", filter)
            #expect(outcome.status == 0 && outcome.output.isEmpty, "\(filter)")
        }
    }

    @Test("on a terminal columns have titles, and a long URL loses its middle; a narrow one has fewer columns")
    func terminal() throws {
        let origin = try Self.origin()
        let daemon = try DaemonProcess(["--set", "admin-recent-requests=100"])
        _ = try daemon.get(origin.url("/" + String(repeating: "a", count: 300) + "end"))
        for (width, title) in [(120, "TIME (UTC)    STATUS  CACHE "), (20, "STATUS  URL")] {
            let terminal = try TestTerminal(columns: UInt16(width))
            let command = try terminal.start(
                [DaemonProcess.executable, "tail", "--no-follow", "--admin", "127.0.0.1:\(daemon.adminPort)"]
                    + ["--store", daemon.storePath],
                environment: DaemonProcess.environment(daemon.home) + ["NO_COLOR=1"]
            )
            let output = try terminal.output(through: "end\r\n")
            #expect(try command.wait().status == 0)
            let lines = output.split(separator: "\r\n")
            #expect(lines.count == 2 && lines[0].hasPrefix(title), "\(output)")
            #expect(lines[1].count <= width && lines[1].contains("…") && !output.contains("\u{1B}"), "\(output)")
        }
    }
}
