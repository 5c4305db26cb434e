import Eventing
import HTTPCore
import TestSupport
import Testing

@testable import HTTPServer

/// When a client's time is over, by a clock that the test moves.
@Suite struct DeadlineTests {
    private static func text(_ server: StillServer) -> String { String(decoding: server.receive(), as: UTF8.self) }

    @Test("the time for a head runs from its first byte, whatever comes meanwhile (H-125)")
    func head() throws {
        let server = try StillServer()
        server.send("GET /x HT")
        server.advance(by: .milliseconds(9_900))
        server.send("TP/1.1\r\nHost:")
        #expect(server.receive().isEmpty && server.connectionCount == 1)
        server.advance(by: .milliseconds(300))
        let text = Self.text(server)
        #expect(text.hasPrefix("HTTP/1.1 408 ") && text.contains("see limits.header-timeout"))
        #expect(text.contains("Connection: close\r\n") && !text.contains("Retry-After"))
        #expect(server.connectionCount == 0)
    }

    @Test("greeting and request of SOCKS have the time of one head together (H-125)")
    func socks() throws {
        let server = try StillServer()
        server.send("\u{5}")
        server.advance(by: .milliseconds(9_900))
        server.send("\u{1}\u{0}")
        #expect(server.receive() == SOCKSBytes.accepted && server.connectionCount == 1)
        server.advance(by: .milliseconds(300))
        #expect(server.receive().isEmpty && server.hasEnded)
        #expect(server.connectionCount == 0 && server.statistics.incomplete == 1)
    }

    @Test("the time for content runs from its last byte (H-126)")
    func content() throws {
        let server = try StillServer { $0.minimumBodyBytesPerMinute = 0 }
        server.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n")
        for byte in ["a", "b", "c"] {
            server.advance(by: .milliseconds(29_900))
            server.send(byte)
        }
        server.advance(by: .milliseconds(29_900))
        #expect(server.receive().isEmpty)
        server.advance(by: .milliseconds(300))
        let text = Self.text(server)
        #expect(text.hasPrefix("HTTP/1.1 408 "))
        #expect(text.contains("no byte of the request's content came in time; see limits.body-timeout"))
    }

    @Test("a minute of content has as many bytes as are asked for, or it is too slow (H-126)", arguments: [4, 5])
    func rate(minimum: Int) throws {
        let server = try StillServer { $0.minimumBodyBytesPerMinute = minimum }
        server.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n")
        for seconds in [25, 25, 9] {
            server.advance(by: .seconds(seconds))
            server.send("x")
        }
        #expect(server.receive().isEmpty)
        server.advance(by: .seconds(1))
        server.send("x")
        let text = Self.text(server)
        #expect(text.hasPrefix("HTTP/1.1 408 ") == (minimum == 5) && text.isEmpty == (minimum == 4))
        if minimum == 5 { #expect(text.contains("comes too slowly; see limits.body-timeout")) }
    }

    @Test("a connection without a request has the time that the settings give it when its last response is out")
    func idle() throws {
        let server = try StillServer()
        server.listener.limits.idleTimeout = .seconds(5)
        for _ in 0..<2 {
            server.send("GET /fast HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(Self.text(server).hasSuffix("fast /fast"))
            server.advance(by: .milliseconds(4_900))
            #expect(server.receive().isEmpty && !server.hasEnded)
        }
        server.advance(by: .milliseconds(300))
        #expect(server.receive().isEmpty && server.hasEnded && server.connectionCount == 0)
    }

    @Test("a request waits for its answer as long as limits.half-close says once its client has ended its side")
    func halfClose() throws {
        let server = try StillServer { $0.halfCloseTime = .seconds(20) }
        server.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        server.advance(by: .seconds(100))
        server.endSending()
        server.advance(by: .milliseconds(19_900))
        #expect(server.receive().isEmpty && !server.hasEnded)
        server.advance(by: .milliseconds(300))
        let text = Self.text(server)
        #expect(text.hasPrefix("HTTP/1.1 408 ") && text.contains("limits.half-close"))
    }

    @Test("what has left HTTP has no deadline of ours, neither for its next byte nor for unsent ones (H-080)")
    func tunnel() throws {
        let server = try StillServer()
        server.send("CONNECT held.example:1 HTTP/1.1\r\nHost: held.example:1\r\n\r\n")
        let exchange = try #require(server.responder.held.first)
        exchange.start(200, fields: Fields(), content: .none)
        let tunnel = try #require(exchange.takeOver())
        tunnel.stream.delegate = TunnelEcho(tunnel)
        server.turn()
        #expect(Self.text(server).hasPrefix("HTTP/1.1 200 "))
        // More than a socket holds.
        let count = 4 << 20
        tunnel.stream.write(ByteChunk([UInt8](repeating: 0x78, count: count)))
        server.turn()
        #expect(tunnel.stream.unsentBytes > 0)
        server.advance(by: .seconds(90_000))
        #expect(tunnel.stream.isOpen)
        var received = 0
        for _ in 0..<200 where received < count {
            received += server.receive().count
            server.turn()
        }
        #expect(received == count)
    }
}
