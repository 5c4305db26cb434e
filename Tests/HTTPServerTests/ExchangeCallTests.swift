import Eventing
import HTTPCore
import TestSupport
import Testing

@testable import HTTPServer

/// Calls of an exchange and of its listener that come at an unusual time, or have nothing to do.
@Suite struct ExchangeCallTests {
    private static let hold = "GET /hold HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let connect = "CONNECT held.example:1 HTTP/1.1\r\nHost: held.example:1\r\n"

    /// The exchange of a request that the responder keeps.
    private static func exchange(_ server: StillServer, _ request: String = hold) throws -> ServerExchange {
        server.send(request)
        return try #require(server.responder.held.last)
    }

    private static func text(_ server: StillServer) -> String {
        server.turn()
        return String(decoding: server.receive(), as: UTF8.self)
    }

    private final class NoFile: Sendable {}

    @Test("content without a byte makes no chunk, which would be the last one")
    func emptyContent() throws {
        let server = try StillServer()
        let exchange = try Self.exchange(server)
        exchange.start(200, fields: Fields(), content: .unknown)
        exchange.write(ByteChunk(""))
        exchange.write(FileRegion(owner: NoFile(), descriptor: -1, offset: 0, count: 0))
        exchange.write(ByteChunk("ab"))
        exchange.finish()
        #expect(Self.text(server).content == "2\r\nab\r\n0\r\n\r\n")
    }

    @Test("100 Continue is sent once, and not behind a response that has begun (H-073)", arguments: [false, true])
    func continuation(hasBegun: Bool) throws {
        let server = try StillServer()
        let lines = "Host: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
        let exchange = try Self.exchange(server, "POST /hold HTTP/1.1\r\n" + lines)
        if hasBegun { exchange.start(200, fields: Fields(), content: .length(0)) }
        for _ in 0..<2 { exchange.requestContent(1) }
        #expect(Self.text(server).count(of: "HTTP/1.1 100 Continue\r\n\r\n") == (hasBegun ? 0 : 1))
    }

    @Test("what is sent as an interim response is one, and comes before the final one (H-076)")
    func interim() throws {
        let server = try StillServer()
        let exchange = try Self.exchange(server)
        for status in [200, 103] as [UInt16] { exchange.sendInterim(ResponseHead(status: status)) }
        exchange.start(200, fields: Fields(), content: .length(1))
        exchange.sendInterim(ResponseHead(status: 103))
        exchange.write(ByteChunk("x"))
        exchange.finish()
        let text = Self.text(server)
        #expect(text.hasPrefix("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n"))
        #expect(text.count(of: "HTTP/1.1 ") == 2 && text.hasSuffix("\r\n\r\nx"))
    }

    @Test(
        "a success of CONNECT has no Connection, since a tunnel follows; any other response has it (H-080)",
        arguments: [(200, false), (299, false), (300, true), (407, true)] as [(UInt16, Bool)]
    )
    func connectionOption(status: UInt16, isSent: Bool) throws {
        let server = try StillServer()
        let exchange = try Self.exchange(server, Self.connect + "Connection: close\r\n\r\n")
        exchange.start(status, fields: Fields(), content: .none)
        let text = Self.text(server)
        #expect(text.hasPrefix("HTTP/1.1 \(status) ") && text.contains("\r\nConnection: close\r\n") == isSent)
    }

    @Test("behind a request in progress as many bytes are read ahead as limits allow (H-085)", arguments: [9, 10])
    func readAhead(count: Int) throws {
        let server = try StillServer { $0.pipelineBytes = 10 }
        server.send(Self.hold + String(repeating: "x", count: count))
        let connection = try #require(server.responder.lastConnection)
        #expect(connection.stream.unreadBytes == count && connection.stream.isReading == (count < 10))
    }

    @Test(
        "a producer goes on once half of the limit is unsent, or 64 KiB where that is less (H-128)",
        arguments: [(1000, 500), (131_071, 65_535), (262_144, 65_536)]
    )
    func lowWaterMark(limit: Int, mark: Int) throws {
        let server = try StillServer { $0.unsentPerExchange = limit }
        server.send(Self.hold)
        #expect(server.responder.lastConnection?.stream.lowWaterMark == mark)
    }

    // MARK: The listener

    @Test("a listener that drains waits for a request whose head has begun, and answers it as the last one (H-153)")
    func drain() throws {
        let server = try StillServer()
        server.send("GET /x HTTP/1.1\r\nHo")
        var isDrained = false
        server.listener.drain { isDrained = true }
        server.turn()
        #expect(!isDrained && server.connectionCount == 1 && server.receive().isEmpty && !server.hasEnded)
        server.send("st: a\r\n\r\n")
        let text = Self.text(server)
        #expect(text.contains("\r\nConnection: close\r\n") && text.hasSuffix("hello /x"))
        #expect(isDrained && server.connectionCount == 0)
    }

    @Test("a client that is not admitted any more ends with a head that has begun, and gets nothing (H-139)")
    func expelled() throws {
        let server = try StillServer()
        server.send("GET /x HTTP/1.1\r\nHo")
        server.listener.admits = { _ in true }
        #expect(Self.text(server).isEmpty && !server.hasEnded && server.connectionCount == 1)
        server.listener.admits = { _ in false }
        #expect(Self.text(server).isEmpty && server.hasEnded && server.connectionCount == 0)
    }

    @Test("in a tunnel no connection begins for a client that is not admitted any more (H-139)")
    func expelledInside() throws {
        let server = try StillServer()
        let exchange = try Self.exchange(server, Self.connect + "\r\n")
        exchange.start(200, fields: Fields(), content: .none)
        let tunnel = try #require(exchange.takeOver())
        #expect(Self.text(server).hasPrefix("HTTP/1.1 200 "))
        server.listener.admits = { _ in false }
        tunnel.serveHTTP(for: ConnectionOrigin(scheme: .http, host: Array("held.example".utf8), port: 1))
        #expect(Self.text(server).isEmpty && server.hasEnded && server.connectionCount == 0)
        #expect(server.listener.connectionCounter.count == 0)
    }
}
