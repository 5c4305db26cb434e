import Testing
import TestSupport

/// Requests and responses on the wire: framing, interim responses, uploads, pipelining.
struct MessageTests {
    @Test("interim responses are forwarded as they come and never stored (C-19.1)")
    func interim() throws {
        let seen = Gate()
        let origin = try ScriptedOrigin { exchange in
            try exchange.sendRaw("HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n")
            try seen.wait("the client to see the hints")
            try exchange.reply("200 OK", ["Cache-Control: max-age=60"], body: "x")
        }
        let daemon = try DaemonProcess()
        let client = try daemon.client()
        try client.send("GET", origin.url("/"), ["Host: \(origin.authority)"])
        let hints = try #require(try client.reader.head())
        #expect(hints.words[1] == "103" && hints.fields["Link"] == "</a>; rel=preload")
        seen.open()
        let final = try client.readResponse()
        #expect(final.text == "x" && final["Link"] == nil)
        let hit = try daemon.get(origin.url("/"))
        #expect(hit.isHit && hit.interim.isEmpty && hit["Link"] == nil)
    }

    @Test("Expect: 100-continue: the client is asked for its content and the origin gets it (H-073)")
    func expectContinue() throws {
        let origin = try ScriptedOrigin { exchange in
            if exchange.request["Expect"] != nil { try exchange.sendRaw("HTTP/1.1 100 Continue\r\n\r\n") }
            try exchange.reply("201 Created", content: try exchange.content())
        }
        let daemon = try DaemonProcess()
        let client = try daemon.client()
        let fields = ["Host: \(origin.authority)", "Expect: 100-continue", "Content-Length: 5"]
        try client.send("PUT", origin.url("/"), fields)
        let interim = try #require(try client.reader.head())
        #expect(interim.words[1] == "100")
        try client.socket.send("hello")
        let final = try client.readResponse()
        #expect(final.status == 201 && final.text == "hello")
    }

    @Test("an origin's early final response reaches a client that is still sending (H-073)")
    func earlyFinal() throws {
        let origin = try ScriptedOrigin { exchange in
            try exchange.reply("413 Content Too Large", ["Connection: close"], body: "too much")
            exchange.close()
        }
        let daemon = try DaemonProcess()
        let client = try daemon.client()
        try client.send("PUT", origin.url("/"), ["Host: \(origin.authority)", "Content-Length: 100000000"])
        try client.socket.send([UInt8](repeating: 0x61, count: 10_000))
        let response = try client.readResponse()
        #expect(response.status == 413 && response.text == "too much")
    }

    @Test("a chunked upload arrives whole, with one framing, its trailers not merged (H-044, H-046)")
    func chunkedUpload() throws {
        let origin = try ScriptedOrigin { exchange in
            try exchange.reply("200 OK", content: try exchange.content())
        }
        let daemon = try DaemonProcess()
        let client = try daemon.client()
        try client.send("POST", origin.url("/"), ["Host: \(origin.authority)", "Transfer-Encoding: chunked"])
        try client.socket.send("5;ext=\"a\"\r\nhello\r\n1\r\n \r\n")
        try client.socket.send("005\r\nworld\r\n0\r\nX-Trailer: 1\r\nContent-Length: 3\r\n\r\n")
        #expect(try client.readResponse().text == "hello world")
        let request = try #require(origin.requests.first)
        #expect((request["Content-Length"] == nil) != (request["Transfer-Encoding"] == nil))
        #expect(request["X-Trailer"] == nil)
    }

    @Test("an upload with a length streams through unchanged")
    func upload() throws {
        let content = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) })
        let origin = try ScriptedOrigin { exchange in
            let received = try exchange.content()
            try exchange.reply("200 OK", body: received == content ? "same" : "different")
        }
        let daemon = try DaemonProcess()
        #expect(try daemon.fetch("PUT", origin.url("/"), content: content).text == "same")
    }

    @Test("a client that stops in its content: the origin never sees a complete message (H-049)")
    func halfUpload() throws {
        let ending = SharedValue<String?>(nil)
        let origin = try ScriptedOrigin { exchange in
            do {
                _ = try exchange.content()
                ending.update { $0 = "complete" }
            } catch {
                ending.update { $0 = "cut" }
                throw error
            }
        }
        let daemon = try DaemonProcess()
        for framing in ["Content-Length: 100", "Transfer-Encoding: chunked"] {
            ending.update { $0 = nil }
            let client = try daemon.client()
            try client.send("POST", origin.url("/"), ["Host: \(origin.authority)", framing])
            try client.socket.send("3\r\nabc\r\n")
            client.socket.finishSending()
            #expect(try ending.wait("the origin") { $0 } == "cut")
        }
    }

    @Test("a chunked response without length reaches the client whole, and from the store too")
    func chunkedResponse() throws {
        let piece = [UInt8](repeating: 0x7A, count: 10_000)
        let origin = try ScriptedOrigin { exchange in
            try exchange.sendHead("200 OK", ["Cache-Control: max-age=60", "Transfer-Encoding: chunked"])
            for _ in 0..<12 { try exchange.sendChunk(piece) }
            try exchange.endChunks(trailers: ["X-Trailer: 1"])
        }
        let daemon = try DaemonProcess()
        let whole = Array([[UInt8]](repeating: piece, count: 12).joined())
        #expect(try daemon.get(origin.url("/")).content == whole)
        let hit = try daemon.get(origin.url("/"))
        #expect(hit.content == whole && hit.isHit && hit["X-Trailer"] == nil)
    }

    @Test("a response delimited by a clean close is complete and stored (H-102)")
    func untilClose() throws {
        let origin = try ScriptedOrigin { exchange in
            try exchange.sendHead("200 OK", ["Cache-Control: max-age=60", "Connection: close"])
            try exchange.sendRaw("up to the end")
            exchange.close()
        }
        let daemon = try DaemonProcess()
        #expect(try daemon.get(origin.url("/")).text == "up to the end")
        #expect(try daemon.get(origin.url("/")).isHit)
    }

    @Test("pipelined requests are answered in order, one each (H-085)")
    func pipelining() throws {
        let hold = Gate()
        let origin = try ScriptedOrigin { exchange in
            if exchange.target == "/slow" { try hold.wait("the fast requests to be sent") }
            try exchange.reply("200 OK", ["Cache-Control: max-age=60"], body: exchange.target)
        }
        let daemon = try DaemonProcess()
        _ = try daemon.get(origin.url("/cached"))
        let client = try daemon.client()
        let targets = ["/slow", "/cached", "/a", "/cached", "/b", "/c", "/cached", "/d", "/e", "/f", "/g", "/h"]
        for target in targets { try client.send("GET", origin.url(target), ["Host: \(origin.authority)"]) }
        hold.open()
        for target in targets { #expect(try client.readResponse().text == target) }
    }

    @Test("HTTP/1.0 clients get no chunks and no interim responses, and a close (H-076, H-088)")
    func oldClient() throws {
        let origin = try ScriptedOrigin { exchange in
            try exchange.sendRaw("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            try exchange.sendHead("200 OK", ["Transfer-Encoding: chunked"])
            try exchange.sendChunk(Array("hello".utf8))
            try exchange.endChunks()
        }
        let daemon = try DaemonProcess()
        let client = try daemon.client()
        try client.socket.send("GET \(origin.url("/")) HTTP/1.0\r\n\r\n")
        let response = try client.readHead()
        #expect(response.status == 200 && response.interim.isEmpty && response["Transfer-Encoding"] == nil)
        #expect(String(decoding: try client.reader.allContent(), as: UTF8.self) == "hello")
        #expect(try client.expectClose())
    }

    @Test(
        "malformed requests are refused with a problem document and never forwarded",
        arguments: [
            ("GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400, "H-001"), ("GET / HTTP/1.1\nHost: h\n\n", 400, "H-003"),
            ("GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400, "H-019"), ("GET ORIGIN HTTP/1.1\r\n\r\n", 400, "H-055"),
            ("GET ORIGIN HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n", 400, "H-056"),
            ("GET ORIGIN HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n", 400, "H-021"),
            ("POST ORIGIN HTTP/1.1\r\nHost: h\r\nContent-Length: +5\r\n\r\nhello", 400, "H-032"),
            (
                "POST ORIGIN HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                400, "H-036"
            ), ("POST ORIGIN HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n", 400, "H-039"),
            ("GET ftp://h.example/ HTTP/1.1\r\nHost: h.example\r\n\r\n", 400, "H-017"),
            ("TRACE ORIGIN HTTP/1.1\r\nHost: h\r\n\r\n", 405, "H-083"),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "H-008"),
        ]
    )
    func refused(text: String, status: Int, rule: String) throws {
        let origin = try ScriptedOrigin { try $0.reply(body: "x") }
        let daemon = try DaemonProcess()
        let client = try daemon.client()
        try client.socket.send(text.replacing("ORIGIN", with: origin.url("/")))
        let response = try client.readResponse()
        #expect(response.status == status, "\(rule)")
        #expect(response["Content-Type"]?.hasPrefix("application/problem+json") == true)
        #expect(response["Cache-Control"] == "no-store" && response["Proxy-Status"] != nil)
        if rule != "H-083" {
            #expect(try client.expectClose())
        }
        #expect(origin.requests.allSatisfy { $0.head.isChunked })
    }

    @Test("a head over the limit is 431, a target over it 414 (H-014, H-027)")
    func overLimits() throws {
        let daemon = try DaemonProcess()
        let long = String(repeating: "a", count: 20_000)
        let client = try daemon.client()
        #expect(try client.exchange("GET", "http://h.example/" + long, ["Host: h.example"]).status == 414)
        let other = try daemon.client()
        let fields = (0..<5).map { "X-\($0): \(long)" }
        #expect(try other.exchange("GET", "http://h.example/", ["Host: h.example"] + fields).status == 431)
    }
}
