import HTTPCore
import Testing
import TestSupport

@testable import HTTPServer

/// Clients that send their last byte before they have their answer.
@Suite struct HalfCloseTests {
    private static let wait = "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("a client that ends its side before the answer counts as gone, and is told so in case it is not (S-105)")
    func gone() throws {
        let server = try TestServer()
        let client = server.client()
        client.send(Self.wait + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(server.await("request /wait"))
        client.shutdownWrite()
        #expect(server.await("lost"))
        let (text, end) = client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 408 ") && text.contains("limits.half-close"))
        #expect(text.count(of: "HTTP/1.1") == 1 && end == .end)
        #expect(server.connectionCounter.count == 0)
    }

    @Test("a client that ends its side with its content counts as gone, too (S-105)")
    func goneAfterContent() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("POST /wait HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n12345")
        client.shutdownWrite()
        #expect(server.await("content"))
        #expect(server.await("lost"))
        #expect(client.receiveAll().text.hasPrefix("HTTP/1.1 408 "))
    }

    @Test("with limits.half-close such requests wait, and are answered in order")
    func waits() throws {
        let server = try TestServer { $0.halfCloseTime = .seconds(3600) }
        let client = server.client()
        client.send(Self.wait + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        client.shutdownWrite()
        #expect(server.await("request /wait"))
        server.onLoop { _, responder in responder.release() }
        let (text, end) = client.receiveAll()
        #expect(text.contains("released") && text.hasSuffix("hello /2") && end == .end)
    }

    @Test("they wait so long and no longer")
    func waitsInVain() throws {
        let server = try TestServer { $0.halfCloseTime = .milliseconds(50) }
        let client = server.client()
        client.send(Self.wait)
        client.shutdownWrite()
        #expect(server.await("lost"))
        #expect(client.receiveAll().text.hasPrefix("HTTP/1.1 408 "))
    }

    @Test("a response that has begun goes out whole to a client that has ended its side")
    func begun() throws {
        let server = try TestServer()
        let client = server.client(receiveBuffer: 65536)
        client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(server.await("full"))
        client.shutdownWrite()
        let (text, end) = client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 200 ") && text.content.utf8.count == 16 << 20 && end == .end)
    }

    @Test(
        "what came before the client's end is answered by a connection inside that begins later, which ends at once",
        arguments: [
            ("", 1, 0), ("GET /x HTTP/1.1\r\nHost: inner.example\r\n\r\n", 2, 0), ("GET /x HT", 1, 1),
        ]
    )
    func endedBeforeInside(rest: String, responses: Int, incomplete: Int) throws {
        let server = try StillServer()
        server.send("CONNECT held.example:1 HTTP/1.1\r\nHost: held.example:1\r\n\r\n" + rest)
        server.endSending()
        let exchange = try #require(server.responder.held.first)
        // The end of the side does not end what may become a tunnel.
        #expect(server.connectionCount == 1 && server.receive().isEmpty && !server.hasEnded)
        exchange.start(200, fields: Fields(), content: .none)
        let origin = ConnectionOrigin(scheme: .http, host: Array("inner.example".utf8), port: 80)
        exchange.takeOver()?.serveHTTP(for: origin)
        server.turn()
        let text = String(decoding: server.receive(), as: UTF8.self)
        #expect(text.count(of: "HTTP/1.1 200 ") == responses && text.count(of: "HTTP/1.1 ") == responses, "\(text)")
        #expect(text.contains("<http://inner.example/x true>") == (responses == 2))
        #expect(server.hasEnded && server.connectionCount == 0)
        #expect(server.statistics.incomplete == incomplete)
    }
}
