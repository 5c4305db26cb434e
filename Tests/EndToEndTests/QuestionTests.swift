import Testing
import TestSupport

/// Requests whose content belongs to the key, over a daemon with a settings file (C-24.4, C-24.7).
struct QuestionTests {
    private static func settings(_ origin: ScriptedOrigin, _ rule: String) -> String {
        "[[rule]]\nmatch = \"\(origin.url("/**"))\"\nmethods = [\"POST\"]\n\(rule)\n"
    }

    /// An origin that tells how often it was asked.
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { exchange in
            _ = try exchange.content()
            try exchange.reply("200 OK", ["Content-Type: text/plain"], body: "answer \(exchange.ordinal)")
        }
    }

    private static func post(
        _ daemon: DaemonProcess,
        _ url: String,
        _ content: String,
        _ method: String = "POST",
        _ fields: [String] = []
    ) throws -> Response {
        try daemon.fetch(method, url, fields + ["Content-Type: application/json"], content: Array(content.utf8))
    }

    @Test("JSON that means the same is one question, found again after a restart, shown, explained and purged (C-24.7)")
    func json() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let rule = "ttl = \"1h\"\nkey-body = { json = true, ignore = [\"$.user\"] }"
        let file = try home.write(Self.settings(origin, rule), to: "respite.toml")
        let url = origin.url("/v1/chat")
        var daemon: DaemonProcess? = try DaemonProcess(["--config", file], home: home)
        var text = ""
        if let daemon {
            #expect(try Self.post(daemon, url, #"{"model":"m","user":"a"}"#).content == Array("answer 1".utf8))
            let hit = try Self.post(daemon, url, #"{ "user": "b", "model": "m" }"#)
            #expect(hit.isHit && hit.content == Array("answer 1".utf8))
            #expect(try !Self.post(daemon, url, #"{"model":"n"}"#).isHit)
            let passed = try Self.post(daemon, url, "no json")
            #expect(passed.cacheStatus.contains("detail=key-body-form"))
            text = try daemon.tool("ls", url, "--json").output
            #expect(try daemon.admin("GET", "/v1/explain?url=\(url)&method=POST").text.contains("key-body"))
            #expect(try daemon.stop() == 0)
        }
        daemon = nil
        let again = try DaemonProcess(["--config", file], home: home)
        #expect(try Self.post(again, url, #"{"user":"c","model":"m"}"#).isHit)
        // Each question has a URL of its own in listings.
        let start = try #require(text.firstRange(of: "\(url)#POST:"))
        let question = String(text[start.lowerBound...].prefix(url.count + 6 + 64))
        #expect(try again.tool("show", question).output.contains("variant 0"))
        #expect(try again.tool("explain", question).output.contains("key-body"))
        #expect(try again.tool("purge", url).status == 0)
        #expect(try !Self.post(again, url, #"{"user":"c","model":"m"}"#).isHit)
        #expect(origin.requests.count == 4)
    }

    @Test("QUERY needs no rule, and users with different credentials never meet (C-24.4, C-20.1)")
    func query() throws {
        let origin = try ScriptedOrigin { exchange in
            _ = try exchange.content()
            try exchange.reply("200 OK", ["Cache-Control: max-age=600"], body: "answer \(exchange.ordinal)")
        }
        let daemon = try DaemonProcess()
        let url = origin.url("/search")
        let fields = ["Authorization: Bearer a", "Authorization: Bearer b"]
        for (number, field) in fields.enumerated() {
            #expect(try Self.post(daemon, url, "q", "QUERY", [field]).content == Array("answer \(number + 1)".utf8))
        }
        for (number, field) in fields.enumerated() {
            let hit = try Self.post(daemon, url, "q", "QUERY", [field])
            #expect(hit.isHit && hit.content == Array("answer \(number + 1)".utf8))
        }
        #expect(try !Self.post(daemon, url, "q", "QUERY").isHit)
    }

    @Test("a faulty path is told by `respite check` with its place (C-24.7)")
    func check() throws {
        let origin = try Self.origin()
        let home = TemporaryDirectory()
        let file = try home.write(
            Self.settings(origin, "key-body = { json = true, only = [\"$.a[\"] }"),
            to: "respite.toml"
        )
        let daemon = try DaemonProcess()
        let outcome = try daemon.tool("config", "check", "--config", file)
        #expect(outcome.status == 2 && outcome.errors.contains("key-body.only[0]"))
    }
}
