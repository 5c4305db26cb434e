import HTTPCore
import Testing

private func written(_ write: (inout [UInt8]) -> Void) -> String {
    var output: [UInt8] = []
    write(&output)
    return String(decoding: output, as: UTF8.self)
}

@Suite("Serializer")
struct SerializerTests {
    @Test("a request is generated from target, fields and framing (H-053)")
    func request() throws {
        let target = try TargetURI(parsing: "http://org.Example:81/a?b")
        var fields = Fields()
        fields.append(name: "Host", value: "evil.example")
        fields.append(name: "x-a", value: "1")
        fields.append(name: "Content-Length", value: "99")
        fields.append(name: "Connection", value: "close")
        fields.append(name: "Transfer-Encoding", value: "chunked")
        let text = written {
            HeadSerializer.appendRequest(.put, target, fields: fields, framing: .length(3), to: &$0)
        }
        #expect(text == "PUT /a?b HTTP/1.1\r\nHost: org.example:81\r\nx-a: 1\r\nContent-Length: 3\r\n\r\n")
    }

    @Test("the forms of a target that is sent")
    func forms() throws {
        let target = try TargetURI(parsing: "https://a.example/x")
        func first(_ method: Method, _ form: HeadSerializer.RequestForm) -> String {
            let text = written {
                HeadSerializer.appendRequest(method, target, form: form, fields: Fields(), framing: .none, to: &$0)
            }
            return String(text.prefix { $0 != "\r\n" })
        }
        #expect(first(.get, .origin) == "GET /x HTTP/1.1")
        #expect(first(.get, .absolute) == "GET https://a.example/x HTTP/1.1")
        #expect(first(.options, .asterisk) == "OPTIONS * HTTP/1.1")
        #expect(first(.connect, .authority) == "CONNECT a.example:443 HTTP/1.1")
        #expect(first(.other(Array("BREW".utf8)), .origin) == "BREW /x HTTP/1.1")
    }

    @Test("a method that defines content says Content-Length: 0 when there is none (H-051)")
    func emptyContent() throws {
        let target = try TargetURI(parsing: "http://a.example/")
        for (method, expected) in [(Method.post, true), (.put, true), (.patch, true), (.get, false), (.delete, false)] {
            let text = written {
                HeadSerializer.appendRequest(method, target, fields: Fields(), framing: .none, to: &$0)
            }
            #expect(text.contains("Content-Length: 0\r\n") == expected)
        }
    }

    @Test("no value, name or reason ends a line (H-108)")
    func injection() {
        var fields = Fields()
        fields.append(name: "X-A", value: "a\r\nX-Evil: 1\u{0}b")
        fields.append(name: "X\r\nEvil", value: "1")
        fields.append(name: "", value: "1")
        fields.append(name: "X-B", value: "\r\n")
        let text = written {
            HeadSerializer.appendResponse(
                status: 200,
                reason: Array("O\r\nK".utf8),
                fields: fields,
                framing: .none,
                to: &$0
            )
        }
        #expect(text == "HTTP/1.1 200 O  K\r\nX-A: a  X-Evil: 1 b\r\nX-B:   \r\n\r\n")
    }

    @Test("lines are written the same way, however they stand in what was received")
    func receivedLines() {
        var parser = ResponseParser()
        var head = ResponseHead(status: 200)
        let received = latin(
            ["HTTP/1.1 200 OK", "A: 1", "b:2", "C:   \t3 ", "Date: \u{e9}\t4", "E:", "F: ", "Via: 1.1 x", "", ""]
                .joined(separator: "\r\n")
        )
        #expect(Outcome(parser.parse(received.span, into: &head)) == .complete(consumed: received.count))
        head.fields.append(.via, "1.1 y")
        var output: [UInt8] = []
        HeadSerializer.appendResponse(status: 200, fields: head.fields, framing: .none, to: &output)
        let expected = latin(
            [
                "HTTP/1.1 200 OK", "A: 1", "b: 2", "C: 3", "Date: \u{e9}\t4", "E: ", "F: ", "Via: 1.1 x", "Via: 1.1 y",
                "", "",
            ]
            .joined(separator: "\r\n")
        )
        #expect(output == expected)
    }

    @Test("a response has one framing and one Connection line")
    func response() {
        func text(_ framing: Framing, _ connection: ConnectionOption) -> String {
            written {
                HeadSerializer.appendResponse(
                    status: 404,
                    fields: Fields(),
                    framing: framing,
                    connection: connection,
                    to: &$0
                )
            }
        }
        #expect(text(.length(12), .none) == "HTTP/1.1 404 Not Found\r\nContent-Length: 12\r\n\r\n")
        #expect(
            text(.chunked, .close)
                == "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        )
        #expect(text(.untilClose, .keepAlive) == "HTTP/1.1 404 Not Found\r\nConnection: keep-alive\r\n\r\n")
        #expect(
            text(.none, .upgrade(Array("websocket".utf8)))
                == "HTTP/1.1 404 Not Found\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
        )
    }

    @Test("an interim response is a status line and its fields")
    func interim() {
        #expect(written { HeadSerializer.appendInterim(status: 100, to: &$0) } == "HTTP/1.1 100 Continue\r\n\r\n")
    }

    @Test(
        "chunk sizes are lower-case hexadecimal without leading zeros",
        arguments: [
            (1, "1"), (15, "f"), (16, "10"), (255, "ff"), (256, "100"), (65_536, "10000"), (.max, "7fffffffffffffff"),
        ]
    )
    func chunkSizes(count: Int, expected: String) {
        #expect(written { HeadSerializer.appendChunkSize(count, to: &$0) } == expected + "\r\n")
    }

    @Test("chunks that are written are read back")
    func chunks() throws {
        var output: [UInt8] = []
        var trailers = Fields()
        trailers.append(name: "X-Sum", value: "1")
        trailers.append(name: "Content-Length", value: "1")
        for count in [1, 9, 300] {
            HeadSerializer.appendChunkSize(count, to: &output)
            output += [UInt8](repeating: 0x78, count: count)
            HeadSerializer.appendChunkEnd(to: &output)
        }
        HeadSerializer.appendLastChunk(trailers: trailers, to: &output)
        let decoded = try #require(decodeInAllWays(output))
        #expect(decoded.content.count == 310)
        #expect(decoded.isComplete)
        #expect(decoded.trailers == ["X-Sum: 1"])
    }

    @Test("a prepared head is completed with ttl, age and connection")
    func preparedHead() {
        var fields = Fields()
        fields.append(name: "Content-Type", value: "text/plain")
        fields.append(name: "Age", value: "99")
        fields.append(name: "Cache-Status", value: "other; hit")
        let head = PreparedHead(status: 200, fields: fields, framing: .length(5))
        #expect(
            written { head.append(to: &$0, age: 7, ttl: 53) }
                == "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nCache-Status: other; hit\r\nContent-Length: 5\r\n"
                + "Cache-Status: respite; hit; ttl=53\r\nAge: 7\r\n\r\n"
        )
        let stale = written { head.append(to: &$0, age: -1, ttl: -20, connection: .close, detail: "offline") }
        #expect(stale.hasSuffix("hit; ttl=-20; detail=offline\r\nAge: 0\r\nConnection: close\r\n\r\n"))
        let extremes = written { head.append(to: &$0, age: .max, ttl: .min) }
        #expect(extremes.hasSuffix("ttl=-9223372036854775808\r\nAge: 9223372036854775807\r\n\r\n"))
    }

    /// Sections of a few lines each, made of pieces that heads treat differently.
    private static func section(_ number: Int) -> Fields {
        var state = UInt64(number)
        func pick(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        let names = [
            "Age", "Content-Length", "content-length", "content-type", "X-A", "x-a", "Connection", "X\r\nEvil", "",
            "Set-Cookie", "ETag",
        ]
        let values = ["", "1", "5", "a\r\nX-Evil: 1\u{0}b", "\u{e9}\t\u{ff}", String(repeating: "v", count: 300)]
        var fields = Fields()
        for _ in 0..<number % 12 {
            let name = names[pick(names.count)]
            fields.append(name: latin(name), value: latin(values[pick(values.count)]))
        }
        if number % 3 == 0 { fields.removeLines { $0.known == .etag } }
        return fields
    }

    /// What a section is on the wire, line by line.
    private static func plainLines(_ fields: Fields, without left: KnownField? = nil) -> [UInt8] {
        let generated: [KnownField] = [
            .contentLength, .transferEncoding, .connection, .keepAlive, .proxyConnection, .upgrade,
        ]
        let separators = Array("()<>@,;:\\\"/[]?={}".utf8)
        var text: [UInt8] = []
        for line in fields.lines {
            let (name, value) = (fields.name(of: line), fields.value(of: line))
            if let known = line.known, generated.contains(known) || known == left { continue }
            guard !name.isEmpty, name.allSatisfy({ (0x21...0x7E).contains($0) && !separators.contains($0) }) else {
                continue
            }
            text += name + latin(": ")
            text += value.map { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F ? 0x20 : $0 } + latin("\r\n")
        }
        return text
    }

    @Test("neighbouring lines are written as one by one, also around removed, generated and unclean ones")
    func neighbours() throws {
        for number in 0..<500 {
            var fields = Self.section(number)
            if number % 2 == 0 {
                // As they were received, with a line in the middle that is left out of requests.
                var parser = ResponseParser()
                var head = ResponseHead(status: 200)
                let received =
                    latin("HTTP/1.1 200 OK\r\nA: 1\r\n") + Self.plainLines(fields)
                    + latin("Host: h\r\nB:2\r\nDate: x\r\nC: 3\r\n\r\n")
                #expect(Outcome(parser.parse(received.span, into: &head)) == .complete(consumed: received.count))
                fields = head.fields
                if number % 4 == 0 { fields.removeLines { $0.known == .date } }
                fields.append(.via, "1.1 y")
                fields.append(name: "X-B", value: "2")
            }
            var response: [UInt8] = []
            HeadSerializer.appendResponse(status: 200, fields: fields, framing: .none, to: &response)
            #expect(response == latin("HTTP/1.1 200 OK\r\n") + Self.plainLines(fields) + latin("\r\n"), "\(number)")
            let target = try TargetURI(parsing: "http://h.example/")
            var request: [UInt8] = []
            HeadSerializer.appendRequest(.get, target, fields: fields, framing: .none, to: &request)
            let start = latin("GET / HTTP/1.1\r\nHost: h.example\r\n")
            #expect(request == start + Self.plainLines(fields, without: .host) + latin("\r\n"), "\(number)")
        }
    }

    @Test("a field section that shares the text of a prepared head is what it was, and so is the head")
    func sharedText() {
        for number in 0..<500 {
            let fields = Self.section(number)
            let isReused = { (line: Fields.Line) in number % 2 == 0 || line.known != .setCookie }
            var reused = fields
            reused.removeLines { !isReused($0) }
            let expected = PreparedHead(status: 200, reason: [0x61], fields: reused, framing: .length(5))
            let head = PreparedHead(
                status: 200,
                reason: [0x61],
                keeping: fields,
                framing: .length(5),
                where: isReused
            )
            let shared = head.fields
            #expect(shared == fields && fields == shared)
            #expect(shared.lines.map(\.known) == fields.lines.map(\.known) && shared.present == fields.present)
            #expect(shared.lines.map { shared.name(of: $0) } == fields.lines.map { fields.name(of: $0) })
            let text = written { head.append(to: &$0, age: 1, ttl: 2) }
            #expect(text == written { expected.append(to: &$0, age: 1, ttl: 2) })
            #expect(head.count == expected.bytes.count && shared.bytes == head.bytes)
        }
    }

    @Test("one text serves a section and its head: no line of an ordinary response is there twice")
    func sharedSize() {
        var fields = Fields()
        for (name, value) in [("Date", "now"), ("Content-Length", "5"), ("ETag", "\"a\"")] {
            fields.append(name: name, value: value)
        }
        let separate = PreparedHead(status: 200, fields: fields, framing: .length(5))
        let head = PreparedHead(status: 200, keeping: fields, framing: .length(5)) { _ in true }
        // Where three lines stand, and that there are three.
        let table = 3 * 6 + 1
        #expect(head.bytes.count <= separate.bytes.count + table)
        #expect(separate.fields.isEmpty && separate.fields.present == [] && head.fields == fields)
    }

    @Test("every status has a well-formed status line", arguments: [UInt16(100), 200, 299, 418, 431, 508, 599])
    func statusLines(status: UInt16) {
        let text = written { HeadSerializer.appendResponse(status: status, fields: Fields(), framing: .none, to: &$0) }
        #expect(responseHead(String(text.dropLast(2)))?.status == status)
    }
}
