import Configurations
import Eventing
import HTTPCore
import Proxying
import TestSupport
import Testing

/// Responses on their way: nothing is buffered without bound, nothing incomplete looks complete.
@Suite struct PassThroughTests {
    private static func proxy(_ exchange: FlowExchange) throws -> TestProxy {
        try TestProxy { setup in
            setup.provider = { loop in FlowProvider(context: loop.handle, exchange: exchange) }
        }
    }

    @Test(
        "without the origin whatever would only pass is 504, and nothing is dialled (C-25.2)",
        arguments: ServiceMode.allCases
    )
    func offline(mode: ServiceMode) throws {
        guard !mode.mayLoad else { return }
        let origin = TestOrigin { peer, _ in peer.send(response(content: "reached")) }
        let proxy = try TestProxy { setup in
            setup.service.mode = mode
            setup.options.connectPorts = [origin.port]
        }
        let url = "http://127.0.0.1:\(origin.port)/"
        let handshake = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13",
        ]
        let requests = [
            proxy.request("GET", url, handshake), proxy.request("GET", url, ["If-Match: \"a\""]),
            proxy.request("GET", url, ["Accept: text/event-stream"]), proxy.request("GET", url, content: "x"),
            proxy.request("GET", url, ["Cache-Control: no-store"]), proxy.request("GET", url, ["Range: bytes=0-1"]),
            proxy.request("CONNECT", "127.0.0.1:\(origin.port)", ["Host: 127.0.0.1:\(origin.port)"]),
            proxy.request("OPTIONS", "http://127.0.0.1:\(origin.port)"),
        ]
        for request in requests { #expect(proxy.reader().ask(request)?.status == 504, "\(request)") }
        for method in ["HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"] {
            let reply = proxy.perform(method, url, content: method == "POST" ? "x" : "")
            #expect(reply?.status == 504, "\(method)")
        }
        #expect(origin.connections == 0)
    }

    // MARK: Back-pressure

    @Test("what the client does not take is not asked of the origin (H-128)")
    func slowReader() throws {
        let length = 96 << 20
        let exchange = FlowExchange(length: length)
        let proxy = try Self.proxy(exchange)
        let client = proxy.client(receiveBuffer: 65536)
        // Given a client that asks and reads nothing: a POST passes the store by
        client.send(proxy.request("POST", "http://a.example/", content: "x"))
        // When the origin may send no more
        #expect(exchange.await(.outOfCredit))
        // Then far less than everything was taken: the credit, the unsent bytes, and what the system buffers
        #expect(exchange.delivered < 32 << 20)
        // And all of it comes once the client reads.
        var received = 0
        var head: [UInt8] = []
        while received < length {
            guard case .bytes(let bytes) = client.receiveSome(1 << 20) else { break }
            if head.isEmpty {
                head = bytes
                received -= String(decoding: bytes.prefix { $0 != 0x78 }, as: UTF8.self).utf8.count
            }
            received += bytes.count
        }
        #expect(received == length)
        #expect(exchange.await(.delivered))
    }

    @Test("a client that leaves ends the exchange at the origin")
    func leaving() throws {
        let exchange = FlowExchange(length: 96 << 20)
        let proxy = try Self.proxy(exchange)
        do {
            let client = proxy.client(receiveBuffer: 65536)
            client.send(proxy.request("POST", "http://a.example/", content: "x"))
            #expect(exchange.await(.outOfCredit))
        }
        #expect(exchange.await(.cancelled))
    }

    @Test("what the origin does not ask for is not read from the client (H-129)")
    func slowOrigin() throws {
        let exchange = FlowExchange(length: 2, answersAtOnce: false)
        let proxy = try Self.proxy(exchange)
        let client = proxy.client()
        let content = String(repeating: "y", count: 400_000)
        client.send(proxy.request("POST", "http://a.example/", content: content))
        #expect(exchange.await(.started))
        // Given an origin that asks for a little, then for all
        exchange.ask(1000)
        #expect(exchange.await(.received(1000)))
        #expect(exchange.upload == (1000, 1000))
        exchange.ask(9000)
        #expect(exchange.await(.received(10_000)))
        exchange.ask(1 << 20)
        #expect(exchange.await(.finished))
        #expect(exchange.upload.received == content.utf8.count)
        #expect(client.receive(until: "xx").contains(" 200 "))
    }

    @Test("a client that stops inside its content ends the exchange before the message looks complete (H-049)")
    func truncatedUpload() throws {
        let received = WaitQueue<String>()
        let origin = TestOrigin { peer, _ in received.push(peer.readAll()) }
        let proxy = try TestProxy()
        let client = proxy.client()
        client.send(
            proxy.request("POST", "http://127.0.0.1:\(origin.port)/", ["Transfer-Encoding: chunked"]) + "5\r\nhello\r\n"
        )
        client.shutdownWrite()
        let (text, _) = client.receiveAll()
        #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 400 "))
        #expect(received.pop()?.contains("\r\n0\r\n") == false)
    }

    // MARK: Truncation

    /// Sends a response and ends the connection, then answers well.
    private static func breaking(_ first: String, resets: Bool = false) -> TestOrigin {
        TestOrigin { peer, number in
            guard peer.readHead() != nil else { return }
            guard number == 0 else {
                peer.send(response("200 OK", "Cache-Control: max-age=60", content: "whole"))
                return
            }
            peer.send(first)
            if resets { peer.reset() }
        }
    }

    @Test(
        "a response that breaks off is cut, and the next client asks anew (H-101, H-111)",
        arguments: ["GET", "POST"]
    )
    func truncatedLength(method: String) throws {
        let origin = Self.breaking("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 10\r\n\r\nhalf")
        let proxy = try TestProxy()
        let url = "http://127.0.0.1:\(origin.port)/"
        let client = proxy.client()
        client.send(proxy.request(method, url, content: method == "POST" ? "x" : ""))
        let (text, _) = client.receiveAll()
        #expect(text.contains("Content-Length: 10\r\n"))
        #expect(text.content == "half")
        #expect(proxy.ask(url)?.content == "whole")
    }

    @Test("chunked content that breaks off has no last chunk", arguments: ["GET", "POST"])
    func truncatedChunks(method: String) throws {
        let origin = Self.breaking(
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"
        )
        let proxy = try TestProxy()
        let url = "http://127.0.0.1:\(origin.port)/"
        let client = proxy.client()
        client.send(proxy.request(method, url, content: method == "POST" ? "x" : ""))
        let (text, _) = client.receiveAll()
        #expect(text.contains("4\r\nhalf\r\n"))
        #expect(!text.hasSuffix("0\r\n\r\n"))
        #expect(proxy.ask(url)?.content == "whole")
    }

    @Test("content that ends with the connection is whole after a clean end (H-102)")
    func untilClose() throws {
        let origin = Self.breaking("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n\r\nall of it")
        let proxy = try TestProxy()
        let url = "http://127.0.0.1:\(origin.port)/"
        let reply = try #require(proxy.ask(url))
        #expect(reply["Transfer-Encoding"] == ["chunked"])
        #expect(reply.content == "all of it")
        #expect(proxy.ask(url)?.isHit == true)
    }

    @Test("an origin that closes without a word is 502 for a POST, sent once (H-089, H-148)")
    func noAnswer() throws {
        let origin = TestOrigin.answering { _ in "" }
        let proxy = try TestProxy()
        #expect(proxy.perform("POST", origin.url("/"), content: "x")?.status == 502)
        #expect(origin.requests.count == 1)
    }

    // MARK: Around the response

    @Test("interim responses are relayed, and not mixed into the final one (H-105)")
    func interim() throws {
        let origin = TestOrigin.answering { _ in
            "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
                + response("200 OK", "Cache-Control: max-age=60", content: "x")
        }
        let proxy = try TestProxy()
        for method in ["GET", "POST"] {
            let connection = proxy.reader()
            let target = origin.url("/\(method)")
            let hints = try #require(
                connection.ask(proxy.request(method, target, content: method == "POST" ? "y" : "")),
                "\(method)"
            )
            #expect(hints.status == 103 && hints["Link"] == ["</a.css>"])
            let final = try #require(connection.next())
            #expect(final.status == 200 && final["Link"] == [] && final.content == "x")
        }
        #expect(proxy.ask(origin.url("/GET"))?["Link"] == [])
    }

    @Test("a status and a reason nobody knows are relayed as they are (H-091, H-092)")
    func unknownStatus() throws {
        let origin = TestOrigin.answering { _ in response("299 Quite Fine", content: "x") }
        let proxy = try TestProxy()
        #expect(proxy.ask(origin.url("/"))?.head.hasPrefix("HTTP/1.1 299 Quite Fine\r\n") == true)
        #expect(
            proxy.perform("POST", origin.url("/"), content: "y")?.head.hasPrefix("HTTP/1.1 299 Quite Fine\r\n") == true
        )
    }

    @Test("100 Continue comes before content is read, and an early final status ends the connection (H-073)")
    func expectations() throws {
        let origin = TestOrigin { peer, _ in
            guard let head = peer.readHead() else { return }
            guard head.contains("/take") else {
                peer.send(response("417 No", "Connection: close", content: "early"))
                return
            }
            peer.send("HTTP/1.1 100 Continue\r\n\r\n")
            peer.send(response("200 OK", "Connection: close", content: String(decoding: peer.read(4), as: UTF8.self)))
        }
        let proxy = try TestProxy()
        let fields = ["Expect: 100-continue", "Content-Length: 4"]
        let taken = proxy.client()
        let reader = ReplyReader(taken)
        #expect(reader.ask(proxy.request("POST", "http://127.0.0.1:\(origin.port)/take", fields))?.status == 100)
        taken.send("body")
        #expect(reader.next()?.content == "body")
        let refused = proxy.client()
        refused.send(proxy.request("POST", "http://127.0.0.1:\(origin.port)/refuse", fields))
        let (text, _) = refused.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 417 "))
        #expect(Reply(head: text, content: "")["Connection"] == ["close"])
    }
}
