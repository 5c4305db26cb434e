import Testing
import TestSupport

/// Tunnels, loops, and what must stay out of reach.
struct SafetyTests {
    /// A TCP server that sends back what it gets and closes its side when the client has closed its own.
    private static func echoServer() throws -> TestListener {
        let listener = try TestListener()
        _ = BackgroundThread {
            while let socket = listener.accept() {
                _ = BackgroundThread {
                    while let bytes = try? socket.receive(), !bytes.isEmpty { try? socket.send(bytes) }
                    try? socket.send("bye")
                }
            }
        }
        return listener
    }

    @Test("CONNECT makes a blind tunnel; early bytes and a half-close pass through (H-080, H-081)")
    func tunnel() throws {
        let server = try Self.echoServer()
        defer { server.interrupt() }
        let daemon = try DaemonProcess(["--set", "access.connect-ports=[\(server.port)]"])
        let client = try daemon.client()
        let authority = "127.0.0.1:\(server.port)"
        try client.socket.send("CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\nearly")
        let response = try client.readHead(toCONNECT: true)
        #expect(response.status == 200)
        #expect(response["Content-Length"] == nil && response["Transfer-Encoding"] == nil)
        #expect(try client.reader.bytes(exactly: 5) == Array("early".utf8))
        let big = [UInt8]((0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 13) })
        let socket = client.socket
        let sender = BackgroundThread {
            try? socket.send(big)
            socket.finishSending()
        }
        #expect(try client.reader.bytes(exactly: big.count) == big)
        #expect(try client.reader.bytes(exactly: 3) == Array("bye".utf8))
        #expect(try client.reader.isAtEnd())
        try sender.join()
    }

    @Test(
        "CONNECT is refused for other ports, bad targets and unreachable servers (H-079, H-080)",
        arguments: [("127.0.0.1:25", 403), ("127.0.0.1:8080", 403), ("127.0.0.1", 400), ("127.0.0.1:0", 400)]
    )
    func refusedTunnel(authority: String, status: Int) throws {
        let daemon = try DaemonProcess()
        #expect(try daemon.client().exchange("CONNECT", authority, ["Host: \(authority)"]).status == status)
    }

    @Test(
        "CONNECT to a server that is not there is 502; no name is looked up for an address",
        arguments: ["127.0.0.1", "[::1]"]
    )
    func unreachableTunnel(host: String) throws {
        let port = try unusedPort()
        let daemon = try DaemonProcess(["--set", "access.connect-ports=[\(port)]"])
        let authority = "\(host):\(port)"
        let response = try daemon.client().exchange("CONNECT", authority, ["Host: \(authority)"])
        #expect(response.status == 502)
        let error = try #require(response["Proxy-Status"])
        #expect(error.contains("error=") && !error.contains("error=dns_"))
    }

    @Test("CONNECT on a gateway listener is refused (H-082)")
    func gatewayTunnel() throws {
        let origin = try ScriptedOrigin { try $0.reply(body: "x") }
        let daemon = try DaemonProcess(["--gateway", origin.url("")])
        let status = try daemon.client().exchange("CONNECT", "127.0.0.1:443", ["Host: 127.0.0.1:443"]).status
        #expect([400, 405, 501].contains(status))
    }

    @Test("a request for the proxy itself is a loop, by every name (H-135)")
    func loop() throws {
        let daemon = try DaemonProcess()
        for host in ["127.0.0.1", "localhost", "127.0.0.2", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433"] {
            let response = try daemon.get("http://\(host):\(daemon.port)/http://127.0.0.1:1/")
            #expect([508, 400, 403, 502].contains(response.status), "\(host): \(response.status)")
        }
        #expect(try daemon.get("http://127.0.0.1:\(daemon.port)/").status == 508)
    }

    @Test("our own Via member in a request is a loop")
    func viaLoop() throws {
        let origin = try ScriptedOrigin { try $0.reply(body: "x") }
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/"))
        let via = try #require(origin.requests.first?["Via"])
        let response = try daemon.get(origin.url("/other"), ["Via: \(via)"])
        #expect(response.status == 508)
        #expect(origin.requests.count == 1)
    }

    @Test("the admin port is unreachable through the proxy in every route (H-137)", arguments: [true, false])
    func adminUnreachable(isGateway: Bool) throws {
        let origin = try ScriptedOrigin { try $0.reply(body: "x") }
        let daemon = try DaemonProcess(isGateway ? ["--gateway", origin.url("")] : [])
        for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "127.1", "0.0.0.0", "2130706433", "0x7f.1"] {
            for route in Route.allCases {
                let response = try daemon.get("http://\(host):\(daemon.adminPort)/healthz", by: route)
                // In front of one origin such a path is the origin's.
                guard !isGateway || route == .forward else {
                    #expect(response.text == "x")
                    continue
                }
                #expect(response.status >= 400, "\(host) by \(route)")
                #expect(response["Server"] == nil || response.status != 200)
            }
        }
    }

    @Test("no tunnel to the admin port, even where its port is allowed (H-137)")
    func adminTunnel() throws {
        let port = try unusedPort()
        let daemon = try DaemonProcess(["--admin", "127.0.0.1:\(port)", "--set", "access.connect-ports=[\(port)]"])
        let authority = "127.0.0.1:\(port)"
        let client = try daemon.client()
        try client.send("CONNECT", authority, ["Host: \(authority)"])
        #expect(try client.readHead(toCONNECT: true).status == 403)
    }

    @Test(
        "link-local and metadata addresses are refused in every spelling (H-136)",
        arguments: [
            "169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]", "2852039166", "224.0.0.1", "255.255.255.255",
        ]
    )
    func forbiddenAddresses(host: String) throws {
        let daemon = try DaemonProcess()
        let status = try daemon.get("http://\(host)/").status
        #expect(status == 403 || (status == 400 && !host.contains(".")))
    }

    @Test("a listener beyond loopback does not start without a client list (H-139)")
    func openListener() throws {
        let home = TemporaryDirectory()
        let outcome = try Command.run(
            [
                DaemonProcess.executable, "serve", "--listen", "0.0.0.0:0", "--admin", "127.0.0.1:0", "--store",
                home.path + "/store",
            ],
            environment: DaemonProcess.environment(home)
        )
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("access.clients"))
    }

    @Test("PURGE, BAN and REFRESH on the proxy's port are refused unless the client is listed: all stays (H-141)")
    func unlistedCommands() throws {
        let origin = try ScriptedOrigin { try $0.reply("200 OK", ["Cache-Control: max-age=60"], body: "kept") }
        let daemon = try DaemonProcess(["--set", "access.command-clients=[\"192.0.2.0/24\"]"])
        #expect(try daemon.get(origin.url("/")).text == "kept")
        for route in Route.allCases {
            for method in ["PURGE", "BAN", "REFRESH"] {
                let refused = try daemon.fetch(method, origin.url("/"), by: route)
                #expect(refused.status == 403 && refused.text.contains("access.command-clients"))
            }
        }
        let hit = try daemon.get(origin.url("/"))
        #expect(hit.isHit && hit.text == "kept" && origin.requests.count == 1)
    }

    @Test("listed clients purge, mark stale and refresh by HTTP; the origin sees none of that (S-193, H-141)")
    func commands() throws {
        let origin = try ScriptedOrigin { exchange in
            let fields = ["Cache-Control: max-age=60", "ETag: \"a\""]
            let isValid = exchange.request["If-None-Match"] == "\"a\""
            try isValid
                ? exchange.reply("304 Not Modified", fields)
                : exchange.reply("200 OK", fields, body: "\(exchange.ordinal)")
        }
        let home = TemporaryDirectory()
        let setting = ["--set", "access.command-clients=[\"127.0.0.0/8\"]"]
        let daemon = try DaemonProcess(setting, home: home)
        let url = origin.url("/")
        #expect(try daemon.get(url).text == "1")
        #expect(try daemon.fetch("BAN", url).status == 200)
        #expect(try daemon.get(url).text == "1" && origin.requests.count == 2)
        let refreshed = try daemon.fetch("REFRESH", url)
        #expect(refreshed.status == 200 && refreshed.text.contains("notModified") && origin.requests.count == 3)
        let purged = try daemon.fetch("PURGE", url)
        #expect(purged.status == 200 && purged.text == "{\"purged\":1}\n")
        #expect(try daemon.fetch("PURGE", url).text == "{\"purged\":0}\n")
        // Gone at rest, too.
        try daemon.stop(signal: 9)
        let after = try DaemonProcess(setting, home: home)
        #expect(try after.get(url).text == "4")
        #expect(origin.requests.map(\.method) == ["GET", "GET", "GET", "GET"])
    }

    @Test("ports of mail servers are refused for plain requests too (H-138)", arguments: [25, 465, 587])
    func mailPorts(port: Int) throws {
        let daemon = try DaemonProcess()
        #expect(try daemon.get("http://127.0.0.1:\(port)/").status == 403)
    }
}
