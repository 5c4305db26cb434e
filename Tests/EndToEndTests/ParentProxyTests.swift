import Glibc
import TestSupport
import Testing

/// Origins that are reached through other proxies.
struct ParentProxyTests {
    /// Not even this machine is reached without the proxy.
    private static func daemon(
        _ proxy: String,
        _ more: [String] = [],
        home: TemporaryDirectory? = nil,
        loops: Int = 2
    ) throws -> DaemonProcess {
        let words = [
            "--set", "upstream.proxy=\(proxy)", "--set", "upstream.no-proxy=[]", "--set",
            "upstream.circuit-breaker=false",
        ]
        return try DaemonProcess(words + ["--set", "upstream.retry-time=0"] + more, home: home, loops: loops)
    }

    private static let page = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nCache-Control: max-age=600\r\n\r\nok"

    @Test("an http URL is asked of an HTTP proxy by absolute-form, with the login for it alone, and stored")
    func relayed() throws {
        let parent = try TestParent(.http) { _ in Self.page }
        let daemon = try Self.daemon("http://me:p%3Aw@\(parent.authority)")
        for path in ["/a?x=1", "/b"] {
            let url = "http://origin.example:8080\(path)"
            let response = try daemon.get(url, by: .prefix, ["Proxy-Authorization: Basic c3RyYW5nZXI="])
            #expect(response.status == 200 && response.text == "ok" && !response.isHit)
            #expect(try daemon.get(url).isHit)
        }
        #expect(
            parent.asked.map(\.line) == [
                "GET http://origin.example:8080/a?x=1 HTTP/1.1", "GET http://origin.example:8080/b HTTP/1.1",
            ]
        )
        #expect(parent.asked[0].fields["Host"] == "origin.example:8080")
        #expect(parent.asked.allSatisfy { $0.fields.all("Proxy-Authorization") == ["Basic bWU6cDp3"] })
        // OPTIONS for the server as a whole has no path then (RFC 9112 §3.2.4).
        _ = try daemon.client().exchange("OPTIONS", "http://origin.example:8080", ["Host: origin.example:8080"])
        #expect(parent.asked.last?.line == "OPTIONS http://origin.example:8080 HTTP/1.1")
        #expect(!daemon.command.standardError.contains("bWU6"))
        let answer = try daemon.admin("GET", "/v1/config")
        #expect(answer.status == 200 && answer.text.contains("(secret)@127.0.0.1") && !answer.text.contains("p%3Aw"))
    }

    @Test("https URLs, CONNECT and WebSockets go through an HTTP proxy by CONNECT; the origin sees no login")
    func tunnelled() throws {
        let site = try TestSite(names: ["DNS:origin.example"])
        let origin = try ScriptedOrigin(site: site) {
            try $0.reply("200 OK", ["Cache-Control: max-age=600"], body: $0.request["Proxy-Authorization"] ?? "none")
        }
        let plain = try ScriptedOrigin { exchange in
            guard exchange.request["Upgrade"] == "websocket" else { return try exchange.reply(body: "plain") }
            try exchange.sendHead("101 Switching Protocols", ["Connection: Upgrade", "Upgrade: websocket"])
            try exchange.socket.send(try exchange.reader.bytes(exactly: 4))
            exchange.close()
        }
        let parent = try TestParent(.http)
        let ca = "tls.ca-files=[\"\(site.authority.certificateFile)\"]"
        let ports = "access.connect-ports=[\(origin.port)]"
        // A connection that is kept stays with its loop.
        let daemon = try Self.daemon("http://me:pw@\(parent.authority)", ["--set", ca, "--set", ports], loops: 1)
        let url = "https://origin.example:\(origin.port)/a"
        let first = try daemon.get(url, by: .prefix)
        #expect(first.status == 200 && first.text == "none")
        #expect(try daemon.get(url, by: .prefix).isHit)
        // A second request goes over the connection that is kept.
        #expect(try daemon.get("https://origin.example:\(origin.port)/b", by: .prefix).text == "none")
        #expect(parent.asked.map(\.line) == ["CONNECT origin.example:\(origin.port) HTTP/1.1"])
        #expect(parent.asked[0].fields["Proxy-Authorization"] == "Basic bWU6cHc=")
        #expect(parent.asked[0].fields["Via"]?.contains("respite") == true)
        let client = try daemon.client()
        let authority = "origin.example:\(origin.port)"
        try client.send("CONNECT", authority, ["Host: \(authority)"])
        #expect(try client.readHead(toCONNECT: true).status == 200)
        #expect(parent.asked.count == 2 && parent.asked[1].line == "CONNECT \(authority) HTTP/1.1")
        let socket = try daemon.client()
        let host = "ws.example:\(plain.port)"
        let upgrade = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: x", "Sec-WebSocket-Version: 13",
        ]
        try socket.send("GET", "http://\(host)/chat", ["Host: \(host)"] + upgrade)
        #expect(try socket.readHead().status == 101)
        try socket.socket.send("ping")
        #expect(try socket.reader.bytes(exactly: 4) == Array("ping".utf8))
        #expect(parent.asked.last?.line == "CONNECT \(host) HTTP/1.1")
    }

    @Test("SOCKS5 carries everything; socks5h leaves names to the proxy, socks5 looks them up here")
    func socks() throws {
        let site = try TestSite(names: ["DNS:origin.example"])
        let secure = try ScriptedOrigin(site: site) { try $0.reply(body: "secure") }
        let plain = try ScriptedOrigin { try $0.reply(body: "plain") }
        let parent = try TestParent(.socks, wantsLogin: true)
        let more = [
            "--set", "tls.ca-files=[\"\(site.authority.certificateFile)\"]", "--set",
            "access.connect-ports=[\(plain.port)]",
        ]
        let home = TemporaryDirectory()
        let login = try home.write("me:pass:word\n", to: "login")
        chmod(login, 0o600)
        let proxy = "{ url = \"socks5h://\(parent.authority)\", login = { file = \"\(login)\" } }"
        let remote = try Self.daemon(proxy, more, home: home)
        #expect(try remote.get("http://plain.example:\(plain.port)/").text == "plain")
        #expect(try remote.get("https://origin.example:\(secure.port)/", by: .prefix).text == "secure")
        let client = try remote.client()
        try client.send("CONNECT", "any.example:\(plain.port)", ["Host: any.example:\(plain.port)"])
        #expect(try client.readHead(toCONNECT: true).status == 200)
        try client.send("GET", "/", ["Host: a"])
        #expect(try client.readResponse().text == "plain")
        #expect(
            parent.asked.map(\.line) == [
                "name plain.example:\(plain.port)", "name origin.example:\(secure.port)",
                "name any.example:\(plain.port)",
            ]
        )
        #expect(parent.asked.allSatisfy { $0.login == "me:pass:word" })
        let local = try Self.daemon(
            "socks5://me:x@\(parent.authority)",
            more + ["--set", "hosts={\"known.example\" = \"127.0.0.7\"}"]
        )
        #expect(try local.get("http://known.example:\(plain.port)/").text == "plain")
        #expect(parent.asked.last?.line == "address 127.0.0.7:\(plain.port)")
        let unknown = try local.get("http://unknown.invalid:\(plain.port)/")
        #expect(unknown.status == 502 && unknown["Proxy-Status"]?.contains("error=dns_error") == true)
    }

    @Test("hosts of no-proxy and services with a proxy of their own, or none, do not use the usual one")
    func exceptions() throws {
        let usual = try TestParent(.http) { _ in Self.page }
        let own = try TestParent(.http) { _ in Self.page }
        let origin = try ScriptedOrigin { try $0.reply(body: "direct") }
        let home = TemporaryDirectory()
        let file = try home.write(
            """
            hosts = { "near.example" = "127.0.0.1", "direct.example" = "127.0.0.1" }
            [upstream]
            proxy = "http://\(usual.authority)"
            no-proxy = ["near.example", "127.0.0.0/8"]
            [service.own]
            base = "http://own.example:\(origin.port)"
            proxy = "http://\(own.authority)"
            [service.direct]
            base = "http://direct.example:\(origin.port)"
            proxy = "none"
            """,
            to: "respite.toml"
        )
        let daemon = try DaemonProcess(["--config", file], home: home)
        for host in ["near.example", "127.0.0.1", "direct.example"] {
            #expect(try daemon.get("http://\(host):\(origin.port)/").text == "direct", "\(host)")
        }
        #expect(usual.asked.isEmpty && own.asked.isEmpty)
        #expect(try daemon.get("http://own.example:\(origin.port)/x").text == "ok")
        #expect(usual.asked.isEmpty && own.asked.count == 1)
        #expect(try daemon.get("http://far.example:\(origin.port)/x").text == "ok")
        #expect(usual.asked.count == 1 && own.asked.count == 1)
    }

    @Test(
        "what goes wrong at an HTTP proxy is told with its name, for URLs and tunnels alike",
        arguments: [
            (
                "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=x\r\n\r\n", 502,
                "destination_unavailable; received-status=407", "(407)"
            ),
            ("HTTP/1.1 403 Forbidden\r\n\r\n", 502, "destination_unavailable; received-status=403", "CONNECT with 403"),
            (
                "HTTP/1.1 502 Bad Gateway\r\n\r\n", 502, "destination_unavailable; received-status=502",
                "CONNECT with 502"
            ),
            ("HTTP/1.1 504 Late\r\n\r\n", 504, "destination_unavailable; received-status=504", "CONNECT with 504"),
            ("\u{16}\u{3}\u{1} garbage\r\n\r\n", 502, "http_protocol_error", "cannot be used"),
            (
                "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 80_000), 502,
                "http_response_header_section_size", "cannot be used"
            ),
            ("", 502, "connection_terminated", "closed the connection"),
        ] as [(String, Int, String, String)]
    )
    func failures(answer: String, status: Int, type: String, words: String) throws {
        let parent = try TestParent { reader in
            _ = try reader.head()
            try reader.socket.send(answer)
            if answer.isEmpty { return }
            // It would go on for ever.
            _ = try reader.isAtEnd()
        }
        let daemon = try Self.daemon("http://\(parent.authority)")
        for response in [
            try daemon.get("https://origin.example/", by: .prefix),
            try daemon.client().exchange("CONNECT", "origin.example:443", ["Host: origin.example:443"]),
        ] {
            #expect(response.status == status)
            #expect(response["Proxy-Status"]?.contains("error=\(type);") == true, "\(response["Proxy-Status"] ?? "")")
            #expect(response.text.contains(words) && response.text.contains(parent.authority), "\(response.text)")
            #expect(response["Proxy-Authenticate"] == nil)
        }
    }

    @Test("a proxy that wants a login for an http URL is our failure, not our client's")
    func relayWantsLogin() throws {
        let parent = try TestParent(.http) { _ in
            "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n"
        }
        let daemon = try Self.daemon("http://\(parent.authority)")
        let response = try daemon.get("http://origin.example/")
        #expect(response.status == 502 && response["Proxy-Authenticate"] == nil)
        #expect(response["Proxy-Status"]?.contains("received-status=407") == true)
        #expect(response.text.contains(parent.authority) && response.text.contains("upstream.proxy"))
    }

    @Test(
        "bytes behind the answer to CONNECT belong to a tunnel, and are an error where nobody can have sent them yet"
    )
    func earlyBytes() throws {
        let parent = try TestParent { reader in
            _ = try reader.head()
            try reader.socket.send("HTTP/1.1 200 OK\r\n\r\nhello from far")
            _ = try reader.isAtEnd()
        }
        let daemon = try Self.daemon("http://\(parent.authority)")
        let response = try daemon.get("https://origin.example/", by: .prefix)
        #expect(response.status == 502 && response["Proxy-Status"]?.contains("error=http_protocol_error") == true)
        let client = try daemon.client()
        try client.send("CONNECT", "origin.example:443", ["Host: origin.example:443"])
        #expect(try client.readHead(toCONNECT: true).status == 200)
        #expect(try client.reader.bytes(exactly: 14) == Array("hello from far".utf8))
    }

    @Test("a proxy that is not there, or never answers, is told with its name")
    func unreachable() throws {
        let port = try unusedPort()
        let none = try Self.daemon("http://127.0.0.1:\(port)")
        for url in ["http://origin.example/", "https://origin.example/"] {
            let response = try none.get(url, by: .prefix)
            #expect(response.status == 502 && response["Proxy-Status"]?.contains("error=connection_refused") == true)
            #expect(response.text.contains("cannot connect to the proxy 127.0.0.1:\(port)"), "\(response.text)")
        }
        let silent = try TestParent { _ = try $0.bytes(exactly: 1 << 20) }
        let late = try Self.daemon("socks5h://\(silent.authority)", ["--set", "upstream.connect-timeout=300ms"])
        let response = try late.get("http://origin.example/")
        #expect(response.status == 504 && response.text.contains("through the proxy \(silent.authority)"))
        #expect(response["Proxy-Status"]?.contains("error=connection_timeout") == true)
        let wrong = try TestParent { reader in
            _ = try reader.bytes(exactly: 3)
            try reader.socket.send("HTTP/1.1 400 Bad Request\r\n\r\n")
        }
        let mistaken = try Self.daemon("socks5h://\(wrong.authority)")
        #expect(try mistaken.get("http://origin.example/").text.contains("it speaks HTTP on this port, not SOCKS5"))
    }

    @Test("forbidden addresses stay forbidden through a proxy and for the proxy; ourselves are a loop (H-135, H-140)")
    func addresses() throws {
        let parent = try TestParent(.http) { _ in Self.page }
        let daemon = try Self.daemon("http://\(parent.authority)")
        #expect(try daemon.get("http://169.254.169.254/latest").status == 403)
        #expect(try daemon.get("https://169.254.169.254/latest", by: .prefix).status == 403)
        #expect(try daemon.get("http://127.0.0.1:\(daemon.port)/").status == 508)
        #expect(try daemon.get("http://localhost:\(daemon.adminPort)/v1/status").status == 403)
        #expect(parent.asked.isEmpty)
        let forbidden = try Self.daemon("http://169.254.1.1:3128")
        let response = try forbidden.get("http://origin.example/")
        #expect(response.status == 403 && response.text.contains("169.254.1.1:3128"))
    }

    @Test("proxies that are one another's parents see the loop, by requests and by CONNECT (H-135)")
    func loop() throws {
        let port = try unusedPort()
        let first = try Self.daemon("http://127.0.0.1:\(port)")
        let second = try DaemonProcess(
            ["--listen", "127.0.0.1:\(port)", "--set", "upstream.proxy=http://127.0.0.1:\(first.port)"]
                + ["--set", "upstream.no-proxy=[]", "--set", "upstream.circuit-breaker=false"]
        )
        let plain = try first.get("http://origin.example/")
        #expect(plain.status == 508 && plain.text.contains("loop"))
        let secure = try first.get("https://origin.example/", by: .prefix)
        #expect(secure.status == 502 && secure.text.contains("CONNECT with"), "\(secure.text)")
        #expect(second.command.isRunning)
    }

    @Test("a proxy by TLS is refused at the start, and no error shows its password")
    func refusedAtStart() throws {
        let home = TemporaryDirectory()
        let file = try home.write("[upstream]\nproxy = \"https://me:hunter2@proxy.example:443\"\n", to: "respite.toml")
        let command = try Command(
            [DaemonProcess.executable, "serve", "--config", file],
            environment: DaemonProcess.environment(home)
        )
        let outcome = try command.wait()
        #expect(outcome.status == 2 && outcome.errors.contains("respite.toml:2"))
        #expect(outcome.errors.contains("TLS to a proxy") && !outcome.errors.contains("hunter2"))
    }
}
