import Glibc
import JSON
import Settings
import Testing
import TestSupport

/// Settings change while the daemon serves.
struct ReloadTests {
    /// A daemon with a settings file that can be written again.
    private struct Configured {
        let home: TemporaryDirectory
        let daemon: DaemonProcess
        let file: String

        init(_ settings: String, _ options: [String] = []) throws {
            home = TemporaryDirectory()
            file = try home.write(settings, to: "respite.toml")
            daemon = try DaemonProcess(["--config", file] + options, home: home)
        }

        func write(_ settings: String) throws { try writeFile(file, Array(settings.utf8)) }

        /// Writes the file and has it read.
        func reload(_ settings: String) throws -> Response {
            try write(settings)
            return try daemon.admin("POST", "/v1/reload")
        }
    }

    /// Gives responses that nobody may store unless a rule says how long.
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { try $0.reply("200 OK", ["Content-Type: text/plain"], body: "answer to \($0.target)") }
    }

    private static func rule(_ origin: ScriptedOrigin, _ text: String) -> String {
        "[[rule]]\nmatch = \"\(origin.url("/**"))\"\n\(text)\n"
    }

    @Test("a rule that is written and read again holds at once, for what is stored too")
    func rule() throws {
        let origin = try Self.origin()
        let configured = try Configured("")
        let daemon = configured.daemon
        _ = try daemon.get(origin.url("/x"))
        #expect(try !daemon.get(origin.url("/x")).isHit)
        #expect(origin.requests.count == 2)

        #expect(try configured.reload(Self.rule(origin, "ttl = \"1h\"")).status == 200)
        _ = try daemon.get(origin.url("/x"))
        let hit = try daemon.get(origin.url("/x"))
        #expect(hit.isHit && hit.cacheStatus.contains("ttl=3"))
        let count = origin.requests.count

        #expect(try configured.reload(Self.rule(origin, "ttl = \"2h\"")).status == 200)
        let longer = try daemon.get(origin.url("/x"))
        #expect(longer.isHit && longer.cacheStatus.contains("ttl=7"), "\(longer.cacheStatus)")
        #expect(origin.requests.count == count)

        #expect(try configured.reload(Self.rule(origin, "never-cache = true")).status == 200)
        #expect(try !daemon.get(origin.url("/x")).isHit)
        #expect(origin.requests.count == count + 1)
    }

    @Test("other transformers give other content of what is stored, without a request to the origin")
    func transformers() throws {
        let origin = try ScriptedOrigin { exchange in
            let fields = ["Content-Type: application/json", "Cache-Control: max-age=600", "ETag: \"v\""]
            try exchange.reply("200 OK", fields, body: "{ \"a\": 1.10, \"b\": [2] }")
        }
        let configured = try Configured(Self.rule(origin, "transform = [{ json = \"select\", path = \"$.a\" }]"))
        let daemon = configured.daemon
        let first = try daemon.get(origin.url("/x"))
        #expect(first.text == "1.10")
        #expect(try configured.reload(Self.rule(origin, "transform = { json = \"minify\" }")).status == 200)
        let second = try daemon.get(origin.url("/x"))
        #expect(second.text == "{\"a\":1.10,\"b\":[2]}")
        #expect(first["ETag"] != second["ETag"])
        #expect(try configured.reload("").status == 200)
        #expect(try daemon.get(origin.url("/x")).text == "{ \"a\": 1.10, \"b\": [2] }")
        #expect(origin.requests.count == 1)
    }

    @Test("the settings are shown by GET and read again by POST without content")
    func methods() throws {
        let daemon = try DaemonProcess()
        #expect(try daemon.admin("GET", "/v1/reload").status == 405)
        #expect(try daemon.admin("POST", "/v1/reload", json: "{}").status == 400)
        #expect(try daemon.admin("POST", "/v1/config").status == 405)
        #expect(try daemon.admin("GET", "/v1/config?url=nothing").status == 400)
        #expect(try daemon.admin("GET", "/v1/config?method=GET").status == 400)
        #expect(try daemon.admin("GET", "/v1/config?uri=http://h.example/").status == 400)
        let settings = try JSONReader.parse(daemon.admin("GET", "/v1/config").content)["settings"]
        #expect(settings != nil)
    }

    @Test("a wrong file changes nothing; the answer, the tool and the log tell file, line, column and the nearest name")
    func wrongFile() throws {
        let origin = try Self.origin()
        let configured = try Configured(Self.rule(origin, "ttl = \"1h\""))
        let daemon = configured.daemon
        _ = try daemon.get(origin.url("/x"))

        let answer = try configured.reload(Self.rule(origin, "tl = \"1h\""))
        #expect(answer.status == 422)
        #expect(answer["Content-Type"] == "application/problem+json")
        let problem = try JSONReader.parse(answer.content)
        #expect(problem["line"] == .text("3") && problem["column"] == .text("1"))
        #expect(problem["suggestion"] == .text("rule.ttl"))
        #expect(problem["text"] == .text("tl = \"1h\""))

        let tool = try daemon.tool("reload")
        #expect(tool.status == 2)
        let message =
            "\(configured.file):3:1: unknown setting `rule.tl`; did you mean `rule.ttl`?\n    tl = \"1h\"\n    ^"
        #expect(tool.errors.contains(message), "\(tool.errors)")
        _ = try daemon.command.waitForError("the reason in the log") { text in
            text.contains("the old ones stay in force") && text.contains("respite.toml:3:1") ? true : nil
        }
        #expect(try daemon.get(origin.url("/x")).isHit)
    }

    @Test("what needs a restart is named and keeps its value, the rest is in force")
    func restart() throws {
        let configured = try Configured("[log]\nlevel = \"info\"\n")
        try configured.write("storage.limit = \"64MiB\"\n[log]\nlevel = \"warning\"\n[memory]\nlimit = \"8MiB\"\n")
        let outcome = try configured.daemon.tool("reload")
        #expect(outcome.status == 0)
        #expect(
            outcome.output.contains("in force now:\n  memory.limit = \"8MiB\", was \"256MiB\"\n"),
            "\(outcome.output)"
        )
        #expect(outcome.output.contains("log.level = \"warning\", was \"info\"\n"))
        #expect(outcome.output.contains("in force after a restart:\n  storage.limit = \"64MiB\", was \"4GiB\"\n"))
        let live = try configured.daemon.tool("config", "show", "--live")
        #expect(live.output.contains("memory.limit = \"8MiB\"  # \(configured.file):5:1\n"), "\(live.output)")
        #expect(live.output.contains("storage.limit = \"4GiB\"  # default\n"))
        #expect(
            try JSONReader.parse(configured.daemon.admin("GET", "/v1/status").content)["memory"]?["limitBytes"]
                == .integer(8 << 20)
        )
    }

    @Test("SIGHUP has the settings read, and the log says what changed")
    func hangup() throws {
        let origin = try Self.origin()
        let configured = try Configured("")
        try configured.write(Self.rule(origin, "ttl = \"1h\""))
        configured.daemon.command.send(signal: SIGHUP)
        _ = try configured.daemon.command.waitForError("the reload") { $0.contains("changed=rule") ? true : nil }
        _ = try configured.daemon.get(origin.url("/x"))
        #expect(try configured.daemon.get(origin.url("/x")).isHit)
    }

    @Test("config show URL --live tells three different sources after a reload and a --set of the daemon")
    func sources() throws {
        let origin = try Self.origin()
        let configured = try Configured("", ["--set", "cache.stale-if-error=1h"])
        #expect(try configured.reload("\n" + Self.rule(origin, "ttl = \"1m\"")).status == 200)
        let outcome = try configured.daemon.tool("config", "show", origin.url("/x"), "--live")
        #expect(outcome.output.contains("ttl = \"1m\"  # rule 1, \(configured.file):4:1\n"), "\(outcome.output)")
        #expect(outcome.output.contains("stale-if-error = \"1h\"  # --set\n"))
        #expect(outcome.output.contains("mode = \"auto\"  # default\n"))
        let json = try configured.daemon.tool("config", "show", origin.url("/x"), "--live", "--json")
        #expect(try JSONReader.parse(Array(json.output.utf8))["uri"] == .text(origin.url("/x")))
    }

    @Test("a secret file is read again; one that others can read is refused")
    func secret() throws {
        let origin = try ScriptedOrigin { exchange in
            try exchange.reply("200 OK", ["Cache-Control: no-store"], body: exchange.request["Authorization"] ?? "none")
        }
        let home = TemporaryDirectory()
        let token = try home.write("first\n", to: "token")
        let service =
            "[service.api]\nbase = \"\(origin.url("/"))\"\n"
            + "headers = { Authorization = { file = \"token\", prefix = \"Bearer \" } }\n"
        let file = try home.write(service, to: "respite.toml")
        let daemon = try DaemonProcess(["--config", file], home: home)
        func ask() throws -> String {
            try daemon.client().exchange("GET", "/api/x", ["Host: 127.0.0.1:\(daemon.port)"]).text
        }
        #expect(try ask() == "Bearer first")
        try writeFile(token, Array("second".utf8))
        let answer = try daemon.admin("POST", "/v1/reload")
        #expect(answer.text.contains("service.api") && !answer.text.contains("second"))
        #expect(try ask() == "Bearer second")
        chmod(token, 0o644)
        let refused = try daemon.admin("POST", "/v1/reload")
        #expect(refused.status == 422 && refused.text.contains("chmod 600"), "\(refused.text)")
        #expect(try ask() == "Bearer second")
    }

    @Test("clients that ask all the while lose no request and no connection while good and wrong files alternate")
    func load() throws {
        let origin = try ScriptedOrigin { exchange in
            let lifetime = exchange.target.hasPrefix("/hit") ? ["Cache-Control: max-age=600"] : []
            try exchange.reply("200 OK", lifetime, body: exchange.target)
        }
        let configured = try Configured("")
        let daemon = configured.daemon
        let isOver = SharedValue(false)
        let counts = (0..<6).map { number in
            Pending<Int> {
                let client = try daemon.client()
                var count = 0
                // One connection for all: a reload that closed it would fail the next request.
                while !isOver.current || count < 20 {
                    let target = number.isMultiple(of: 2) ? "/hit\(count % 7)" : "/miss\(number)-\(count)"
                    let response = try client.exchange("GET", origin.url(target), ["Host: \(origin.authority)"])
                    guard response.status == 200, response.text == target else {
                        throw HarnessError("\(target): \(response.status) \(response.text)")
                    }
                    count += 1
                }
                return count
            }
        }
        for round in 0..<30 {
            let rules = (0...round % 3).map { _ in Self.rule(origin, "ttl = \"\(round + 1)m\"") }.joined()
            let limits =
                "limits.idle-timeout = \"\(30 + round)s\"\nupstream.idle-timeout = \"\(20 + round)s\"\n"
                + "log.access = \(round.isMultiple(of: 5))\n"
            let isGood = !round.isMultiple(of: 4)
            #expect(
                try configured.reload(limits + rules + (isGood ? "" : "wrong = 1\n")).status == (isGood ? 200 : 422)
            )
            if round.isMultiple(of: 6) { daemon.command.send(signal: SIGHUP) }
        }
        isOver.update { $0 = true }
        for pending in counts { #expect(try pending.result() >= 20) }
        // The threads may hold the daemon a little longer than this test.
        #expect(try daemon.stop() == 0)
    }
}
