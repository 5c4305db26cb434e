import HTTPCore
import HTTPServer
import Proxying
import Testing
import UpstreamClient
import TestSupport

/// WebSocket handshakes over real sockets (H-077, H-078).
@Suite struct UpgradeTests {
    private static let handshake = [
        "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: chat",
    ]
    private static let switching =
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

    private static func proxy(to port: UInt16, gateway: Bool = false, injected: Bool = false) throws -> TestProxy {
        let base = try TargetURI(parsing: "http://127.0.0.1:\(port)")
        return try TestProxy { setup in
            if gateway {
                setup.options.gateway = GatewayBase(base)
                setup.options.answersToEveryName = true
            }
            setup.options.services = [
                ServiceRoute(
                    name: "api",
                    base: base,
                    injected: injected ? [(Array("Authorization".utf8), Array("t".utf8))] : []
                )
            ]
        }
    }

    @Test(
        "on every route a handshake reaches the origin, and what follows its 101 passes both ways unread",
        arguments: ["forward", "prefix", "gateway", "service path", "service host"]
    )
    func everyRoute(route: String) throws {
        let heads = WaitQueue<String>()
        let origin = TestOrigin { peer, _ in
            heads.push(peer.readHead() ?? "")
            peer.send(Self.switching + "first\n")
            while let line = peer.read(through: "\n") { peer.send("<\(line)>\n") }
        }
        let proxy = try Self.proxy(to: origin.port, gateway: route == "gateway")
        let (target, host) =
            switch route {
            case "forward": ("http://127.0.0.1:\(origin.port)/chat", "Host: 127.0.0.1:\(origin.port)")
            case "prefix": ("/http://127.0.0.1:\(origin.port)/chat", "Host: localhost:\(proxy.port)")
            case "gateway": ("/chat", "Host: any.example")
            case "service path": ("/api/chat", "Host: localhost:\(proxy.port)")
            default: ("/chat", "Host: api.localhost:\(proxy.port)")
            }
        let client = proxy.client()
        client.send(proxy.request("GET", target, [host] + Self.handshake))
        let text = client.receive(until: "first\n")
        #expect(text.hasPrefix("HTTP/1.1 101 ") && text.content == "first\n")
        #expect(Reply.values(of: "Upgrade", in: text) == ["websocket"])
        #expect(Reply.values(of: "Connection", in: text) == ["Upgrade"])
        #expect(Reply.values(of: "Sec-WebSocket-Accept", in: text) == ["s3pPLMBiTxaQ9kYGzzhZRbK+xOo="])
        for name in ["Content-Length", "Transfer-Encoding"] { #expect(Reply.values(of: name, in: text) == []) }
        let head = heads.pop() ?? ""
        #expect(head.hasPrefix("GET /chat HTTP/1.1\r\n"))
        #expect(Reply.values(of: "Upgrade", in: head) == ["websocket"])
        #expect(Reply.values(of: "Connection", in: head) == ["Upgrade"])
        #expect(Reply.values(of: "Sec-WebSocket-Protocol", in: head) == ["chat"])
        for line in ["GET / HTTP/1.1\r\n", "\u{0}\u{81}\n"] {
            client.send(line)
            #expect(client.receive(until: ">\n") == "<\(line)>\n")
        }
    }

    @Test("nothing behind the handshake reaches the origin before its 101, and everything after it")
    func readAhead() throws {
        let early = WaitQueue<String>()
        let origin = TestOrigin { peer, _ in
            let head = peer.readHead() ?? ""
            early.push(peer.hasInput ? "early" : head.isEmpty ? "none" : "nothing")
            peer.send(Self.switching)
            early.push(peer.readAll())
        }
        let proxy = try Self.proxy(to: origin.port)
        let client = proxy.client()
        client.send(proxy.request("GET", "/api/", Self.handshake) + "GET /smuggled HTTP/1.1\r\n\r\n")
        #expect(early.pop() == "nothing")
        #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 101 "))
        client.send("more")
        client.shutdownWrite()
        #expect(early.pop() == "GET /smuggled HTTP/1.1\r\n\r\nmore")
    }

    @Test("an answer other than 101 is an ordinary one, and what stood behind the handshake a request of its own")
    func refused() throws {
        let origin = TestOrigin.answering { request in
            request.target == "/chat" ? response("426 Upgrade Required", content: "no") : response(content: "next")
        }
        let proxy = try Self.proxy(to: origin.port)
        let client = proxy.client()
        let reader = ReplyReader(client)
        let first = reader.ask(
            proxy.request("GET", "/api/chat", Self.handshake) + proxy.request("GET", "/api/next")
        )
        #expect(first?.status == 426 && first?.content == "no" && first?["Upgrade"] == [])
        #expect(reader.next()?.content == "next")
        #expect(origin.requests.map { $0["Upgrade"] } == [["websocket"], []])
    }

    @Test("handshakes are never stored and never share a load")
    func notStored() throws {
        let origin = TestOrigin.answering { _ in response("200 OK", "Cache-Control: max-age=600", content: "x") }
        let proxy = try Self.proxy(to: origin.port)
        for _ in 1...2 { #expect(proxy.reader().ask(proxy.request("GET", "/api/a", Self.handshake))?.status == 200) }
        #expect(origin.requests.count == 2)
        #expect(proxy.ask("/api/a")?.isHit == false)
        // What is stored does not answer a handshake.
        #expect(proxy.reader().ask(proxy.request("GET", "/api/a", Self.handshake))?.isHit == false)
    }

    @Test(
        "any other upgrade is taken off, and the answer is an ordinary one (H-077)",
        arguments: [
            ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAA"],
            ["Connection: Upgrade", "Upgrade: websocket, h2c"], ["Connection: Upgrade", "Upgrade: TLS/1.0"],
            ["Upgrade: websocket"], ["Connection: close", "Upgrade: websocket"],
            ["Connection: Upgrade", "Upgrade: websocket", "Upgrade: h2c"],
            ["Connection: Upgrade", "Upgrade: websocket/13"],
        ]
    )
    func otherUpgrades(fields: [String]) throws {
        let origin = TestOrigin.answering { _ in response(content: "plain") }
        let proxy = try Self.proxy(to: origin.port)
        #expect(proxy.reader().ask(proxy.request("GET", "/api/", fields))?.content == "plain")
        let request = try #require(origin.requests.first)
        for name in ["Upgrade", "HTTP2-Settings", "Connection"] { #expect(request[name] == [], "\(name)") }
    }

    @Test(
        "an upgrade that is taken off does not keep the answer out of the store, nor a stored one from being used (H-077)"
    )
    func storedInSpiteOfUpgrade() throws {
        let origin = TestOrigin.answering { _ in response("200 OK", "Cache-Control: max-age=600", content: "x") }
        let proxy = try Self.proxy(to: origin.port)
        let fields = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAA"]
        for isHit in [false, true] {
            #expect(proxy.reader().ask(proxy.request("GET", "/api/b", fields))?.isHit == isHit)
        }
        #expect(origin.requests.count == 1)
    }

    @Test("a handshake with content or another method is none (H-077)")
    func withContent() throws {
        let origin = TestOrigin.answering { _ in response(content: "plain") }
        let proxy = try Self.proxy(to: origin.port)
        for method in ["POST", "GET"] {
            let reply = proxy.reader().ask(proxy.request(method, "/api/", Self.handshake, content: "GET / HTTP/1.1"))
            #expect(reply?.content == "plain")
        }
        #expect(origin.requests.map { $0["Upgrade"] } == [[], []])
        #expect(origin.requests.map(\.content) == ["GET / HTTP/1.1", "GET / HTTP/1.1"])
    }

    @Test(
        "a 101 to what was not asked for is 502, and the connection to the origin ends (H-078)",
        arguments: [
            "Connection: Upgrade\r\nUpgrade: h2c\r\n", "Connection: Upgrade\r\nUpgrade: websocket, h2c\r\n",
            "Upgrade: websocket\r\n", "Connection: Upgrade\r\n", "",
        ]
    )
    func otherProtocol(fields: String) throws {
        let ended = WaitQueue<String>()
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 101 Switching Protocols\r\n\(fields)\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            ended.push(peer.readAll())
        }
        let proxy = try Self.proxy(to: origin.port)
        let client = proxy.client()
        client.send(proxy.request("GET", "/api/", Self.handshake) + "smuggled")
        #expect(client.receive(until: { $0.content.contains("}") }).hasPrefix("HTTP/1.1 502 "))
        #expect(ended.pop() == "")
    }

    @Test("a 101 to an ordinary request is 502 (H-078)")
    func unasked() throws {
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send(Self.switching)
        }
        let proxy = try Self.proxy(to: origin.port)
        #expect(proxy.ask("/api/")?.status == 502)
    }

    @Test("ends pass on one by one, and large content is whole (H-081)")
    func halfClose() throws {
        let count = 3_000_000
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send(Array(Self.switching.utf8) + [UInt8](repeating: 0x62, count: count))
            peer.send("\(peer.readAll().utf8.count)")
        }
        let proxy = try Self.proxy(to: origin.port)
        let client = proxy.client()
        client.send(
            Array(proxy.request("GET", "/api/", Self.handshake).utf8) + [UInt8](repeating: 0x61, count: 1000)
        )
        let text = client.receive { $0.utf8.count > count }
        client.send([UInt8](repeating: 0x61, count: count))
        client.shutdownWrite()
        let rest = client.receiveAll()
        #expect((text + rest.text).content == String(repeating: "b", count: count) + "\(count + 1000)")
        #expect(rest.end == .end)
    }

    @Test("a quiet WebSocket outlives the limits for responses and idle connections")
    func quiet() throws {
        let origin = TestOrigin { peer, _ in
            guard let head = peer.readHead() else { return }
            if head.contains("websocket") {
                peer.send(Self.switching)
                while let line = peer.read(through: "\n") { peer.send("<\(line)>\n") }
            } else {
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbeg")
                _ = peer.hasEnded()
            }
        }
        let base = try TargetURI(parsing: "http://127.0.0.1:\(origin.port)")
        let proxy = try TestProxy { setup in
            setup.options.services = [ServiceRoute(name: "api", base: base)]
            setup.options.tunnelIdleTimeout = .seconds(3600)
            setup.upstream.idleTimeout = .milliseconds(50)
            setup.upstream.firstByteTimeout = .seconds(5)
            setup.server.idleTimeout = .milliseconds(50)
            setup.server.sendTimeout = .milliseconds(50)
        }
        let client = proxy.client()
        client.send(proxy.request("GET", "/api/", Self.handshake))
        #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 101 "))
        // What began later has come to its limits: a response, and a connection without a request.
        let response = proxy.client()
        response.send(proxy.request("GET", "/api/plain"))
        let rest = response.receiveAll()
        #expect(rest.text.hasSuffix("\r\n\r\nbeg") && rest.end != .timeout)
        #expect(proxy.client().receiveAll().end == .end)
        client.send("late\n")
        #expect(client.receive(until: ">\n") == "<late\n>\n")
    }

    @Test("a quiet WebSocket ends by the tunnel's idle limit, at both sides")
    func tunnelLimit() throws {
        let ended = WaitQueue<Bool>()
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send(Self.switching)
            ended.push(peer.hasEnded())
        }
        let base = try TargetURI(parsing: "http://127.0.0.1:\(origin.port)")
        let proxy = try TestProxy { setup in
            setup.options.services = [ServiceRoute(name: "api", base: base)]
            setup.options.tunnelIdleTimeout = .milliseconds(50)
            setup.upstream.idleTimeout = .seconds(3600)
            setup.server.idleTimeout = .seconds(3600)
        }
        let client = proxy.client()
        client.send(proxy.request("GET", "/api/", Self.handshake))
        let tunnel = client.receiveAll()
        #expect(tunnel.text.hasPrefix("HTTP/1.1 101 ") && tunnel.end == .end)
        #expect(ended.pop() == true)
    }

    @Test("open WebSockets take no connection away from other requests to their origin (H-132)")
    func places() throws {
        let origin = TestOrigin { peer, _ in
            guard let head = peer.readHead() else { return }
            if head.contains("websocket") {
                peer.send(Self.switching)
                _ = peer.readAll()
            } else {
                peer.send(response(content: "plain"))
            }
        }
        let base = try TargetURI(parsing: "http://127.0.0.1:\(origin.port)")
        let proxy = try TestProxy { setup in
            setup.options.services = [ServiceRoute(name: "api", base: base)]
            setup.upstream.connectionsPerOrigin = 1
        }
        let clients = (1...3).map { _ in proxy.client() }
        for client in clients {
            client.send(proxy.request("GET", "/api/", Self.handshake))
            #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 101 "))
        }
        #expect(proxy.ask("/api/plain")?.content == "plain")
    }

    @Test("pages of other sites open no WebSocket by prefix or through a service that injects")
    func foreignPages() throws {
        let origin = TestOrigin.answering { _ in Self.switching }
        let proxy = try Self.proxy(to: origin.port, injected: true)
        for target in ["/http://127.0.0.1:\(origin.port)/", "/api/"] {
            for field in ["Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"] {
                let reply = proxy.reader().ask(proxy.request("GET", target, Self.handshake + [field]))
                #expect(reply?.status == 403, "\(target) \(field)")
            }
        }
        #expect(origin.requests.isEmpty)
    }

    @Test("a setting switches upgrades off (H-077)")
    func switchedOff() throws {
        let origin = TestOrigin.answering { _ in response(content: "plain") }
        let proxy = try TestProxy { $0.options.allowsWebSocket = false }
        #expect(proxy.reader().ask(proxy.request("GET", origin.url("/"), Self.handshake))?.content == "plain")
        #expect(origin.requests.first?["Upgrade"] == [])
    }
}
