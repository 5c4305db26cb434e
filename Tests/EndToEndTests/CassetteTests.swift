import Glibc
import JSON
import Platform
import Settings
import TestSupport
import Testing

/// `respite record` and `respite replay`, with curl and Python.
struct CassetteTests {
    private let home = TemporaryDirectory()
    private var file: String { "\(home.path)/api.har" }

    /// Runs a shell script whose traffic is recorded or replayed.
    private func run(_ name: String, _ options: [String] = [], _ script: String) throws -> Command.Outcome {
        try Command.run(
            [DaemonProcess.executable, name] + options + [file, "--", "sh", "-c", script],
            environment: DaemonProcess.environment(home)
        )
    }

    private func text() throws -> String {
        String(decoding: try SmallFile.read(file, limit: 1 << 24), as: UTF8.self)
    }

    @Test("what curl and Python got is what they get again without an origin: any method, status and order")
    func replay() throws {
        let origin = try ScriptedOrigin { exchange in
            let content = String(decoding: try exchange.content(), as: UTF8.self)
            switch exchange.target {
            case "/moved": try exchange.reply("302 Found", ["Location: /a"], body: "")
            case "/gone": try exchange.reply("404 Not Found", ["Cache-Control: max-age=60"], body: "gone")
            case "/stream":
                try exchange.sendHead("200 OK", ["Content-Type: text/event-stream", "Transfer-Encoding: chunked"])
                for number in 1...3 { try exchange.sendChunk(Array("data: \(number)\n\n".utf8)) }
                try exchange.endChunks()
            default:
                try exchange.reply(
                    "200 OK",
                    ["Cache-Control: max-age=600"],
                    body: "\(exchange.request.method) \(exchange.ordinal) \(content)\n"
                )
            }
        }
        let script = """
            curl -sS \(origin.url("/a")); curl -sS \(origin.url("/a")); curl -sS \(origin.url("/a"))
            curl -sS -X PUT -d '{"b": 1, "a": 2}' \(origin.url("/put"))
            curl -sS -X REPORT \(origin.url("/a")); curl -sSI \(origin.url("/a")) | grep -i content-length
            curl -sSL \(origin.url("/moved")); curl -sS -w '%{http_code}\\n' \(origin.url("/gone")); curl -sSN \(origin.url("/stream"))
            python3 -c 'import urllib.request as u
            print(u.urlopen(u.Request("\(origin.url("/form"))", data=b"x=1", method="POST")).read().decode())'
            """
        let recorded = try run("record", [], script)
        #expect(
            recorded.status == 0 && recorded.output.hasPrefix("GET 1 \nGET 2 \nGET 3 \nPUT 1 {\"b\""),
            "\(recorded)"
        )
        #expect(recorded.errors == "respite: recorded 11 exchanges in \(file)\n", "\(recorded.errors)")
        let requests = origin.requests.count
        origin.stop()
        let replayed = try run("replay", [], script)
        #expect(replayed.output == recorded.output, "\(replayed)")
        #expect(replayed.status == 0 && replayed.errors == "respite: replayed 11 responses of \(file)\n")
        #expect(origin.requests.count == requests && requests == 11)
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("a request that differs in one member of JSON gets a 504 that names it, and the exit code tells")
    func difference() throws {
        let origin = try ScriptedOrigin { try $0.reply(body: "ok") }
        func script(_ json: String) -> String {
            "curl -sS -w ' %{http_code}' -H 'Content-Type: application/json' -d '\(json)' \(origin.url("/v1/chat"))"
        }
        _ = try run("record", ["-q"], script(#"{"model": "m", "messages": [{"content": "hello"}]}"#))
        let connections = origin.connections
        let same = try run("replay", ["-q"], script(#"{"messages":[{"content":"hello"}],"model":"m"}"#))
        #expect(same.status == 0 && same.output == "ok 200" && same.errors.isEmpty, "\(same)")
        let other = try run("replay", ["-q"], script(#"{"model": "m", "messages": [{"content": "bye"}]}"#))
        #expect(other.status == 125 && other.output.hasSuffix(" 504"), "\(other)")
        let difference = #"$.messages[0].content: recorded "hello", asked "bye""#
        #expect(other.errors.contains(difference), "\(other.errors)")
        let problem = try JSONReader.parse(Array(other.output.dropLast(4).utf8))
        #expect(problem["differs"] == .text(difference))
        #expect(problem["nearest"] == .text("POST \(origin.url("/v1/chat"))"))
        let loose = try run("replay", ["-q", "--match", "-content"], script(#"{"model": "other"}"#))
        #expect(loose.status == 0 && loose.output == "ok 200", "\(loose)")
        #expect(origin.connections == connections)
        let added = try run("replay", ["--on-miss", "record"], script(#"{"model": "new"}"#))
        #expect(added.status == 0 && added.errors.contains("; recorded 1 exchange;"), "\(added)")
        #expect(try run("replay", ["-q"], script(#"{"model": "new"}"#)).output == "ok 200")
    }

    @Test("a planted secret in a field, the query, JSON, an event stream and what is echoed never gets into the file")
    func secrets() throws {
        let names = ["field", "basic", "query", "json", "path", "event", "cookie", "form"]
        let secrets = names.map { "planted-\($0)-4711" }
        let origin = try ScriptedOrigin { exchange in
            let content = String(decoding: try exchange.content(), as: UTF8.self)
            guard exchange.target == "/stream" else {
                return try exchange.reply(
                    "200 OK",
                    ["Set-Cookie: sid=\(secrets[6]); Path=/", "X-Echo: \(exchange.request["X-Api-Key"] ?? "")"],
                    body: "echo \(exchange.target) \(content) \(exchange.request["Authorization"] ?? "")\n"
                )
            }
            try exchange.reply(
                "200 OK",
                ["Content-Type: text/event-stream"],
                body: "data: {\"delta\": {\"api_key\": \"\(secrets[5])\"}}\n\ndata: \(secrets[0])\n\n"
            )
        }
        let script = """
            curl -sS -H 'X-Api-Key: \(secrets[0])' -u 'me:\(secrets[1])' '\(origin.url("/a"))?token=\(secrets[2])'
            curl -sS -H 'Content-Type: application/json' -d '{"password": "\(secrets[3])", "user": {"mail": "\(secrets[4])"}}' \(origin.url("/b"))
            curl -sS -d 'password=\(secrets[7])&x=1' \(origin.url("/c")); curl -sS \(origin.url("/stream"))
            """
        let recorded = try run("record", ["-q", "--scrub", "$..mail"], script)
        #expect(recorded.status == 0 && recorded.errors.isEmpty, "\(recorded)")
        let text = try text()
        for secret in secrets { #expect(!text.contains(secret), "\(secret)") }
        #expect(!text.contains("bWU6cGxhbnRlZ") && text.contains("token=scrubbed"))
        // Other credentials find the same responses.
        origin.stop()
        let replayed = try run("replay", ["-q"], script.replacing("4711", with: "0815"))
        #expect(replayed.status == 0 && !replayed.output.contains("planted"), "\(replayed)")
        let check = try Command.run(
            [DaemonProcess.executable, "cassette", "check", file],
            environment: DaemonProcess.environment(home)
        )
        #expect(check.status == 0 && check.output == "4 exchanges, no credentials\n", "\(check)")
    }

    @Test("a secret that cannot be replaced keeps the file away, and the former one stays")
    func refused() throws {
        let secret = "planted-binary-4711"
        let origin = try ScriptedOrigin { try $0.reply(body: "harmless") }
        #expect(try run("record", ["-q"], "curl -sS \(origin.url("/a"))").status == 0)
        let former = try text()
        // The Base64 of the secret.
        let echo = try ScriptedOrigin { try $0.reply(body: "cGxhbnRlZC1iaW5hcnktNDcxMQ==") }
        let outcome = try run("record", ["-q"], "curl -sS -H 'X-Api-Key: \(secret)' \(echo.url("/a"))")
        #expect(outcome.status == 125, "\(outcome)")
        #expect(
            outcome.errors.contains("$.log.entries[0].response.content.text: a secret is there, the value of X-Api-Key")
        )
        #expect(!outcome.errors.contains(secret))
        #expect(try text() == former)
    }

    @Test("https is recorded and replayed, by curl and Python; a tunnel with something else reaches nothing")
    func secure() throws {
        let site = try TestSite()
        let origin = try ScriptedOrigin(site: site) { try $0.reply(body: "secure \($0.ordinal)\n") }
        let plain = try ScriptedOrigin { try $0.reply(body: "plain\n") }
        let url = "https://localhost:\(origin.port)/a"
        let script = "curl -sS \(url); python3 -c 'import urllib.request as u; print(u.urlopen(\"\(url)\").read())'"
        let trust = ["--set", "tls.ca-files=[\"\(site.authority.certificateFile)\"]"]
        let recorded = try run("record", trust, script)
        #expect(recorded.status == 0 && recorded.output == "secure 1\nb'secure 2\\n'\n", "\(recorded)")
        let connections = origin.connections
        let replayed = try run("replay", [], script + "; curl -sSp -m 5 \(plain.url("/a")); echo $?")
        #expect(replayed.output.hasPrefix(recorded.output) && !replayed.output.contains("plain"), "\(replayed)")
        #expect(origin.connections == connections && plain.connections == 0)
    }

    @Test("in strict order, what comes too early and what never comes are faults")
    func strictOrder() throws {
        let origin = try ScriptedOrigin { try $0.reply(body: $0.target) }
        let (first, second) = ("curl -sS \(origin.url("/1"))", "curl -sS \(origin.url("/2"))")
        _ = try run("record", ["-q"], "\(first); \(second)")
        #expect(try run("replay", ["-q", "--strict-order"], "\(first); \(second)").output == "/1/2")
        let early = try run("replay", ["-q", "--strict-order"], "\(second); \(first); \(second)")
        #expect(early.status == 125 && early.errors.contains("GET \(origin.url("/1")) comes next"), "\(early)")
        let short = try run("replay", ["-q", "--strict-order"], first)
        #expect(
            short.status == 125 && short.errors.contains("not asked for, first: GET \(origin.url("/2"))"),
            "\(short)"
        )
    }

    @Test("a cassette that is missing, cut off or of another version stops before the command, with place and remedy")
    func faults() throws {
        let missing = try run("replay", [], "echo never")
        #expect(missing.status == 125 && missing.output.isEmpty && missing.errors.contains("makes it"), "\(missing)")
        let texts = [
            (#"{"log": {"entries": ["#, "api.har: line 1, column 21: ends too early"),
            (
                #"{"log": {"_respite": {"version": 9}, "entries": []}}"#,
                "$.log._respite.version: is 9, and this Respite reads 1"
            ),
        ]
        for (content, message) in texts {
            _ = try home.write(content, to: "api.har")
            let outcome = try run("replay", [], "echo never")
            #expect(outcome.status == 125 && outcome.output.isEmpty && outcome.errors.contains(message), "\(outcome)")
            // Nor does a recording replace it.
            #expect(try run("record", [], "echo never").output.isEmpty)
        }
        let option = try run("replay", ["--on-miss", "guess"], "echo never")
        #expect(option.status == 2 && option.errors.contains("fail, pass, record"), "\(option)")
    }

    @Test("show lists the exchanges in order, prune removes what repeats")
    func commands() throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", ["Content-Type: text/plain"], body: "same") }
        _ = try run("record", ["-q"], "for i in 1 2 3; do curl -sS \(origin.url("/a")); done")
        func tool(_ name: String) throws -> String {
            try Command.run(
                [DaemonProcess.executable, "cassette", name, file],
                environment: DaemonProcess.environment(home)
            ).output
        }
        #expect(try tool("show").split(separator: "\n").last == "3\tGET\t\(origin.url("/a"))\t200\t4\ttext/plain")
        #expect(try tool("prune") == "removed 2 exchanges, 1 left\n")
        #expect(
            try run("replay", ["-q"], "curl -sS \(origin.url("/a")); curl -sS \(origin.url("/a"))").output == "samesame"
        )
    }
}
