import Testing
import TestSupport

@testable import HTTPServer

@Suite struct TimeoutTests {
    @Test("a head that is not complete in time gets 408 (H-125)")
    func header() throws {
        let server = try TestServer { $0.headerTimeout = .milliseconds(100) }
        let client = server.client()
        client.send("GET /x HTTP/1.1\r\nHost: a\r\n")
        let (text, end) = client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 408 ") && text.contains("limits.header-timeout"))
        #expect(end == .end)
    }

    @Test("heads that are wrong, or for which there is no room, count as refused; what begins as TLS does is told so")
    func refusals() throws {
        let server = try TestServer { $0.unfinishedHeads = 2048 }
        for (bytes, status, isTLS) in [
            (Array("GET\r\n\r\n".utf8), 400, false), ([0x16, 0x03, 0x01], 400, true),
            ([0x16, 0x01, 0x03, 0x0A], 400, false), ([0x16, 0x03], 400, false),
            ([0x17, 0x03, 0x01, 0x0A], 400, false),
            (Array("GET /\(String(repeating: "x", count: 4000))".utf8), 503, false),
        ] {
            let client = server.client()
            client.send(bytes)
            let text = client.receiveAll().text
            #expect(text.hasPrefix("HTTP/1.1 \(status) ") && text.contains("speaks TLS") == isTLS, "\(text)")
        }
        #expect(server.statistics.refused == 6 && server.statistics.requests == 0)
    }

    @Test(
        "an idle connection ends without a word, and makes room for another (H-125)",
        arguments: ["", "GET /fast HTTP/1.1\r\nHost: a\r\n\r\n"]
    )
    func idle(before: String) throws {
        let server = try TestServer { $0.idleTimeout = .milliseconds(100) }
        let client = server.client()
        client.send(before)
        let (text, end) = client.receiveAll()
        #expect(text.count(of: "HTTP/1.1") == (before.isEmpty ? 0 : 1))
        #expect(end == .end)
        #expect(server.connectionCounter.count == 0)
    }

    @Test("content that does not come gets 408, and the responder is told (H-126)")
    func content() throws {
        let server = try TestServer { $0.bodyTimeout = .milliseconds(100) }
        let client = server.client()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
        #expect(client.receiveAll().text.hasPrefix("HTTP/1.1 408 "))
        #expect(server.await("failed 408"))
    }

    @Test("content that comes too slowly gets 408 (H-126)", arguments: [("a", "408"), ("abc", "200")])
    func slowContent(first: String, status: String) throws {
        // Given a server that counts again after each piece
        let server = try TestServer {
            $0.minimumBodyBytesPerMinute = 2
            $0.bodyRatePeriod = .zero
        }
        let client = server.client()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\n")
        #expect(server.await("request /echo"))
        // When its client sends one byte at first, or some
        client.send(first)
        #expect(server.await("content"))
        if status == "200" { client.send("de") }
        // Then it is cut off, or not
        let text = client.receiveAll().text
        #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        #expect(text.contains("limits.body-timeout") == (status == "408"))
    }

    @Test("content that the responder requests late has its deadline from then on (H-126)")
    func lateRequest() throws {
        let server = try TestServer { $0.bodyTimeout = .milliseconds(100) }
        let client = server.client()
        client.send("POST /late HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
        #expect(server.await("request /late"))
        server.onLoop { _, responder in responder.requestContent() }
        #expect(client.receiveAll().text.hasPrefix("HTTP/1.1 408 "))
        #expect(server.await("failed 408"))
    }

    @Test("a request that is being answered has no deadline of its own")
    func slowAnswer() throws {
        let server = try TestServer {
            $0.idleTimeout = .milliseconds(100)
            $0.headerTimeout = .milliseconds(100)
            $0.bodyTimeout = .milliseconds(100)
        }
        let client = server.client()
        client.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(server.await("request /hold"))
        // Another connection sees its deadline pass meanwhile.
        #expect(server.client().receiveAll().end == .end)
        server.onLoop { _, responder in responder.release() }
        #expect(client.receive(until: "released").hasPrefix("HTTP/1.1 200"))
    }

    @Test("a listener that closes resets requests and responses in progress, and ends a connection that has none")
    func closing() throws {
        let server = try TestServer()
        let (busy, idle, loading) = (server.client(), server.client(), server.client(receiveBuffer: 65536))
        loading.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(server.await("full"))
        idle.send("GET /idle HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(idle.receive(until: "hello /idle").hasSuffix("hello /idle"))
        busy.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(server.await("request /wait"))
        server.onLoop { listener, _ in listener.close() }
        #expect(idle.receiveAll().end == .end)
        #expect(busy.receiveAll().end == .reset && loading.receiveAllBytes().end == .reset)
    }
}

@Suite struct ConnectionCounterTests {
    /// A whole request and the beginning of a head of this size; the answer tells that both have been looked at.
    private static func begin(_ server: TestServer, _ bytes: Int) -> (RawClient, String) {
        let client = server.client()
        let start = "GET /x HTTP/1.1\r\nHost: a\r\nX: "
        client.send(
            "GET /fast HTTP/1.1\r\nHost: a\r\n\r\n" + start + String(repeating: "x", count: bytes - start.utf8.count)
        )
        return (client, client.receive(until: "fast /fast"))
    }

    @Test(
        "unfinished heads of all clients share a budget: beyond it 503 names the setting; half is for small ones (H-132)"
    )
    func heads() throws {
        let server = try TestServer { $0.unfinishedHeads = 16_384 }
        let heads = server.connectionCounter.heads
        // Given a client that holds back a large head
        let (first, _) = Self.begin(server, 8000)
        #expect(heads.used == 8000)
        // When another begins one, then there is no room in its half
        let (second, text) = Self.begin(server, 6000)
        let refusal = text + second.receiveAll().text
        #expect(refusal.contains("HTTP/1.1 503 ") && refusal.contains("limits.unfinished-heads"))
        #expect(refusal.contains("Retry-After: 1") && heads.used == 8000 && heads.refused == 1)
        // And small ones have theirs
        let (third, _) = Self.begin(server, 4000)
        let (fourth, _) = Self.begin(server, 4000)
        #expect(heads.used == 16_000)
        let (fifth, last) = Self.begin(server, 4000)
        #expect((last + fifth.receiveAll().text).contains("HTTP/1.1 503 ") && heads.refused == 2)
        // A head that is whole, and one whose client goes, make room; whole requests never needed any.
        third.send("\r\n\r\n")
        #expect(third.receive(until: "hello /x").hasPrefix("HTTP/1.1 200"))
        first.shutdownWrite()
        _ = first.receiveAll()
        fourth.send("\r\n\r\n")
        #expect(fourth.receive(until: "hello /x").hasPrefix("HTTP/1.1 200"))
        #expect(heads.used == 0)
    }

    @Test("above the cap connections wait until one has ended (H-132)")
    func cap() throws {
        let server = try TestServer { $0.maxConnections = 1 }
        let first = server.client()
        first.send("GET /hold HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(server.await("request /hold"))
        let second = server.client()
        second.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(server.onLoop { listener, _ in listener.connectionCount } == 1)
        server.onLoop { _, responder in responder.release() }
        _ = first.receiveAll()
        #expect(second.receive(until: "hello /x").hasPrefix("HTTP/1.1 200"))
    }

    @Test("loopback peers count for the cap per peer where they are not trusted (H-132)", arguments: [true, false])
    func loopback(counts: Bool) throws {
        let server = try TestServer {
            $0.maxConnectionsPerPeer = 1
            $0.countsLoopbackPeers = counts
        }
        let first = server.client()
        first.send("GET /hold HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(server.await("request /hold"))
        let request = "GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        let second = server.client()
        second.send(request)
        let (text, _) = second.receiveAll()
        #expect(text.hasPrefix(counts ? "HTTP/1.1 503 " : "HTTP/1.1 200 "))
        if counts { #expect(text.contains("limits.max-connections-per-peer") && text.contains("Retry-After: 1")) }
        server.onLoop { _, responder in responder.release() }
        #expect(first.receiveAll().text.hasSuffix("released"))
        let third = server.client()
        third.send(request)
        #expect(third.receiveAll().text.hasSuffix("hello /x"))
    }
}
