import HTTPCore
import Testing
import TestSupport

@testable import HTTPServer

@Suite struct ContentTests {
    @Test("request content comes whole, by length or chunked, with trailers aside")
    func content() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
        #expect(client.receive(until: "hello").contains("Content-Length: 5\r\n"))
        client.send(
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\nX-A: 1\r\n\r\n"
        )
        let text = client.receive(until: "abc")
        #expect(text.contains("X-Trailers: 1\r\n"))
    }

    @Test("content is not read beyond what was asked for (H-129)")
    func credit() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("POST /drip HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
        #expect(client.receive(until: "hello").hasPrefix("HTTP/1.1 200"))
        let events = server.onLoop { _, responder in responder.events.all }
        #expect(events.count { $0 == "content" } == 5)
    }

    @Test("100 Continue is sent when content is asked for, and not with a final response in its place (H-073)")
    func expectation() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        client.send("ok")
        #expect(client.receive(until: "ok").hasPrefix("HTTP/1.1 200 OK"))
        client.send("POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        let (text, end) = client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 413 ") && text.contains("Connection: close"))
        #expect(end == .end)
    }

    @Test("a refusal can be read by a client that goes on sending (H-052)")
    func lingering() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n")
        client.send([UInt8](repeating: 0x61, count: 200_000))
        let (text, end) = client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 413 "))
        #expect(text.count(of: "HTTP/1.1") == 1)
        #expect(end == .end)
    }

    @Test(
        "malformed requests get one complete response and the connection ends",
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\nHost: a\n\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("GET /" + String(repeating: "a", count: 20_000) + " HTTP/1.1\r\nHost: a\r\n\r\n", 414),
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
            ("\u{16}\u{3}\u{1}\u{2}\0\u{1}\0", 400),
        ]
    )
    func refusals(request: String, status: Int) throws {
        let server = try TestServer()
        let client = server.client()
        client.send(request + "GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
        let (text, end) = client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        for line in ["Connection: close", "Cache-Control: no-store", "Proxy-Status: respite; error=http_request_error"]
        {
            #expect(text.contains(line))
        }
        #expect(text.contains("Content-Length: \(text.content.utf8.count)\r\n"))
        #expect(text.count(of: "HTTP/1.1 ") == 1)
        #expect(end == .end)
    }

    @Test("a chunk error ends the exchange with 400; the responder learns that the content is not whole (H-039)")
    func chunkError() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0x5\r\n")
        #expect(client.receiveAll().text.hasPrefix("HTTP/1.1 400 "))
        #expect(server.await("failed 400"))
    }

    @Test("content that stops in the middle is reported, never completed (H-049)")
    func truncated() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
        client.shutdownWrite()
        #expect(client.receiveAll().text.hasPrefix("HTTP/1.1 400 "))
        #expect(server.await("failed 400"))
        #expect(!server.onLoop { _, responder in responder.events.all.contains("end") })
    }

    @Test("content above the limit is refused with 413, by its length or as soon as it is passed (H-050)")
    func limit() throws {
        let server = try TestServer { $0.parser.content = 8 }
        let sized = server.client()
        sized.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n")
        #expect(sized.receiveAll().text.hasPrefix("HTTP/1.1 413 "))
        let chunked = server.client()
        chunked.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n5\r\nabcde\r\n")
        #expect(chunked.receiveAll().text.hasPrefix("HTTP/1.1 413 "))
    }

    @Test("a head that stops in the middle is counted, and answered by nothing (H-031)")
    func partialHead() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("GET /x HTTP/1.1\r\nHost:")
        client.shutdownWrite()
        let (text, end) = client.receiveAll()
        #expect(text.isEmpty && end == .end)
        #expect(server.statistics.incomplete == 1 && server.statistics.requests == 0)
    }
}
