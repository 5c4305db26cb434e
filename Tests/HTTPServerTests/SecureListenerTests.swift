import HTTPServer
import TestSupport
import Testing
import TransportSecurity

/// A listener whose clients speak TLS, and clients that speak the wrong protocol.
@Suite struct SecureListenerTests {
    private static let site = Result { try TestSite() }

    private static func server(_ change: @Sendable (inout ServerLimits) -> Void = { _ in }) throws -> TestServer {
        try TestServer(security: try site.get().context, change)
    }

    /// A connection with its handshake done.
    private struct SecureClient {
        let raw: RawClient
        let tls: BlockingTLS

        init(_ server: TestServer, _ context: TLSClientContext? = nil) throws {
            raw = server.client()
            let context = try context ?? TLSClientContext(try SecureListenerTests.site.get().clientSettings)
            let engine = try #require(context.connect(to: Array("localhost".utf8), port: server.port))
            tls = BlockingTLS(engine, over: raw.descriptor)
            tls.shakeHands()
        }

        func ask(_ target: String) -> String {
            var text = ""
            tls.send(Array("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            while !text.contains("\r\n\r\n") {
                let bytes = tls.receive()
                if bytes.isEmpty { break }
                text += String(decoding: bytes, as: UTF8.self)
            }
            return text
        }
    }

    /// The first bytes a client sends.
    private static func hello() throws -> [UInt8] {
        let context = try TLSClientContext(try site.get().clientSettings)
        let engine = try #require(context.connect(to: Array("localhost".utf8), port: 1))
        engine.begin()
        var bytes: [UInt8] = []
        engine.sendOutput { span in
            for index in span.indices { bytes.append(span[index]) }
            return span.count
        }
        return bytes
    }

    @Test("requests come by TLS, as HTTP/1.1, and know it")
    func requests() throws {
        let server = try Self.server()
        let client = try SecureClient(server)
        #expect(client.ask("/secure").hasSuffix("\r\n\r\nsecure true"))
        #expect(client.ask("/fast").hasSuffix("fast /fast"))
        #expect(client.tls.engine.selectedProtocol == "http/1.1" && client.tls.engine.version == "TLSv1.3")
        #expect(server.connectionCounter.count == 1)
        let plain = try TestServer()
        let other = plain.client()
        other.send("GET /secure HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(other.receiveAll().text.hasSuffix("secure false"))
    }

    @Test("a client that comes again resumes its session")
    func resumption() throws {
        let server = try Self.server()
        let context = try TLSClientContext(try Self.site.get().clientSettings)
        let first = try SecureClient(server, context)
        _ = first.ask("/")
        #expect(!first.tls.engine.isResumed)
        let second = try SecureClient(server, context)
        #expect(second.ask("/").hasSuffix("hello /"))
        #expect(second.tls.engine.isResumed)
    }

    @Test("another certificate counts for connections from then on; those there are go on")
    func renewal() throws {
        let server = try Self.server()
        let before = try SecureClient(server)
        _ = before.ask("/")
        let other = try TestSite()
        let context = other.context
        server.onLoop { listener, _ in listener.security = context }
        #expect(before.ask("/still").hasSuffix("hello /still"))
        let stale = try SecureClient(server)
        #expect(stale.ask("/") == "")
        let after = try SecureClient(server, TLSClientContext(other.clientSettings))
        #expect(after.ask("/").hasSuffix("hello /"))
    }

    @Test("a client that speaks plain HTTP is told so in plain, and let go")
    func plainHTTP() throws {
        let server = try Self.server()
        let client = server.client()
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let (text, end) = client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("this listener speaks TLS") && end == .end)
        #expect(server.statistics.insecure == 1 && server.connectionCounter.count == 0)
    }

    @Test("a client that speaks TLS to a plain listener is told so in plain, and let go")
    func unexpectedTLS() throws {
        let server = try TestServer()
        let client = server.client()
        client.send(try Self.hello())
        client.shutdownWrite()
        let (text, _) = client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("this listener speaks plain HTTP"))
        #expect(server.statistics.refused == 1)
    }

    @Test(
        "what is no handshake ends the connection, without a word of HTTP, and disturbs nobody",
        arguments: [
            [0x00], [0x80, 0x2E, 0x01], [0x16, 0x03, 0x01, 0x00, 0x05, 1, 2, 3, 4, 5],
            [0x15, 0x03, 0x01, 0x00, 0x02, 2, 40],
            [0x16, 0x03, 0x01, 0xFF, 0xFF], Array("get / http".utf8), Array("\r\n".utf8),
        ] as [[UInt8]]
    )
    func garbage(bytes: [UInt8]) throws {
        let server = try Self.server()
        let other = try SecureClient(server)
        _ = other.ask("/")
        let client = server.client()
        client.send(bytes)
        let (text, _) = client.receiveAll()
        #expect(!text.contains("HTTP/"))
        #expect(server.statistics.insecure == 1 && server.connectionCounter.count == 1)
        #expect(other.ask("/on").hasSuffix("hello /on"))
    }

    @Test("a handshake that stops in the middle ends, with the client's end or when its time is over")
    func truncated() throws {
        let hello = try Self.hello()
        let server = try Self.server { $0.headerTimeout = .milliseconds(50) }
        let cut = server.client()
        cut.send(Array(hello.dropLast(10)))
        cut.shutdownWrite()
        #expect(cut.receiveAll().text == "")
        let silent = server.client()
        silent.send(Array(hello.dropLast(10)))
        #expect(silent.receiveAll().text == "")
        let mute = server.client()
        #expect(mute.receiveAll().text == "")
        #expect(server.statistics.insecure == 3 && server.connectionCounter.count == 0)
    }

    @Test("a handshake may come byte by byte")
    func byteByByte() throws {
        let server = try Self.server()
        let client = server.client()
        for byte in try Self.hello() { client.send([byte]) }
        guard case .bytes(let answer) = client.receiveSome() else {
            Issue.record("no answer")
            return
        }
        #expect(answer.first == 0x16)
    }

    @Test("a client's alert after the handshake, and an end without close_notify, end the connection")
    func rudeEnds() throws {
        let server = try Self.server()
        let first = try SecureClient(server)
        _ = first.ask("/")
        first.raw.shutdownWrite()
        #expect(first.tls.receive().isEmpty)
        let second = try SecureClient(server)
        _ = second.ask("/")
        second.raw.send([0x15, 0x03, 0x03, 0x00, 0x02, 2, 40])
        #expect(second.tls.receive().isEmpty)
        #expect(server.onLoop { listener, _ in listener.connectionCount } == 0)
        #expect(server.connectionCounter.count == 0)
    }

    @Test("handshakes under way end when the listener drains, or closes", arguments: [false, true])
    func draining(closes: Bool) throws {
        let server = try Self.server()
        let client = server.client()
        client.send(try Self.hello())
        guard case .bytes = client.receiveSome() else {
            Issue.record("no answer to the hello")
            return
        }
        server.onLoop { listener, _ in closes ? listener.close() : listener.drain {} }
        #expect(client.receiveAll().text == "")
        #expect(server.connectionCounter.count == 0)
    }

    @Test("a client that is not admitted is let go without a handshake")
    func turnedAway() throws {
        let server = try Self.server()
        server.onLoop { listener, _ in listener.admits = { _ in false } }
        let client = server.client()
        client.send(try Self.hello())
        let (text, end) = client.receiveAll()
        #expect(text == "" && end != .timeout)
        #expect(server.statistics.turnedAway == 1 && server.connectionCounter.count == 0)
    }

    @Test("a client that has too many connections is let go without a handshake; those there go on")
    func tooMany() throws {
        let server = try Self.server { ($0.maxConnectionsPerPeer, $0.countsLoopbackPeers) = (1, true) }
        let first = try SecureClient(server)
        _ = first.ask("/")
        let (text, end) = server.client().receiveAll()
        #expect(text == "" && end != .timeout)
        #expect(server.statistics.turnedAway == 1 && server.connectionCounter.count == 1)
        #expect(first.ask("/on").hasSuffix("hello /on"))
    }
}
