import Glibc
import TestSupport
import Testing

/// Clients that reach the daemon by SOCKS5.
struct SOCKSTests {
    private static func ports(_ ports: UInt16...) -> [String] {
        ["--set", "access.connect-ports=[\(ports.map { "\($0)" }.joined(separator: ", "))]"]
    }

    /// A server that sends back what it gets, then `bye` after the client's end.
    private static func echoServer() throws -> TestListener {
        let listener = try TestListener()
        _ = BackgroundThread {
            while let socket = listener.accept() {
                while let bytes = try? socket.receive(), !bytes.isEmpty { try? socket.send(bytes) }
                try? socket.send("bye")
                socket.finishSending()
            }
        }
        return listener
    }

    @Test("SOCKS opens a tunnel as CONNECT does: early bytes go on once, a half-close passes through, and it is listed")
    func tunnel() throws {
        let server = try Self.echoServer()
        defer { server.interrupt() }
        let daemon = try DaemonProcess(Self.ports(server.port))
        for host in ["127.0.0.1", "localhost"] {
            let client = try SOCKSClient(daemon, to: host, server.port, early: "early")
            #expect(client.reply == 0)
            #expect(try client.wire.reader.bytes(exactly: 5) == Array("early".utf8))
            let list = try daemon.admin("GET", "/v1/tunnels").text
            #expect(list.contains("\"socks\"") && list.contains("\(host):\(server.port)"), "\(list)")
            try client.wire.socket.send("more")
            client.wire.socket.finishSending()
            #expect(try client.wire.reader.bytes(exactly: 7) == Array("morebye".utf8))
            #expect(try client.wire.reader.isAtEnd())
        }
        let metrics = try daemon.admin("GET", "/metrics").text
        #expect(metrics.contains("respite_socks_connections_total{result=\"request\"} 2"), "\(metrics)")
    }

    @Test(
        "SOCKS reaches what CONNECT reaches: ports, destinations and own listeners are judged, and the reply says so",
        arguments: [
            ("127.0.0.1", 25, 2), ("127.0.0.1", 8080, 2), ("169.254.169.254", 443, 2),
            ("metadata.google.internal", 443, 2),
            ("169.254.169.254", 8443, 2), ("name.invalid", 443, 4), ("224.0.0.1", 443, 2),
        ] as [(String, UInt16, UInt8)]
    )
    func refused(host: String, port: UInt16, code: UInt8) throws {
        let daemon = try DaemonProcess(["--set", "dns.servers=[\"127.0.0.1:1\"]"])
        let reply = try SOCKSClient(daemon, to: host, port).reply
        // A name that no server answers is unreachable; those of metadata services have no address here either.
        #expect(reply == code || (host.contains("internal") && reply == 4), "\(host): \(reply ?? 255)")
    }

    @Test("the own listeners, a closed port and a destination that is not allowed have their replies")
    func judged() throws {
        let (admin, closed) = (try unusedPort(), try unusedPort())
        let daemon = try DaemonProcess(["--admin", "127.0.0.1:\(admin)"] + Self.ports(admin, closed))
        #expect(try SOCKSClient(daemon, to: "127.0.0.1", admin).reply == 2)
        #expect(try SOCKSClient(daemon, to: "127.0.0.1", closed).reply == 5)
        let strict = try DaemonProcess(["--set", "access.destinations.loopback=refuse"] + Self.ports(closed))
        #expect(try SOCKSClient(strict, to: "127.0.0.1", closed).reply == 2)
    }

    @Test("BIND and UDP ASSOCIATE are not offered", arguments: [2, 3] as [UInt8])
    func otherCommands(command: UInt8) throws {
        let daemon = try DaemonProcess()
        #expect(try SOCKSClient(daemon, to: "127.0.0.1", 443, command: command).reply == 7)
        let metrics = try daemon.admin("GET", "/metrics").text
        #expect(metrics.contains("respite_socks_connections_total{result=\"command\"} 1"))
    }

    @Test("a client of SOCKS4 is told so by its own protocol; a line at the level debug says what to do")
    func version4() throws {
        let daemon = try DaemonProcess(["--set", "log.level=debug"])
        let client = try daemon.client()
        try client.socket.send([4, 1, 0, 80, 127, 0, 0, 1, 0])
        #expect(try client.reader.bytes(exactly: 8) == [0, 0x5B, 0, 0, 0, 0, 0, 0])
        #expect(try client.expectClose())
        _ = try daemon.command.waitForError("a line") { $0.contains("SOCKS4; give it a URL") ? true : nil }
    }

    @Test("a host that is denied as a whole is refused, and what a rule denies at port 80 is 403 with its text")
    func denied() throws {
        let world = try RuledDaemon { _ in RuledDaemon.rule("**.denied.example/**", "deny = \"not here\"") }
        #expect(try SOCKSClient(world.daemon, to: "www.denied.example", 443).reply == 2)
        let plain = try SOCKSClient(world.daemon, to: "www.denied.example", 80)
        #expect(plain.reply == 0)
        let response = try plain.wire.exchange("GET", "/", ["Host: www.denied.example"])
        #expect(response.status == 403 && response.text.contains("not here"))
    }

    @Test("on a reverse proxy SOCKS is no protocol: the bytes are no request")
    func gateway() throws {
        let origin = try ScriptedOrigin { try $0.reply(body: "x") }
        let daemon = try DaemonProcess(["--gateway", origin.url("")])
        let client = try daemon.client()
        try client.socket.send([5, 1, 0])
        #expect(try client.readResponse().status == 400)
    }

    // MARK: Port 80

    /// A daemon whose origins are all behind one parent, so that port 80 is nobody's own.
    private static func behindParent(_ more: [String] = []) throws -> (DaemonProcess, TestParent) {
        let parent = try TestParent(.http) { _ in
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nCache-Control: max-age=600\r\n\r\nok"
        }
        let words = ["--set", "upstream.proxy=http://\(parent.authority)", "--set", "upstream.no-proxy=[]"]
        return (try DaemonProcess(words + more), parent)
    }

    @Test("port 80 is HTTP: the second request is a hit, of the resource of every route")
    func hits() throws {
        let (daemon, parent) = try Self.behindParent()
        let client = try SOCKSClient(daemon, to: "Origin.example", 80)
        let first = try client.wire.exchange("GET", "/a?b", ["Host: origin.example"])
        #expect(first.text == "ok" && !first.isHit)
        #expect(try client.wire.exchange("GET", "/a?b", ["Host: origin.example"]).isHit)
        #expect(try daemon.get("http://origin.example/a?b").isHit)
        let other = try SOCKSClient(daemon, to: "origin.example", 80)
        #expect(try other.wire.exchange("GET", "/a?b", ["Host: origin.example"]).isHit)
        #expect(parent.asked.map(\.line) == ["GET http://origin.example/a?b HTTP/1.1"])
        #expect(try other.wire.exchange("GET", "/", ["Host: other.example"]).status == 421)
    }

    @Test("a request and its opening may come in one piece")
    func pipelined() throws {
        let (daemon, parent) = try Self.behindParent()
        let text = "GET /x HTTP/1.1\r\nHost: origin.example\r\n\r\n"
        let client = try SOCKSClient(daemon, to: "origin.example", 80, early: text + text)
        #expect(client.reply == 0)
        for _ in 0..<2 { #expect(try client.wire.readResponse().text == "ok") }
        #expect(parent.asked.count == 1)
    }

    @Test(
        "behind an address the name in Host counts, and is looked up here: the address brings nothing under that name"
    )
    func byAddress() throws {
        let (daemon, parent) = try Self.behindParent()
        let client = try SOCKSClient(daemon, to: "192.0.2.66", 80)
        #expect(try client.wire.exchange("GET", "/a", ["Host: origin.example"]).text == "ok")
        #expect(try client.wire.exchange("GET", "/a", ["Host: Origin.example:80"]).isHit)
        #expect(try client.wire.exchange("GET", "/a", ["Host: 192.0.2.66"]).text == "ok")
        #expect(
            parent.asked.map(\.line) == ["GET http://origin.example/a HTTP/1.1", "GET http://192.0.2.66/a HTTP/1.1"]
        )
        #expect(try client.wire.exchange("GET", "/a", ["Host: origin.example:8080"]).status == 421)
    }

    @Test(
        "what is no HTTP at port 80 is refused, and reaches nobody",
        arguments: ["SSH-2.0-x\r\n", "\u{16}\u{3}\u{1}"]
    )
    func otherProtocol(text: String) throws {
        let (daemon, parent) = try Self.behindParent()
        let client = try SOCKSClient(daemon, to: "origin.example", 80, early: text)
        client.wire.socket.finishSending()
        #expect(try client.wire.readResponse().status == 400)
        #expect(parent.asked.isEmpty)
    }

    @Test("addresses that no request may reach are refused at port 80, too, for each request")
    func forbiddenAddress() throws {
        let daemon = try DaemonProcess()
        let client = try SOCKSClient(daemon, to: "169.254.169.254", 80)
        #expect(try client.wire.exchange("GET", "/", ["Host: 169.254.169.254"]).status == 403)
        #expect(try client.wire.exchange("GET", "/", ["Host: 127.0.0.1"]).status != 200)
    }

    // MARK: Interception

    @Test("a host in intercept.hosts is intercepted behind SOCKS, too: the second access is a hit")
    func intercepted() throws {
        let lab = try InterceptingDaemon()
        for isHit in [false, true] {
            let tunnel = try SOCKSClient(lab.daemon, to: "localhost", lab.origin.port)
            #expect(tunnel.reply == 0)
            let engine = try InterceptingDaemon.engine("localhost", trusting: lab.authorityFile)
            let client = try InterceptingDaemon.handshake(tunnel.wire, engine)
            #expect(try client.exchange("GET", "/a", ["Host: \(lab.authority)"]).isHit == isHit)
        }
        #expect(lab.origin.requests.count == 1)
    }
}
