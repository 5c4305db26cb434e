import HTTPCore
import Testing
import TestSupport

@testable import HTTPServer

@Suite struct ResponseTests {
    @Test("content of unknown length goes out chunked, with trailers")
    func chunked() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        let text = client.receive(until: "X-Sum: 3\r\n\r\n")
        #expect(text.contains("Transfer-Encoding: chunked\r\n") && text.contains("\r\nDate: "))
        #expect(text.content == "3\r\none\r\n3\r\ntwo\r\n5\r\nthree\r\n0\r\nX-Sum: 3\r\n\r\n")
    }

    @Test(
        "HEAD never gets content, and the next response is in its place (H-090)",
        arguments: ["/stream", "/x", "/echo"]
    )
    func head(path: String) throws {
        let server = try TestServer()
        let client = server.client()
        client.send(
            "HEAD \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\nGET /fast HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        let text = client.receive(until: "fast /fast")
        #expect(text.content.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test("a response without content has no framing field")
    func noContent() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("GET /empty HTTP/1.1\r\nHost: a\r\n\r\nGET /fast HTTP/1.1\r\nHost: a\r\n\r\n")
        let text = client.receive(until: "fast /fast")
        #expect(text.hasPrefix("HTTP/1.1 204 No Content\r\n"))
        #expect(text.count(of: "Content-Length") == 1)
    }

    @Test("a response shorter than announced ends the connection")
    func short() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("GET /short HTTP/1.1\r\nHost: a\r\n\r\nGET /fast HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(client.receiveAll().text.content == "short")
    }

    @Test("content whose rate is limited goes out whole, and the next response behind it")
    func paced() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("GET /paced HTTP/1.1\r\nHost: a\r\n\r\nGET /fast HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(client.receive(until: "fast /fast").content.hasPrefix("pacedHTTP/1.1 200"))
    }

    @Test("no more bytes go out than announced")
    func long() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("GET /long HTTP/1.1\r\nHost: a\r\n\r\nGET /fast HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(client.receive(until: "fast /fast").content.hasPrefix("longHTTP/1.1 200"))
    }

    @Test("a chunked response that is cut has no last chunk; one that ends with the connection is reset")
    func cut() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("GET /cut HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(client.receiveAll().text.content == "4\r\npart\r\n")
        let old = server.client()
        old.send("GET /cut HTTP/1.0\r\n\r\n")
        #expect(old.receiveAll().end == .reset)
    }

    @Test("interim responses go to clients of HTTP/1.1 only (H-076)")
    func interim() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("GET /interim HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(client.receiveAll().text.hasPrefix("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 200 OK"))
        let old = server.client()
        old.send("GET /interim HTTP/1.0\r\n\r\n")
        #expect(old.receiveAll().text.hasPrefix("HTTP/1.1 200 OK"))
    }

    @Test("a slow reader holds the producer back and gets everything in the end (H-128)")
    func slowReader() throws {
        let server = try TestServer()
        let client = server.client(receiveBuffer: 8192)
        client.send("GET /big HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(server.await("full"))
        var count = 0
        while case .bytes(let bytes) = client.receiveSome(1 << 20) { count += bytes.count }
        #expect(count > 16 << 20)
        #expect(server.await("produced"))
        #expect(!server.onLoop { _, responder in responder.events.all.contains("too much unsent") })
    }

    @Test("a reader that takes nothing for the send time-out is cut and makes room, and the responder is told (H-128)")
    func deadReader() throws {
        let server = try TestServer { $0.sendTimeout = .milliseconds(100) }
        let client = server.client(receiveBuffer: 8192)
        client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(server.await("lost"))
        #expect(server.connectionCounter.count == 0)
        _ = client
    }

    @Test("a tunnel begins with the bytes behind the request (H-080)")
    func tunnel() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("GET /take HTTP/1.1\r\nHost: a\r\n\r\nearly")
        #expect(client.receive(until: "[early]").content == "[early]")
        client.send("late")
        #expect(client.receive(until: "[late]") == "[late]")
        #expect(server.connectionCounter.count == 1)
        client.shutdownWrite()
        #expect(client.receiveAll().end == .end)
    }

    @Test("a tunnel that begins late begins with the bytes behind the request, too (H-080)")
    func lateTunnel() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\nearly")
        #expect(server.await("request /hold"))
        server.onLoop { _, responder in responder.takeOverHeld() }
        #expect(client.receive(until: "[early]").content == "[early]")
    }

    @Test("a connection inside another has the origin it was opened for, and is counted once")
    func inside() throws {
        let server = try TestServer()
        let client = server.client()
        let request = "GET /inside HTTP/1.1\r\nHost: a\r\n\r\n"
        client.send(request + "GET /x HTTP/1.1\r\nHost: inner.example:80\r\n\r\n")
        #expect(client.receive(until: ">").hasSuffix("<http://inner.example/x true>"))
        client.send("GET /y HTTP/1.1\r\nHost: inner.example:81\r\n\r\n")
        #expect(client.receive(until: ">").hasSuffix("<http://inner.example/y false>"))
        #expect(server.connectionCounter.count == 1)
        client.shutdownWrite()
        #expect(client.receiveAll().end == .end)
        #expect(server.onLoop { listener, _ in listener.connectionCount } == 0)
        #expect(server.connectionCounter.count == 0)
        #expect(server.statistics.connections == 1)
    }

    @Test("an inner connection that begins late has bytes and end that came before")
    func insideLate() throws {
        let server = try TestServer()
        let client = server.client()
        let request = "GET /inside-late HTTP/1.1\r\nHost: a\r\n\r\n"
        client.send(request + "GET /x HTTP/1.1\r\nHost: inner.example:444\r\n\r\n")
        client.shutdownWrite()
        #expect(server.await("request /inside-late"))
        server.onLoop { _, responder in responder.goInsideLate() }
        let (text, end) = client.receiveAll()
        #expect(text.hasSuffix("<https://inner.example:444/x true>") && end == .end)
        #expect(server.connectionCounter.count == 0)
    }

    @Test("a listener that drains takes no inner connection, and closes idle ones")
    func insideWhileDraining() throws {
        let server = try TestServer()
        let clients = [server.client(), server.client()]
        clients[0].send("GET /inside HTTP/1.1\r\nHost: a\r\n\r\n")
        clients[1].send("GET /inside-late HTTP/1.1\r\nHost: a\r\n\r\n")
        for client in clients { #expect(client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 ")) }
        server.onLoop { listener, responder in
            listener.drain {}
            responder.goInsideLate()
        }
        for client in clients { #expect(client.receiveAll() == ("", .end)) }
        #expect(server.connectionCounter.count == 0)
    }
}
