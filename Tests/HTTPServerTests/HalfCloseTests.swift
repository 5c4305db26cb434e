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
}
