import Testing
import TestSupport

/// Retries, tokens and rate limits of the built daemon.
struct PolicyTests {
    private static let secret = "planted-client-secret"

    private static func daemon(_ text: String, _ arguments: [String] = []) throws -> DaemonProcess {
        let home = TemporaryDirectory()
        let file = try home.write(text, to: "respite.toml")
        return try DaemonProcess(["--config", file] + arguments, home: home)
    }

    private static func figure(_ name: String, of daemon: DaemonProcess) throws -> Int? {
        try daemon.admin("GET", "/metrics").text.split(separator: "\n")
            .first { $0.hasPrefix(name + " ") }
            .flatMap { $0.split(separator: " ").last.flatMap { Int($0) } }
    }

    @Test(
        "500 clients with an expired token: one further token, 500 answers; nothing of it is at rest or in a log (H-158)"
    )
    func expiredToken() throws {
        let count = 500
        let current = SharedValue(1)
        let origin = try ScriptedOrigin { exchange in
            let number = current.current
            guard exchange.target == "/token" else {
                guard exchange.request["Authorization"] == "Bearer planted-token-\(number)" else {
                    return try exchange.reply("401 Unauthorized", ["WWW-Authenticate: Bearer"], body: "no")
                }
                return try exchange.reply("200 OK", ["Cache-Control: max-age=600"], body: exchange.target)
            }
            let content = String(decoding: try exchange.content(), as: UTF8.self)
            guard content == "grant_type=client_credentials&scope=read" else { return exchange.reset() }
            try exchange.reply(
                "200 OK",
                ["Content-Type: application/json", "Cache-Control: no-store"],
                body: "{\"access_token\":\"planted-token-\(number)\",\"token_type\":\"Bearer\",\"expires_in\":3600}"
            )
        }
        let home = TemporaryDirectory()
        let secretFile = try home.write(Self.secret + "\n", to: "secret")
        #expect(try Command.run(["/bin/chmod", "600", secretFile]).status == 0)
        let file = try home.write(
            """
            [log]
            access = true
            level = "debug"
            [service.api]
            base = "\(origin.url("/v1"))"
            token = { url = "\(origin.url("/token"))", client-id = "respite", client-secret = { file = "secret" }, scope = "read" }
            """,
            to: "respite.toml"
        )
        let daemon = try DaemonProcess(
            [
                "--config", file, "--set", "limits.max-connections-per-peer=2000", "--set",
                "upstream.connect-timeout=60s", "--set", "upstream.connections-per-origin=100",
            ],
            home: home
        )
        let host = ["Host: 127.0.0.1:\(daemon.port)"]
        #expect(try daemon.client().exchange("GET", "/api/first", host).text == "/v1/first")
        current.update { $0 = 2 }
        let clients = try (0..<count).map { _ in try daemon.client() }
        for (index, client) in clients.enumerated() { try client.send("GET", "/api/\(index)", host) }
        for (index, client) in clients.enumerated() {
            let answer = try client.readResponse()
            #expect(answer.status == 200 && answer.text == "/v1/\(index)", "\(answer.status) \(answer.text)")
        }
        #expect(origin.requests(for: "/token").count == 2)
        #expect(try Self.figure("respite_token_requests_total", of: daemon) == 2)
        // What an earlier token brought is a hit for the next.
        #expect(try daemon.client().exchange("GET", "/api/first", host).isHit)
        // By another route nobody puts the token in, and nobody reads what it brought.
        #expect(try daemon.get(origin.url("/v1/first")).status == 401)
        #expect(try daemon.get(origin.url("/v1/first"), by: .prefix).status == 401)

        for path in ["/v1/resources", "/v1/status", "/v1/config", "/metrics"] {
            let text = try daemon.admin("GET", path).text
            #expect(!text.contains("planted-"), "\(path)")
        }
        #expect(try daemon.stop() == 0)
        #expect(!daemon.command.standardError.contains("planted-"))
        let found = try Command.run(["/bin/grep", "-r", "-l", "-a", "planted-", daemon.storePath])
        #expect(found.output == "")
    }

    @Test("a failing origin is asked again, and the client gets the answer that came in the end")
    func retry() throws {
        let origin = try ScriptedOrigin { exchange in
            switch exchange.ordinal {
            case 1: try exchange.reply("503 Service Unavailable", body: "down")
            case 2: exchange.reset()
            default: try exchange.reply("200 OK", ["Cache-Control: max-age=60"], body: "up")
            }
        }
        let daemon = try Self.daemon(
            """
            [[rule]]
            match = "http://127.0.0.1:*/**"
            retry = { attempts = 5, delay = "1ms" }
            """
        )
        let response = try daemon.get(origin.url("/"))
        #expect(response.status == 200 && response.text == "up")
        #expect(try daemon.get(origin.url("/")).isHit)
        #expect(origin.requests(for: "/").count == 3)
        #expect(try (Self.figure("respite_upstream_retries_total", of: daemon) ?? 0) >= 1)
        // A POST is made once.
        let post = try daemon.fetch("POST", origin.url("/post"), content: Array("x".utf8))
        #expect(post.status == 503 && origin.requests(for: "/post").count == 1)
    }

    @Test("beyond a rate limit the answer is 503 with Retry-After, and what is stored is served all the same")
    func rateLimit() throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=60"], body: "x") }
        let daemon = try Self.daemon(
            """
            [service.api]
            base = "\(origin.url("/v1"))"
            rate-limit = { rate = "2/h", burst = 2, max-wait = "1s" }
            """
        )
        for path in ["/v1/a", "/v1/b"] { #expect(try daemon.get(origin.url(path)).status == 200) }
        let refused = try daemon.get(origin.url("/v1/c"))
        #expect(refused.status == 503)
        let seconds = refused["Retry-After"].flatMap { Int($0) } ?? 0
        #expect((1700...1800).contains(seconds))
        #expect(refused["Proxy-Status"]?.contains("connection_limit_reached") == true)
        #expect(refused.text.contains("service api"))
        #expect(try daemon.get(origin.url("/v1/a")).isHit)
        #expect(try daemon.get(origin.url("/elsewhere")).status == 200)
        #expect(try Self.figure("respite_rate_limit_refused_total", of: daemon) == 1)
        #expect(origin.requests.count == 3)
        let shown = try daemon.tool("config", "show", origin.url("/v1/a"), "--live")
        #expect(shown.output.contains("rate-limit"))
    }
}
