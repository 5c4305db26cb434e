import Testing
import TestSupport

@testable import HTTPServer

@Suite struct PersistenceTests {
    @Test("pipelined requests are answered in order, also when the first is slow (H-085)")
    func pipelineOrder() throws {
        let server = try TestServer()
        let client = server.client()
        client.send(
            "GET /hold HTTP/1.1\r\nHost: a\r\n\r\nGET /fast/1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        #expect(server.await("request /hold"))
        server.onLoop { _, responder in responder.release() }
        let text = client.receive { $0.hasSuffix("hello /2") }
        #expect(text.count(of: "HTTP/1.1 200 OK") == 3)
        let released = try #require(text.index(of: "released"))
        let fast = try #require(text.index(of: "fast /fast/1"))
        let second = try #require(text.index(of: "hello /2"))
        #expect(released < fast && fast < second)
    }

    @Test("a thousand pipelined hits get a thousand answers (H-085)", arguments: ["/fast", "/fast-copied"])
    func longPipeline(path: String) throws {
        let server = try TestServer()
        let client = server.client()
        let request = "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n"
        client.send(String(repeating: request, count: 999) + "GET /last HTTP/1.1\r\nHost: a\r\n\r\n")
        let text = client.receive(until: "hello /last")
        #expect(text.count(of: "HTTP/1.1 200 OK") == 1000)
    }

    @Test("a request split at any byte has the same answer (H-030)")
    func splits() throws {
        let server = try TestServer()
        let request = Array(
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n".utf8
        )
        let client = server.client()
        for cut in 1..<request.count {
            client.send(Array(request[..<cut]))
            client.send(Array(request[cut...]))
            let text = client.receive(until: "\r\n\r\nabc")
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"), "split at \(cut)")
        }
    }

    @Test("a request sent byte by byte is answered (H-030)")
    func drip() throws {
        let server = try TestServer()
        let client = server.client()
        for byte in "GET /fast HTTP/1.1\r\nHost: a\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n".utf8 {
            client.send([byte])
        }
        #expect(client.receive(until: "hello /x").count(of: "200 OK") == 2)
    }

    @Test("a request with close is the last one, and the response says so (H-087)", arguments: ["/fast", "/x"])
    func close(path: String) throws {
        let server = try TestServer()
        let client = server.client()
        client.send("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: CLOSE\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        let (text, end) = client.receiveAll()
        #expect(text.count(of: "HTTP/1.1 ") == 1)
        #expect(text.count(of: "Connection: close\r\n") == 1)
        #expect(end == .end)
    }

    @Test("HTTP/1.0 closes by default and never gets chunked content (H-088)")
    func oldClient() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("GET /stream HTTP/1.0\r\n\r\n")
        let (text, end) = client.receiveAll()
        #expect(text.content == "onetwothree")
        #expect(!text.contains("Transfer-Encoding") && text.contains("Connection: close"))
        #expect(end == .end)
    }

    @Test("HTTP/1.0 stays open when asked to and the length is known (H-088)")
    func oldClientKeepsAlive() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(client.receive(until: "hello /a").contains("Connection: keep-alive\r\n"))
        client.send("GET /b HTTP/1.0\r\n\r\n")
        #expect(client.receiveAll().text.content == "hello /b")
    }

    @Test("a client that has sent its last byte still gets answers that nobody could break off")
    func halfClose() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
        client.shutdownWrite()
        #expect(server.await("request /hold"))
        server.onLoop { _, responder in responder.release() }
        let (text, end) = client.receiveAll()
        #expect(text.contains("released") && text.hasSuffix("hello /2"))
        #expect(end == .end)
    }

    @Test("a closed connection is let go of")
    func released() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        _ = client.receiveAll()
        #expect(server.onLoop { listener, _ in listener.connectionCount } == 0)
        #expect(server.onLoop { _, responder in responder.lastConnection == nil })
        #expect(server.connectionCounter.count == 0)
    }

    @Test("draining closes idle connections and has others close after their response (H-153)")
    func draining() throws {
        let server = try TestServer()
        let idle = server.client()
        idle.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = idle.receive(until: "hello /x")
        let busy = server.client()
        busy.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(server.await("request /hold"))
        let events = server.onLoop { _, responder in responder.events }
        server.onLoop { listener, _ in listener.drain { events.note("drained") } }
        #expect(idle.receiveAll().end == .end)
        server.onLoop { _, responder in responder.release() }
        let (text, end) = busy.receiveAll()
        #expect(text.contains("Connection: close") && text.hasSuffix("released"))
        #expect(end == .end)
        #expect(server.await("drained"))
    }

    @Test("without connections a drain ends at once")
    func drainOfNone() throws {
        let server = try TestServer()
        let events = server.onLoop { _, responder in responder.events }
        server.onLoop { listener, _ in listener.drain { events.note("drained") } }
        #expect(server.await("drained"))
    }

    @Test("a client that is not admitted gets 403, which names the setting (H-139)")
    func notAdmitted() throws {
        let server = try TestServer()
        server.onLoop { listener, _ in listener.admits = { _ in false } }
        let text = server.client().receiveAll().text
        #expect(text.hasPrefix("HTTP/1.1 403 ") && text.contains("`access.clients`"))
        #expect(server.statistics.connections == 0)
    }

    @Test("connections of clients that are not admitted any more end, after the response under way (H-139)")
    func expelling() throws {
        let server = try TestServer()
        let idle = server.client()
        idle.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = idle.receive(until: "hello /x")
        let busy = server.client()
        busy.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(server.await("request /hold"))
        server.onLoop { listener, _ in listener.admits = { _ in false } }
        #expect(idle.receiveAll().end == .end)
        server.onLoop { _, responder in responder.release() }
        let (text, end) = busy.receiveAll()
        #expect(text.contains("Connection: close") && text.hasSuffix("released"))
        #expect(end == .end)
    }
}

extension String {
    /// Where `part` begins, in bytes.
    func index(of part: String) -> Int? {
        let bytes = Array(utf8)
        let wanted = Array(part.utf8)
        guard bytes.count >= wanted.count else { return nil }
        return (0...(bytes.count - wanted.count)).first { Array(bytes[$0..<$0 + wanted.count]) == wanted }
    }
}
