import HTTPCore
import TestSupport
import Testing

@testable import HTTPServer

/// How exchanges begin, go out and end.
@Suite struct ExchangeEndTests {
    private static func get(_ target: String, version: String = "1.1") -> String {
        "GET \(target) HTTP/\(version)\r\nHost: a\r\n\r\n"
    }

    private static func records(_ server: TestServer) -> [String] {
        server.onLoop { _, responder in responder.events.all }.filter { $0.hasPrefix("ended") }
    }

    @Test("content that has come with its head may be answered at once; the next request follows")
    func contentAtOnce() throws {
        let server = try TestServer()
        let client = server.client()
        let head = "POST /fast-echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n"
        client.send(head + "\r\nabcd" + head + "\r\nefgh" + Self.get("/x"))
        let text = client.receive(until: "hello /x")
        #expect(
            text.contains("\r\n\r\nat once: abcdHTTP/1.1 200") && text.contains("\r\n\r\nat once: efghHTTP/1.1 200")
        )
        #expect(server.statistics.requests == 3)
        client.send(head + "Connection: close\r\n\r\nlast" + Self.get("/y"))
        let (last, end) = client.receiveAll()
        #expect(last.contains("Connection: close\r\n") && last.hasSuffix("at once: last") && end == .end)
    }

    @Test("content behind which nothing has come is answered at once, too")
    func contentAtTheEnd() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("POST /fast-echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nabcd")
        #expect(client.receive(until: "abcd").hasSuffix("\r\n\r\nat once: abcd"))
    }

    @Test(
        "content that has not come whole, or may have to be asked for, is not answered at once",
        arguments: [
            ("HTTP/1.1", "Content-Length: 5\r\n\r\nabcd", "e"), ("HTTP/1.0", "Content-Length: 4\r\n\r\nabcd", ""),
            ("HTTP/1.1", "Content-Length: 4\r\nExpect: 100-continue\r\n\r\nabcd", ""),
            ("HTTP/1.1", "Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n", ""),
        ]
    )
    func contentLater(version: String, rest: String, more: String) throws {
        let server = try TestServer()
        let client = server.client()
        client.send("POST /fast-echo \(version)\r\nHost: a\r\n\(rest)")
        #expect(server.await("request /fast-echo"))
        client.send(more)
        let text = client.receive(until: "\r\n\r\nabcd\(more)")
        #expect(!text.contains("at once") && text.contains("HTTP/1.1 200 OK"))
    }

    @Test("a file may be the answer on the fast path, with the next answer behind it")
    func fileAtOnce() throws {
        let server = try TestServer()
        let client = server.client()
        client.send(Self.get("/fast-file") + Self.get("/fast"))
        #expect(client.receive(until: "fast /fast").content.hasPrefix("ELFHTTP/1.1 200 OK"))
    }

    @Test(
        "who records an exchange is told once how it ended, and what went both ways",
        arguments: [
            ("/recorded-file", "ELF", "ended true 200 0 3"),
            ("/recorded-file-chunked", "3\r\nELF\r\n0\r\n\r\n", "ended true 200 0 3"),
            ("/recorded-file-long", "", "ended false 200 0 0"), ("/recorded-cut", "cut", "ended false 200 0 3"),
            ("/recorded-twice", "ok", "ended true 201 0 2"),
        ]
    )
    func recorded(target: String, content: String, record: String) throws {
        let server = try TestServer()
        let client = server.client()
        client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(client.receiveAll().text.content == content)
        #expect(Self.records(server) == [record])
    }

    @Test(
        "content that ends with the connection is recorded like any other",
        arguments: [
            ("/recorded-file-chunked", "ELF"), ("/recorded-paced", "onetwo"), ("/recorded-paced-file", "oneELFtwo"),
        ]
    )
    func recordedUntilClose(target: String, content: String) throws {
        let server = try TestServer()
        let client = server.client()
        client.send(Self.get(target, version: "1.0"))
        #expect(client.receiveAll().text.content == content)
        #expect(Self.records(server) == ["ended true 200 0 \(content.utf8.count)"])
    }

    @Test("the record of a request counts its content without frames; a client that leaves cuts it")
    func recordedContent() throws {
        let server = try TestServer()
        let client = server.client()
        client.send(
            "POST /recorded-echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n"
        )
        #expect(client.receive(until: "abcde").contains("200 OK"))
        #expect(Self.records(server) == ["ended true 200 5 5"])
        let ends = server.onLoop { _, responder in responder.events.all.count { $0 == "end" } }
        #expect(ends == 1)
        client.send(Self.get("/recorded-hold"))
        #expect(server.await("request /recorded-hold"))
        server.onLoop { listener, _ in listener.close() }
        #expect(Self.records(server) == ["ended true 200 5 5", "ended false - 0 0"])
    }

    @Test("an exchange that becomes a tunnel has ended whole, and is taken over once")
    func recordedTunnel() throws {
        let server = try TestServer()
        let client = server.client()
        client.send(Self.get("/recorded-tunnel") + "x")
        #expect(client.receive(until: "[x]").hasPrefix("HTTP/1.1 200"))
        #expect(server.await("taken true"))
        #expect(Self.records(server) == ["ended true 200 0 0"])
        client.shutdownWrite()
        #expect(client.receiveAll().end == .end)
        #expect(server.onLoop { listener, _ in listener.connectionCounter.count } == 0)
    }

    @Test(
        "content at a pace counts at once and leaves later, whole, in order, with its trailers",
        arguments: [
            ("/recorded-paced", "3\r\none\r\n3\r\ntwo\r\n", 6),
            ("/recorded-paced-file", "3\r\none\r\n3\r\nELF\r\n3\r\ntwo\r\n", 9),
        ]
    )
    func paced(target: String, chunks: String, count: Int) throws {
        let server = try TestServer()
        let client = server.client()
        client.send(Self.get(target) + Self.get("/fast"))
        let text = client.receive(until: "fast /fast")
        #expect(text.content.hasPrefix("\(chunks)0\r\nX-Sum: 2\r\n\r\nHTTP/1.1 200 OK"))
        #expect(server.await("paced true \(count) true"))
        #expect(Self.records(server) == ["ended true 200 0 \(count)"])
        let head = server.client()
        head.send("HEAD \(target) HTTP/1.1\r\nHost: a\r\n\r\n" + Self.get("/fast"))
        #expect(head.receive(until: "fast /fast").content.hasPrefix("HTTP/1.1 200 OK"))
        #expect(server.await("paced false 0 false"))
    }

    @Test("the connection ends behind a response that is to be the last; once a response has begun that is too late")
    func last() throws {
        let server = try TestServer()
        let client = server.client()
        client.send(Self.get("/not-last"))
        #expect(!client.receive(until: "\r\n\r\n1").contains("Connection:"))
        client.send(Self.get("/last") + Self.get("/x"))
        let (text, end) = client.receiveAll()
        #expect(text.contains("Connection: close\r\n") && text.hasSuffix("\r\n\r\nlast") && end == .end)
    }

    @Test("a response has one date: its own, or that of now")
    func date() throws {
        let server = try TestServer()
        let client = server.client()
        client.send(Self.get("/dated") + Self.get("/x"))
        let text = client.receive(until: "hello /x")
        #expect(text.count(of: "Date: ") == 2 && text.count(of: "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n") == 1)
    }

    @Test("an exchange that stays without a response ends when the listener drains, or at once where it does")
    func mute() throws {
        let server = try TestServer()
        let (first, second) = (server.client(), server.client())
        first.send(Self.get("/mute"))
        #expect(server.await("mute true"))
        second.send(Self.get("/hold"))
        #expect(server.await("request /hold"))
        server.onLoop { listener, _ in listener.drain {} }
        #expect(first.receiveAll().end == .reset)
        server.onLoop { _, responder in for exchange in responder.held { exchange.stayWithoutResponse() } }
        #expect(second.receiveAll() == ("", .reset))
        #expect(server.connectionCounter.count == 0)
    }

    @Test("an upgrade names its protocol, and bytes of it follow")
    func upgrade() throws {
        let server = try TestServer()
        let client = server.client()
        client.send(Self.get("/switch") + "x")
        let text = client.receive(until: "[x]")
        #expect(text.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
        #expect(text.contains("Connection: Upgrade\r\nUpgrade: echo\r\n") && !text.contains("Content-Length"))
    }

    @Test("changed fields add up, and the head stays as it came")
    func changed() throws {
        let server = try TestServer()
        let client = server.client()
        client.send(Self.get("/changed"))
        #expect(client.receive(until: "changed by 2").hasPrefix("HTTP/1.1 200"))
    }

    @Test("a CONNECT that fails says why in its status line, with the fields it was given")
    func connect() throws {
        let server = try TestServer()
        let client = server.client()
        client.send("CONNECT refused.example:1 HTTP/1.1\r\nHost: refused.example:1\r\nConnection: close\r\n\r\n")
        let text = client.receiveAll().text
        #expect(text.hasPrefix("HTTP/1.1 502 no route to it\r\n"))
        for line in ["Retry-After: 7", "Proxy-Status: respite; error=destination_ip_unroutable", "Connection: close"] {
            #expect(text.contains("\r\n\(line)\r\n"), "\(line)")
        }
    }

    @Test("requests behind answers that nobody has taken yet wait, and are answered all the same")
    func waitsForRoom() throws {
        let server = try TestServer { $0.unsentPerExchange = 1 }
        let client = server.client()
        client.send(String(repeating: Self.get("/fast"), count: 50) + Self.get("/x"))
        #expect(client.receive(until: "hello /x").count(of: "fast /fast") == 50)
        #expect(server.statistics.requests == 51)
    }

    @Test("a refusal of 403 is final: it asks nobody to come again")
    func turnedAway() throws {
        let server = try TestServer()
        server.onLoop { listener, _ in listener.admits = { _ in false } }
        let (text, end) = server.client().receiveAll()
        #expect(text.contains("Connection: close\r\n") && !text.contains("Retry-After") && end == .end)
        #expect(server.statistics.turnedAway == 1 && server.connectionCounter.count == 0)
    }
}
