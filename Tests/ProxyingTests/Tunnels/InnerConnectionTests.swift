import HTTPCore
import HTTPServer
import Proxying
import ResourceCore
import Testing
import TestSupport

/// Plain HTTP inside a CONNECT, where a rule has it served.
@Suite struct InnerConnectionTests {
    /// - Parameter silence: how long a client that says nothing is waited for.
    private static func proxy(to port: UInt16, silence: Duration = .seconds(60)) throws -> TestProxy {
        let proxy = try TestProxy { setup in
            setup.options.connectPorts = [port]
            setup.options.firstBytesTime = silence
        }
        proxy.service.reconfigure { $0.configure { $0.servesTunnelledHTTP = true } }
        return proxy
    }

    private static func origin() -> RecordingOrigin {
        TestOrigin.answering { request in
            response("200 OK", "Cache-Control: max-age=60", "Alt-Svc: h3=\":443\"", content: "hello \(request.content)")
        }
    }

    /// A connection to the proxy with the CONNECT answered.
    private static func inside(_ proxy: TestProxy, _ port: UInt16) -> RawClient {
        let client = proxy.client()
        client.send("CONNECT 127.0.0.1:\(port) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        return client
    }

    private static func get(_ path: String, _ host: String, _ more: String...) -> String {
        "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n" + more.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    @Test("what is asked inside a CONNECT is the resource of every route, and a hit needs no origin")
    func oneResource() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy(to: origin.port)
        let own = "127.0.0.1:\(origin.port)"
        let client = ReplyReader(Self.inside(proxy, origin.port))
        let first = try #require(client.ask(Self.get("/x?y", own)))
        #expect(first.status == 200 && first.content == "hello " && !first.isHit)
        #expect(first["Alt-Svc"] == [])
        let second = try #require(client.ask(Self.get("/x?y", own)))
        #expect(second.isHit && second["Alt-Svc"] == [] && second.content == "hello ")
        #expect(proxy.ask(origin.url("/x?y"))?.isHit == true)
        #expect(proxy.ask("/" + origin.url("/x?y"))?.isHit == true)
        #expect(client.ask(Self.get(origin.url("/x?y"), own))?.isHit == true)
        #expect(origin.requests.map(\.target) == ["/x?y"])
        origin.origin.close()
        #expect(ReplyReader(Self.inside(proxy, origin.port)).ask(Self.get("/x?y", own))?.isHit == true)
    }

    @Test("content goes up and is answered, and the connection goes on")
    func content() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy(to: origin.port)
        let client = ReplyReader(Self.inside(proxy, origin.port))
        let own = "127.0.0.1:\(origin.port)"
        for text in ["one", "two"] {
            let request = "POST /p HTTP/1.1\r\nHost: \(own)\r\nContent-Length: 3\r\n\r\n\(text)"
            #expect(client.ask(request)?.content == "hello \(text)")
        }
        #expect(client.ask("OPTIONS * HTTP/1.1\r\nHost: \(own)\r\n\r\n")?.status == 200)
        #expect(origin.requests.map(\.target) == ["/p", "/p", "*"])
    }

    @Test("bytes in the same segment as the CONNECT are the first request, and requests may be pipelined")
    func pipelined() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy(to: origin.port)
        let own = "127.0.0.1:\(origin.port)"
        let client = proxy.client()
        client.send(
            "CONNECT \(own) HTTP/1.1\r\nHost: \(own)\r\n\r\n" + Self.get("/a", own)
                + Self.get("/b", own, "Connection: close")
        )
        let (text, end) = client.receiveAll()
        #expect(end == .end && text.count(of: "HTTP/1.1 200 ") == 3 && text.count(of: "hello ") == 2, "\(text)")
    }

    @Test("a request line may come byte by byte")
    func byteByByte() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy(to: origin.port)
        let client = Self.inside(proxy, origin.port)
        for byte in Self.get("/slow", "127.0.0.1:\(origin.port)").utf8 { client.send([byte]) }
        #expect(ReplyReader(client).next()?.content == "hello ")
    }

    @Test("another authority than that of the CONNECT is 421, a missing Host 400, and CONNECT is refused")
    func otherAuthority() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy(to: origin.port)
        let own = "127.0.0.1:\(origin.port)"
        let wrong = [
            (Self.get("/", "127.0.0.1"), 421), (Self.get("/", "localhost:\(origin.port)"), 421),
            (Self.get("http://127.0.0.1:1/", own), 421), (Self.get("https://\(own)/", own), 421),
            (Self.get("http://\(own)/", "other.example"), 400), ("GET / HTTP/1.1\r\n\r\n", 400),
            ("CONNECT \(own) HTTP/1.1\r\nHost: \(own)\r\n\r\n", 405),
        ]
        for (request, status) in wrong {
            let client = Self.inside(proxy, origin.port)
            client.send(request)
            let (text, _) = client.receiveAll()
            #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(request) \(text)")
        }
        #expect(origin.requests.isEmpty)
        let old = Self.inside(proxy, origin.port)
        old.send("GET /old HTTP/1.0\r\n\r\n")
        #expect(old.receiveAll().text.content == "hello ")
    }

    @Test("a path that looks like a gateway prefix or a service is the origin's path there")
    func noGateway() throws {
        let origin = Self.origin()
        let proxy = try TestProxy { setup in
            setup.options.connectPorts = [origin.port]
            setup.options.services = [
                ServiceRoute(
                    name: "api",
                    base: TargetURI(scheme: .http, host: Array("127.0.0.1".utf8), port: origin.port, path: []),
                    injected: [(Array("Authorization".utf8), Array("secret".utf8))],
                    injectsEverywhere: true
                )
            ]
        }
        proxy.service.reconfigure { $0.configure { $0.servesTunnelledHTTP = true } }
        let client = ReplyReader(Self.inside(proxy, origin.port))
        let own = "127.0.0.1:\(origin.port)"
        let paths = ["/http://other.example/", "/api/x", "/", "/favicon.ico"]
        for path in paths { #expect(client.ask(Self.get(path, own))?.content == "hello ") }
        #expect(origin.requests.map(\.target) == paths)
        // A credential of a service goes with the service's own routes.
        #expect(origin.requests.allSatisfy { $0["Authorization"].isEmpty })
    }

    @Test(
        "what is no request of HTTP/1 is tunnelled, first bytes and all",
        arguments: [
            "SSH-2.0-x\r\n", "PRI * HTTP/2.0\r\n\r\n", "\u{16}\u{3}\u{1} hello\n", "\u{0}\n", "GET / HTTP/1.1\n",
            "word\r\n",
        ]
    )
    func otherProtocols(text: String) throws {
        let far = TestOrigin { peer, _ in peer.send("<\(peer.readAll())>") }
        let proxy = try Self.proxy(to: far.port)
        let client = Self.inside(proxy, far.port)
        for byte in text.utf8 { client.send([byte]) }
        client.shutdownWrite()
        #expect(client.receiveAll().text == "<\(text)>")
    }

    @Test("a client that waits for the far end to speak gets the tunnel")
    func farEndFirst() throws {
        let far = TestOrigin { peer, _ in
            peer.send("220 ready\n")
            peer.send("<\(peer.readAll())>")
        }
        let proxy = try Self.proxy(to: far.port, silence: .milliseconds(20))
        let client = Self.inside(proxy, far.port)
        #expect(client.receive(until: "\n") == "220 ready\n")
        client.send("EHLO\n")
        client.shutdownWrite()
        #expect(client.receiveAll().text == "<EHLO\n>")
    }

    @Test("an end in the middle of a request line is the tunnel's; one before any byte ends the connection")
    func earlyEnd() throws {
        let far = TestOrigin { peer, _ in peer.send("<\(peer.readAll())>") }
        let proxy = try Self.proxy(to: far.port)
        let cut = Self.inside(proxy, far.port)
        cut.send("GET /x HT")
        cut.shutdownWrite()
        #expect(cut.receiveAll().text == "<GET /x HT>")
        let silent = Self.inside(proxy, far.port)
        silent.shutdownWrite()
        #expect(silent.receiveAll().text == "")
        #expect(far.connections == 1)
    }

    @Test("a far end that cannot be reached ends the connection of what is tunnelled, and is 502 for a request")
    func noFarEnd() throws {
        let closed = TestOrigin { _, _ in }
        closed.close()
        let proxy = try Self.proxy(to: closed.port)
        let tunnelled = Self.inside(proxy, closed.port)
        tunnelled.send("word\r\n")
        #expect(tunnelled.receiveAll().text == "")
        let asking = ReplyReader(Self.inside(proxy, closed.port))
        #expect(asking.ask(Self.get("/", "127.0.0.1:\(closed.port)"))?.status == 502)
    }

    @Test("in mode offline what is held is served inside a CONNECT, the rest refused, and nothing tunnelled")
    func offline() throws {
        let origin = Self.origin()
        let proxy = try Self.proxy(to: origin.port)
        let own = "127.0.0.1:\(origin.port)"
        #expect(proxy.ask(origin.url("/held"))?.status == 200)
        proxy.service.reconfigure {
            $0.configure {
                $0.servesTunnelledHTTP = true
                $0.mode = .offline
            }
        }
        let client = ReplyReader(Self.inside(proxy, origin.port))
        #expect(client.ask(Self.get("/held", own))?.isHit == true)
        #expect(client.ask(Self.get("/other", own))?.status == 504)
        let other = Self.inside(proxy, origin.port)
        other.send("word\r\n")
        #expect(other.receiveAll().text == "")
        #expect(origin.origin.connections == 1)
    }

    @Test("a WebSocket inside a CONNECT leaves HTTP a second time")
    func webSocket() throws {
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
            while let line = peer.read(through: "\n") { peer.send("<\(line)>\n") }
        }
        let proxy = try Self.proxy(to: origin.port)
        let client = Self.inside(proxy, origin.port)
        client.send(
            Self.get(
                "/chat",
                "127.0.0.1:\(origin.port)",
                "Connection: Upgrade",
                "Upgrade: websocket",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                "Sec-WebSocket-Version: 13"
            )
        )
        #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 101 "))
        client.send("a\n")
        #expect(client.receive(until: ">\n") == "<a\n>\n")
    }
}
