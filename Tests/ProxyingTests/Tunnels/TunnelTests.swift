import Eventing
import HTTPCore
import Proxying
import Testing
import TestSupport

/// CONNECT over real sockets (RFC 9110 §9.3.6).
@Suite struct TunnelTests {
    private static func proxy(to port: UInt16, idle: Duration = .seconds(600)) throws -> TestProxy {
        try TestProxy { setup in
            setup.options.connectPorts = [port]
            setup.options.tunnelIdleTimeout = idle
        }
    }

    private static func connect(_ port: UInt16) -> String {
        "CONNECT 127.0.0.1:\(port) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
    }

    @Test("the 2xx of a tunnel has no framing, and bytes go both ways as they are (H-080)")
    func bothWays() throws {
        let far = TestOrigin { peer, _ in
            peer.send("hello\n")
            while let line = peer.read(through: "\n") { peer.send("<\(line)>\n") }
        }
        let proxy = try Self.proxy(to: far.port)
        let client = proxy.client()
        client.send(Self.connect(far.port))
        let head = client.receive(until: "hello\n")
        #expect(head.hasPrefix("HTTP/1.1 200 "))
        for name in ["Content-Length", "Transfer-Encoding", "Connection"] {
            #expect(Reply.values(of: name, in: head) == [], "\(name)")
        }
        for line in ["GET / HTTP/1.1\r\n", "\u{0}\u{1}\n"] {
            client.send(line)
            #expect(client.receive(until: ">\n") == "<\(line)>\n")
        }
    }

    @Test("a refused CONNECT says why in its reason phrase, which clients show, and in its content")
    func reasonPhrase() throws {
        let proxy = try Self.proxy(to: 443)
        let client = proxy.client()
        client.send(Self.connect(8080))
        let text = client.receive(until: "}\n")
        let why = "CONNECT to port 8080 refused: add it to `access.connect-ports` in the proxy's settings"
        #expect(text.hasPrefix("HTTP/1.1 403 \(why)\r\n"))
        #expect(text.hasSuffix("\"detail\":\"\(why)\"}\n"))
    }

    @Test("CONNECT reaches any port with \"any\", but for those of other protocols")
    func anyPort() throws {
        let far = TestOrigin { peer, _ in peer.send("hello\n") }
        let proxy = try TestProxy { $0.options.connectPorts = .any }
        let client = proxy.client()
        client.send(Self.connect(far.port))
        #expect(client.receive(until: "hello\n").hasPrefix("HTTP/1.1 200 "))
        let other = proxy.client()
        other.send(Self.connect(25))
        #expect(
            other.receive(until: "}\n").hasPrefix("HTTP/1.1 403 CONNECT to port 25 refused: it is for another protocol")
        )
    }

    @Test("bytes right behind the CONNECT head are the first in the tunnel (H-080)")
    func earlyBytes() throws {
        let received = WaitQueue<String>()
        let far = TestOrigin { peer, _ in
            received.push(peer.read(through: "\n") ?? "")
            peer.send("done\n")
        }
        let proxy = try Self.proxy(to: far.port)
        let client = proxy.client()
        client.send(Self.connect(far.port) + "early bytes\n")
        #expect(received.pop() == "early bytes\n")
        #expect(client.receive(until: "done\n").hasPrefix("HTTP/1.1 200 "))
    }

    @Test("bytes and the end right behind the head arrive too (H-081)")
    func earlyEnd() throws {
        let far = TestOrigin { peer, _ in peer.send("got \(peer.readAll())") }
        let proxy = try Self.proxy(to: far.port)
        let client = proxy.client()
        client.send(Self.connect(far.port) + "everything")
        client.shutdownWrite()
        let (text, end) = client.receiveAll()
        #expect(text.content == "got everything" && end == .end)
    }

    @Test("the client's end passes on, and the far end may go on (H-081)")
    func halfCloseOfClient() throws {
        let far = TestOrigin { peer, _ in
            let all = peer.readAll()
            peer.send("\(all.utf8.count) bytes")
        }
        let proxy = try Self.proxy(to: far.port)
        let client = proxy.client()
        client.send(Self.connect(far.port))
        #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        client.send([UInt8](repeating: 0x61, count: 3_000_000))
        client.shutdownWrite()
        let (text, end) = client.receiveAll()
        #expect(text == "3000000 bytes" && end == .end)
    }

    @Test("the far end's end passes on, and the client may go on (H-081)")
    func halfCloseOfFarEnd() throws {
        let received = WaitQueue<String>()
        let far = TestOrigin { peer, _ in
            peer.send("bye")
            peer.shutdownWrite()
            received.push(peer.readAll())
        }
        let proxy = try Self.proxy(to: far.port)
        let client = proxy.client()
        client.send(Self.connect(far.port))
        let (text, end) = client.receiveAll()
        #expect(text.content == "bye" && end == .end)
        client.send("still here")
        client.shutdownWrite()
        #expect(received.pop() == "still here")
    }

    @Test("large content is whole in both directions at once")
    func large() throws {
        let count = 8_000_000
        let received = WaitQueue<Int>()
        let far = TestOrigin { peer, _ in
            BackgroundThread {
                peer.send([UInt8](repeating: 0x62, count: count))
                peer.shutdownWrite()
            }
            received.push(peer.read(count).count)
        }
        let proxy = try Self.proxy(to: far.port)
        let client = proxy.client()
        client.send(Self.connect(far.port))
        #expect(client.receive(until: { $0.contains("\r\n\r\n") }).hasPrefix("HTTP/1.1 200 "))
        BackgroundThread { client.send([UInt8](repeating: 0x61, count: count)) }
        #expect(received.pop() == count)
    }

    @Test("a tunnel in which nothing moves ends (H-081)")
    func idle() throws {
        let ended = WaitQueue<String>()
        let far = TestOrigin { peer, _ in ended.push(peer.readAll()) }
        let proxy = try Self.proxy(to: far.port, idle: .milliseconds(50))
        let client = proxy.client()
        client.send(Self.connect(far.port))
        let (text, _) = client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 200 "))
        #expect(ended.pop() == "")
    }

    @Test("a tunnel ends after its lifetime, however busy it is (H-081)")
    func lifetime() throws {
        let far = TestOrigin { peer, _ in
            // Sends until nobody takes it any more.
            while peer.send("tick") {}
        }
        let proxy = try TestProxy { setup in
            setup.options.connectPorts = [far.port]
            setup.options.tunnelLifetime = .milliseconds(100)
        }
        let client = proxy.client()
        client.send(Self.connect(far.port))
        var last = client.receiveSome()
        while case .bytes = last { last = client.receiveSome() }
        #expect(last == .end || last == .reset)
    }

    @Test("a client that breaks off ends the far end too (H-081)")
    func broken() throws {
        let ended = WaitQueue<String>()
        let far = TestOrigin { peer, _ in
            peer.send("hello")
            ended.push(peer.readAll())
        }
        let proxy = try Self.proxy(to: far.port)
        do {
            let client = proxy.client()
            client.send(Self.connect(far.port))
            #expect(client.receive(until: "hello").hasSuffix("hello"))
            client.resetOnClose()
        }
        #expect(ended.pop() == "")
    }

    @Test("a far end that refuses is 502, and nothing behind is read as a request (H-080, H-086)")
    func refusedByFarEnd() throws {
        let closed = TestOrigin { _, _ in }
        closed.close()
        let origin = TestOrigin.answering { _ in response(content: "x") }
        let proxy = try Self.proxy(to: closed.port)
        let client = proxy.client()
        client.send(Self.connect(closed.port) + proxy.request("GET", origin.url("/")))
        let (text, _) = client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 502 "))
        #expect(text.count(of: "HTTP/1.1 ") == 1)
        #expect(Reply.values(of: "Proxy-Status", in: text).first?.contains("error=") == true)
        #expect(origin.requests.isEmpty)
    }

    @Test("a port that is not allowed is 403, and nothing behind is read as a request (H-079, H-080)")
    func refusedPort() throws {
        let origin = TestOrigin.answering { _ in response(content: "x") }
        let proxy = try TestProxy()
        let client = proxy.client()
        client.send(Self.connect(origin.port) + proxy.request("GET", origin.url("/")))
        let (text, _) = client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 403 "))
        #expect(text.count(of: "HTTP/1.1 ") == 1)
        #expect(origin.requests.isEmpty)
    }

    @Test("a forbidden address is 403 (H-136)")
    func forbiddenAddress() throws {
        let proxy = try TestProxy()
        let client = proxy.client()
        client.send("CONNECT 169.254.169.254:443 HTTP/1.1\r\nHost: 169.254.169.254:443\r\n\r\n")
        let (text, _) = client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 403 "))
        #expect(text.contains("destination_ip_prohibited"))
    }

    // MARK: What is known of tunnels

    @Test("an open tunnel is listed with its ends, bytes each way and who has ended; totals stay")
    func listed() throws {
        let ended = WaitQueue<String>()
        let far = TestOrigin { peer, _ in
            peer.send("hello")
            ended.push(peer.readAll())
            peer.send("all")
        }
        let proxy = try Self.proxy(to: far.port)
        #expect(proxy.metrics.tunnels.open().isEmpty)
        let client = proxy.client()
        client.send(Self.connect(far.port))
        #expect(client.receive(until: "hello").hasSuffix("hello"))
        let record = try #require(proxy.metrics.tunnels.open().first)
        #expect(record.id == 1 && record.route == .connect && record.state == .open)
        #expect(record.target == Array("127.0.0.1:\(far.port)".utf8) && record.client.ipAddress != nil)
        #expect(record.bytesDown == 5 && record.bytesUp == 0 && record.lastActivity >= record.began)
        client.send("some bytes")
        client.shutdownWrite()
        #expect(ended.pop() == "some bytes")
        #expect(client.receiveAll().text == "all")
        #expect(record.bytesUp == 10 && record.bytesDown == 8)
        // The proxy has taken note of the end before it answers this.
        _ = proxy.ask("/")
        let totals = proxy.metrics.tunnels.totals
        #expect(totals.opened == 1 && totals.open == 0 && totals.bytesUp == 10 && totals.bytesDown == 8)
    }

    @Test("who has ended a side is told while the other goes on")
    func states() throws {
        let mayEnd = WaitQueue<String>()
        let got = WaitQueue<String>()
        let far = TestOrigin { peer, _ in
            got.push(peer.readAll())
            _ = mayEnd.pop()
            peer.send("end")
        }
        let proxy = try Self.proxy(to: far.port)
        let client = proxy.client()
        client.send(Self.connect(far.port) + "x")
        client.shutdownWrite()
        #expect(got.pop() == "x")
        #expect(proxy.metrics.tunnels.open().map(\.state) == [.clientEnded])
        mayEnd.push("")
        #expect(client.receiveAll().text.content == "end")
    }

    @Test("the oldest come first in a listing, no more than asked for")
    func limited() throws {
        let far = TestOrigin { peer, _ in _ = peer.readAll() }
        let proxy = try Self.proxy(to: far.port)
        let clients = (0..<3).map { _ in proxy.client() }
        for client in clients {
            client.send(Self.connect(far.port))
            #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        }
        #expect(proxy.metrics.tunnels.open(limit: 2).map(\.id) == [1, 2])
        #expect(proxy.metrics.tunnels.totals.open == 3)
    }

    @Test("bytes that a slow side has not taken wait in order, and both sides go on when it takes them")
    func slowSide() throws {
        let count = 1_500_000
        let far = TestOrigin { peer, _ in
            peer.send((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 11) })
        }
        let proxy = try Self.proxy(to: far.port)
        let client = proxy.client(receiveBuffer: 4096)
        client.send(Self.connect(far.port))
        var received: [UInt8] = []
        while case .bytes(let bytes) = client.receiveSome(3_000) { received += bytes }
        let head = try #require(
            String(decoding: received.prefix(200), as: UTF8.self).split(separator: "\r\n\r\n").first
        )
        let content = received.dropFirst(head.utf8.count + 4)
        #expect(content.count == count)
        #expect(content.enumerated().allSatisfy { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 11) == $1 })
    }
}
