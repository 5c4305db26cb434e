import HTTPCore
import TestSupport
import Testing
import TransportSecurity

@testable import HTTPServer

/// Connections that begin with SOCKS.
@Suite struct SOCKSTests {
    private static let request = SOCKSBytes.request(SOCKSBytes.name("far.example"), port: 443)

    /// Everything up to a number of bytes.
    private static func receive(_ count: Int, from client: RawClient) -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count, case .bytes(let bytes) = client.receiveSome() { all += bytes }
        return all
    }

    @Test("a request becomes a CONNECT, and the reply precedes the bytes of the far end")
    func opens() throws {
        let server = try TestServer()
        let client = server.client()
        client.send(SOCKSBytes.greeting)
        #expect(Self.receive(2, from: client) == SOCKSBytes.accepted)
        client.send(Self.request)
        #expect(Self.receive(10, from: client) == SOCKSBytes.succeeded)
        client.send("hello")
        #expect(client.receive(until: "]") == "[hello]")
        #expect(server.await("request far.example:443"))
        #expect(server.statistics.requests == 1 && server.connectionCounter.count == 1)
    }

    @Test("greeting, request and first bytes in one piece: the bytes go on exactly once")
    func pipelined() throws {
        let server = try TestServer()
        let client = server.client()
        client.send(SOCKSBytes.greeting + Self.request + Array("early".utf8))
        let head = SOCKSBytes.accepted + SOCKSBytes.succeeded
        #expect(Self.receive(head.count + 7, from: client) == head + Array("[early]".utf8))
        client.send("late")
        #expect(client.receive(until: "]") == "[late]")
    }

    @Test("an opening may come byte by byte, and so may what follows")
    func byteByByte() throws {
        let server = try TestServer()
        let client = server.client()
        for byte in SOCKSBytes.greeting + Self.request + Array("abc".utf8) { client.send([byte]) }
        let head = SOCKSBytes.accepted + SOCKSBytes.succeeded
        var all: [UInt8] = []
        while all.dropFirst(head.count).filter({ $0 != 0x5B && $0 != 0x5D }) != Array("abc".utf8) {
            guard case .bytes(let bytes) = client.receiveSome() else { break }
            all += bytes
        }
        #expect(all.starts(with: head) && all.last == UInt8(ascii: "]"))
    }

    @Test("the first byte may wait for the second, and both may come long before the rest")
    func slowly() throws {
        let server = try TestServer()
        let client = server.client()
        client.send([5])
        client.send([1])
        client.send([0])
        #expect(Self.receive(2, from: client) == SOCKSBytes.accepted)
        client.send(Array(Self.request.dropLast()))
        client.send([Self.request[Self.request.count - 1]])
        #expect(Self.receive(10, from: client) == SOCKSBytes.succeeded)
    }

    @Test(
        "what is refused has a reply with the reason, and the connection ends",
        arguments: [
            (SOCKSBytes.request([1, 1, 2, 3, 4], port: 1), SOCKSBytes.reply(2), ""),
            (SOCKSBytes.request([1, 1, 2, 3, 4], port: 2), SOCKSBytes.reply(4), ""),
            (SOCKSBytes.request([1, 1, 2, 3, 4], port: 443, command: 2), SOCKSBytes.reply(7), "command"),
            (SOCKSBytes.request([1, 1, 2, 3, 4], port: 443, command: 3), SOCKSBytes.reply(7), "command"),
            (SOCKSBytes.request([2, 1, 2, 3, 4], port: 443), SOCKSBytes.reply(8), "address-type"),
            (SOCKSBytes.request([1, 1, 2, 3, 4], port: 0), SOCKSBytes.reply(1), "target"),
            (SOCKSBytes.request(SOCKSBytes.name(""), port: 443), SOCKSBytes.reply(1), "target"),
            (SOCKSBytes.request(SOCKSBytes.name("a\0b"), port: 443), SOCKSBytes.reply(1), "target"),
            (SOCKSBytes.request(SOCKSBytes.name("1.2.3"), port: 443), SOCKSBytes.reply(1), "target"),
            ([4, 1, 1, 187, 1, 2, 3, 4, 0], SOCKSBytes.reply(1), "version"),
        ] as [([UInt8], [UInt8], String)]
    )
    func refusals(request: [UInt8], reply: [UInt8], fault: String) throws {
        let server = try TestServer()
        let client = server.client()
        // Bytes behind a refused request are read by nobody.
        client.send(SOCKSBytes.greeting + request + Array("GET /x HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        client.shutdownWrite()
        let (bytes, end) = client.receiveAllBytes()
        #expect(bytes == SOCKSBytes.accepted + reply && end == .end)
        if !fault.isEmpty { #expect(server.await("refused \(fault)") && server.statistics.refused == 1) }
        #expect(server.onLoop { _, responder in responder.events.all }.allSatisfy { !$0.contains("/x") })
        #expect(server.connectionCounter.count == 0)
    }

    @Test(
        "a greeting of another version, or without a method that is open, ends the connection with an answer",
        arguments: [
            ([4, 1, 0, 80, 1, 2, 3, 4, 0], [0, 0x5B, 0, 0, 0, 0, 0, 0], "version4"), ([5, 0], [5, 0xFF], "method"),
            ([5, 2, 1, 2], [5, 0xFF], "method"),
        ] as [([UInt8], [UInt8], String)]
    )
    func greetings(bytes: [UInt8], answer: [UInt8], fault: String) throws {
        let server = try TestServer()
        let client = server.client()
        client.send(bytes)
        client.shutdownWrite()
        let received = client.receiveAllBytes()
        #expect(received.bytes == answer && received.end == .end)
        #expect(server.await("refused \(fault)"))
    }

    @Test("where login is required the greeting is answered by 0xFF; where SOCKS is not spoken, by 400 of HTTP")
    func access() throws {
        let server = try TestServer()
        server.onLoop { _, responder in responder.socksAccess = .withLogin }
        let first = server.client()
        first.send([5, 2, 0, 2])
        first.shutdownWrite()
        #expect(first.receiveAllBytes().bytes == [5, 0xFF])
        server.onLoop { _, responder in responder.socksAccess = .off }
        let second = server.client()
        second.send(SOCKSBytes.greeting)
        second.shutdownWrite()
        #expect(second.receiveAll().text.hasPrefix("HTTP/1.1 400 "))
    }

    @Test("an opening that is not complete in time, or is cut, ends the connection", arguments: [1, 2, 3, 9])
    func incomplete(count: Int) throws {
        let opening = Array((SOCKSBytes.greeting + Self.request).prefix(count))
        let answer = count < 3 ? [] : SOCKSBytes.accepted
        let server = try TestServer { $0.headerTimeout = .milliseconds(50) }
        let slow = server.client()
        slow.send(opening)
        #expect(slow.receiveAllBytes().bytes == answer)
        let cut = server.client()
        cut.send(opening)
        cut.shutdownWrite()
        #expect(cut.receiveAllBytes().bytes == answer)
        #expect(server.statistics.incomplete == 2 && server.connectionCounter.count == 0)
    }

    @Test("SOCKS begins a connection and nothing else: a later byte 5 is no request")
    func onlyFirst() throws {
        let server = try TestServer()
        let client = server.client()
        client.send(Array("GET /a HTTP/1.1\r\nHost: a\r\n\r\n".utf8) + SOCKSBytes.greeting)
        client.shutdownWrite()
        let text = client.receiveAll().text
        #expect(text.contains("hello /a") && text.contains("HTTP/1.1 400 "))
    }

    @Test("what comes behind may be HTTP, for the named host, or for the host that a request names behind an address")
    func http() throws {
        let server = try TestServer()
        let named = server.client()
        named.send(SOCKSBytes.greeting + SOCKSBytes.request(SOCKSBytes.name("Far.example"), port: 80))
        #expect(Self.receive(12, from: named) == SOCKSBytes.accepted + SOCKSBytes.succeeded)
        named.send("GET /1 HTTP/1.1\r\nHost: far.example\r\n\r\n")
        #expect(named.receive(until: ">").hasSuffix("<http://far.example/1 true>"))
        named.send("GET /2 HTTP/1.1\r\nHost: other.example\r\n\r\n")
        #expect(named.receive(until: ">").hasSuffix("<http://far.example/2 false>"))
        named.send(SOCKSBytes.greeting)
        #expect(named.receive(until: "}").contains("HTTP/1.1 400 "))
        let byAddress = server.client()
        byAddress.send(SOCKSBytes.greeting + SOCKSBytes.request([1, 192, 0, 2, 1], port: 80))
        #expect(Self.receive(12, from: byAddress).count == 12)
        for (host, prefix) in [("Far.example", "far.example"), ("192.0.2.1", "192.0.2.1"), ("a:81", "192.0.2.1")] {
            byAddress.send("GET /3 HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            #expect(byAddress.receive(until: ">").contains("<http://\(prefix)/3 "))
        }
    }

    @Test("a client that ends its side while its request waits is not gone")
    func waiting() throws {
        let server = try TestServer()
        let client = server.client()
        client.send(SOCKSBytes.greeting + SOCKSBytes.request([1, 1, 2, 3, 4], port: 3))
        #expect(server.await("request 1.2.3.4:3"))
        client.shutdownWrite()
        server.onLoop { _, responder in responder.takeOverHeld() }
        let expected = SOCKSBytes.accepted + SOCKSBytes.succeeded
        #expect(Self.receive(expected.count, from: client) == expected)
    }

    @Test("a TLS listener speaks SOCKS inside TLS")
    func secure() throws {
        let site = try TestSite()
        let server = try TestServer(security: site.context)
        let client = server.client()
        let engine = try #require(
            TLSClientContext(site.clientSettings).connect(to: Array("localhost".utf8), port: server.port)
        )
        let tls = BlockingTLS(engine, over: client.descriptor)
        tls.shakeHands()
        tls.send(SOCKSBytes.greeting + Self.request + Array("early".utf8))
        var all: [UInt8] = []
        while all.last != UInt8(ascii: "]") {
            let bytes = tls.receive()
            if bytes.isEmpty { break }
            all += bytes
        }
        #expect(all == SOCKSBytes.accepted + SOCKSBytes.succeeded + Array("[early]".utf8))
    }
}
