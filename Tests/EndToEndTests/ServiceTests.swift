import Testing
import TestSupport

/// Named services, upgrades and the page on `/` of the built daemon.
struct ServiceTests {
    private static let token = "planted-service-token"

    private static func daemon(_ origin: ScriptedOrigin) throws -> DaemonProcess {
        let home = TemporaryDirectory()
        let file = try home.write(
            """
            [log]
            access = true
            level = "debug"
            [service.api]
            base = "\(origin.url("/v1"))"
            headers = { X-Team-Token = "\(token)" }
            [service.open]
            base = "\(origin.url("/open"))"
            """,
            to: "respite.toml"
        )
        return try DaemonProcess(["--config", file], home: home)
    }

    @Test("a service's token goes with its own routes only, and is in no log, listing or file of the store (H-158)")
    func token() throws {
        let origin = try ScriptedOrigin { exchange in
            try exchange.reply(
                "200 OK",
                ["Cache-Control: public, max-age=600", "Vary: X-Team-Token"],
                body: exchange.request["X-Team-Token"] == nil ? "nobody" : "team"
            )
        }
        let daemon = try Self.daemon(origin)
        let own = ["Host: 127.0.0.1:\(daemon.port)"]
        let host = ["Host: api.localhost:\(daemon.port)"]
        #expect(try daemon.client().exchange("GET", "/api/a", own).text == "team")
        let again = try daemon.client().exchange("GET", "/a", host)
        #expect(again.text == "team" && again.isHit)
        let forward = try daemon.get(origin.url("/v1/a"))
        #expect(forward.text == "nobody" && !forward.isHit)
        #expect(try daemon.get(origin.url("/v1/a"), by: .prefix).isHit)
        #expect(try daemon.client().exchange("GET", "/api/a", own).isHit)
        #expect(try daemon.client().exchange("GET", "/api/a", own + ["Origin: http://evil.example"]).status == 403)
        #expect(try daemon.client().exchange("GET", "/api/a", ["Host: evil.example"]).status == 421)

        for path in ["/v1/resources", "/v1/status", "/metrics"] {
            #expect(try !daemon.admin("GET", path).text.contains(Self.token), "\(path)")
        }
        #expect(try daemon.stop() == 0)
        #expect(!daemon.command.standardError.contains(Self.token))
        let found = try Command.run(["/bin/grep", "-r", "-l", "-a", Self.token, daemon.storePath])
        #expect(found.output == "")
    }

    @Test("a WebSocket through a service speaks both ways, and the daemon serves others meanwhile")
    func webSocket() throws {
        let origin = try ScriptedOrigin { exchange in
            guard exchange.request["Upgrade"] != nil else { return try exchange.reply(body: "plain") }
            try exchange.sendRaw(
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nready\n"
            )
            try exchange.sendRaw("<" + String(decoding: exchange.socket.receive(), as: UTF8.self) + ">")
            exchange.close()
        }
        let daemon = try Self.daemon(origin)
        let client = try daemon.client()
        try client.send(
            "GET",
            "/open/chat",
            [
                "Host: 127.0.0.1:\(daemon.port)", "Connection: Upgrade", "Upgrade: websocket",
                "Sec-WebSocket-Version: 13",
            ]
        )
        #expect(try client.readHead().status == 101)
        #expect(try daemon.client().exchange("GET", "/x", ["Host: open.localhost"]).text == "plain")
        try client.socket.send("hello")
        #expect(try String(decoding: client.reader.allContent(), as: UTF8.self) == "ready\n<hello>")
    }

    @Test("the page names the services and the administration of this daemon, and none of its secrets")
    func page() throws {
        let origin = try ScriptedOrigin { try $0.reply(body: "") }
        let daemon = try Self.daemon(origin)
        for accept in ["text/html", "*/*"] {
            let page = try daemon.client().exchange(
                "GET",
                "/",
                ["Host: 127.0.0.1:\(daemon.port)", "Accept: \(accept)"]
            )
            #expect(page.status == 200)
            for text in ["open.localhost:\(daemon.port)", "/api/", "http://127.0.0.1:\(daemon.adminPort)/"] {
                #expect(page.text.contains(text), "\(text)")
            }
            #expect(!page.text.contains(Self.token))
        }
    }
}
