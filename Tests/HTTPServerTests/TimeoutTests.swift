import Testing

@testable import HTTPServer

@Suite struct TimeoutTests {
    @Test("H-125 a head that is not complete in time gets 408")
    func header() throws {
        let server = try TestServer { $0.headerTimeout = .milliseconds(100) }
        let client = server.client()
        client.send("GET /x HTTP/1.1\r\nHost: a\r\n")
        let (text, end) = client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 408 ") && text.contains("limits.header-timeout"))
        #expect(end == .end)
    }

    @Test("H-125 an idle connection ends without a word", arguments: ["", "GET /fast HTTP/1.1\r\nHost: a\r\n\r\n"])
    func idle(before: String) throws {
        let server = try TestServer { $0.idleTimeout = .milliseconds(100) }
        let client = server.client()
        client.send(before)
        let (text, end) = client.receiveAll()
        #expect(text.count(of: "HTTP/1.1") == (before.isEmpty ? 0 : 1))
        #expect(end == .end)
    }

    @Test("H-126 content that does not come gets 408, and the responder is told")
    func content() throws {
        let server = try TestServer { $0.bodyTimeout = .milliseconds(100) }
        let client = server.client()
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
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
}

@Suite struct CensusTests {
    @Test("H-132 above the cap connections wait until one has ended")
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
}
