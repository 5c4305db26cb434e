import Testing

@testable import HTTPCore

@Suite("Heads as they are written")
struct WrittenFormsTests {
    private func request(
        _ target: String,
        _ form: HeadSerializer.RequestForm,
        host: [UInt8]? = nil,
        framing: Framing = .none
    ) throws -> String {
        var output: [UInt8] = []
        HeadSerializer.appendRequest(
            .options,
            try TargetURI(parsing: target),
            form: form,
            fields: Fields(),
            framing: framing,
            host: host,
            to: &output
        )
        return text(output)
    }

    @Test("each form of a target has its text, and Host its authority unless another one is given")
    func forms() throws {
        let target = "http://a.example:81/x?y"
        let expected: [(HeadSerializer.RequestForm, String)] = [
            (.origin, "/x?y"), (.absolute, "http://a.example:81/x?y"), (.asterisk, "*"),
            (.server, "http://a.example:81"),
            (.authority, "a.example:81"),
        ]
        for (form, text) in expected {
            #expect(try request(target, form) == "OPTIONS \(text) HTTP/1.1\r\nHost: a.example:81\r\n\r\n")
        }
        #expect(
            try request("http://a.example/", .authority)
                == "OPTIONS a.example:80 HTTP/1.1\r\nHost: a.example:80\r\n\r\n"
        )
        #expect(
            try request("https://a.example/", .origin, host: latin("b.example"), framing: .chunked)
                == "OPTIONS / HTTP/1.1\r\nHost: b.example\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        #expect(
            try request("http://a.example/", .origin, framing: .length(-1)).hasSuffix(
                "Host: a.example\r\nContent-Length: 0\r\n\r\n"
            )
        )
    }

    @Test("a prepared head goes on with Via, the connection and the content")
    func prepared() {
        let head = PreparedHead(status: 204, reason: latin("No"), fields: fields(("X", "y")), framing: .none)
        var output: [UInt8] = []
        head.append(
            to: &output,
            age: 1,
            ttl: 0,
            connection: .keepAlive,
            via: latin("Via: v\r\n"),
            content: latin("abc")
        )
        #expect(
            text(output)
                == "HTTP/1.1 204 No\r\nX: y\r\nCache-Status: respite; hit; ttl=0\r\nAge: 1\r\nVia: v\r\n"
                + "Connection: keep-alive\r\n\r\nabc"
        )
        output = []
        head.append(to: &output, age: 1, ttl: 9, connection: .upgrade(latin("x")))
        #expect(
            text(output).hasSuffix("ttl=9\r\nAge: 1\r\n\r\n")
                && head.count == latin("HTTP/1.1 204 No\r\nX: y\r\n").count
        )
    }

    @Test("there is room for what is long: a reason, a protocol, Via and content")
    func room() {
        let long = [UInt8](repeating: 0x61, count: 5000)
        var output: [UInt8] = []
        HeadSerializer.appendResponse(
            status: 101,
            reason: long,
            fields: fields(("X", String(repeating: "v", count: 5000))),
            framing: .length(.max),
            connection: .upgrade(long),
            to: &output
        )
        let value = String(repeating: "v", count: 5000)
        #expect(
            text(output)
                == "HTTP/1.1 101 \(text(long))\r\nX: \(value)\r\nContent-Length: 9223372036854775807\r\n"
                + "Connection: Upgrade\r\nUpgrade: \(text(long))\r\n\r\n"
        )
        let head = PreparedHead(status: 200, fields: Fields(), framing: .none)
        for (via, content) in [(long, []), ([], long), (long, long)] as [([UInt8], [UInt8])] {
            output = []
            head.append(
                to: &output,
                age: .max,
                ttl: .min,
                connection: .keepAlive,
                via: via,
                detail: "a-word-of-sixty-three-bytes-that-says-why-a-stale-reply-is-sent",
                content: content
            )
            #expect(output.suffix(content.count) == content[...] && output.count > via.count + content.count + 100)
        }
    }

    @Test(
        "a line of any length is found in the text that it shares",
        arguments: [126, 127, 128, 129, 16_383, 16_384, 20_000]
    )
    func sharedLines(count: Int) {
        let all = fields(
            ("A", String(repeating: "v", count: count)),
            ("B", "1"),
            (String(repeating: "n", count: count), "2")
        )
        let head = PreparedHead(status: 200, keeping: all, framing: .none) { _ in true }
        #expect(head.fields == all && names(head.fields) == names(all))
    }

    @Test("the key of a request has its host in lower case, whatever its length", arguments: 1..<20)
    func keys(count: Int) throws {
        let host = String("ABCDEFGHIJKLMNOPQRSTUVWXYZ".prefix(count)) + "-Z.example"
        let head = try #require(requestHead("GET /Path HTTP/1.1", "Host: \(host):8080"))
        var key: [UInt8] = [0x3E]
        head.appendCanonicalTarget(of: head.parts, to: &key)
        #expect(text(key) == ">http://\(host.lowercased()):8080/Path")
    }

    @Test("what a head says is known before any of it is read")
    func initial() {
        let request = RequestHead()
        #expect(request.isPersistent && !request.expectsContinue && request.isWithoutContent && request.target.isEmpty)
        let response = ResponseHead(status: 199)
        #expect(response.isInterim && !ResponseHead(status: 200).isInterim && response.isPersistent)
        #expect(response.reason.isEmpty && response.contentLength == nil && response.fields.isEmpty)
    }

    @Test("a trailer that is written has a name that may stand there")
    func trailers() {
        var output: [UInt8] = []
        HeadSerializer.appendLastChunk(trailers: fields(("Server", "s"), ("Age", "1"), ("X", "y")), to: &output)
        #expect(text(output) == "0\r\nServer: s\r\nX: y\r\n\r\n")
        let allowed = KnownField.allCases.filter(\.isAllowedInTrailers)
        #expect(allowed == [.cacheStatus, .proxyStatus, .server, .userAgent])
    }
}
