import Testing

@testable import HTTPCore

@Suite("Faults of heads, each by its name")
struct RequestFaultTests {
    @Test(
        "a request line fails with what is wrong in it",
        arguments: [
            ("GET  / HTTP/1.1", .badRequestLine), (" GET / HTTP/1.1", .badRequestLine),
            ("\tGET / HTTP/1.1", .badRequestLine),
            ("GET\t/ HTTP/1.1", .badRequestLine), ("GET", .badRequestLine), ("GE(T / HTTP/1.1", .badMethod),
            ("GET /a\tHTTP/1.1", .badRequestLine), ("GET /a", .badVersion), ("GET /a#b HTTP/1.1", .fragmentInTarget),
            ("GET /a\u{1} HTTP/1.1", .badTarget), ("GET /\u{E9} HTTP/1.1", .badTarget),
            ("GET / HTTP/2.0", .unsupportedVersion),
            ("GET / HTTP/1.1 ", .badVersion), ("GET / HTTP/1.10", .badVersion), ("GET / http/1.1", .badVersion),
            ("GET / HTTP/x.1", .badVersion), ("GET / ", .badVersion), ("GET * HTTP/1.1", .targetForm),
            ("GET a HTTP/1.1", .targetForm), ("GET ftp://a.example/ HTTP/1.1", .unsupportedScheme),
            ("GET : HTTP/1.1", .targetForm),
            ("GET 1-.+z:x HTTP/1.1", .unsupportedScheme), ("GET a_b:x HTTP/1.1", .targetForm),
            ("CONNECT a HTTP/1.1", .missingPort), ("CONNECT /a HTTP/1.1", .badAuthority),
            ("GET http:/a HTTP/1.1", .badAuthority), ("OPTIONS *x HTTP/1.1", .targetForm),
        ] as [(String, ParseError.Code)]
    )
    func requestLines(line: String, code: ParseError.Code) {
        #expect(outcome(line, "Host: a.example") == .failed(code))
    }

    @Test(
        "a field line fails with what is wrong in it",
        arguments: [
            ("X-A", .missingColon), (": 1", .emptyFieldName), ("X\u{1}: 1", .badFieldName), ("X(: 1", .badFieldName),
            ("X: a\u{1}", .badFieldValue), ("X : 1", .whitespaceInFieldName), ("X\u{7F}: 1", .badFieldName),
        ] as [(String, ParseError.Code)]
    )
    func fieldLines(line: String, code: ParseError.Code) {
        #expect(outcome("GET / HTTP/1.1", "Host: a", line) == .failed(code))
        #expect(responseOutcome("HTTP/1.1 200 OK", "X-B: 1", line) == .failed(code))
    }

    @Test("a parser has begun once a byte of a request is there, and no empty line counts")
    func hasBegun() {
        var parser = RequestParser()
        var head = RequestHead()
        func feed(_ text: String) -> (ParseResult, Bool) {
            let result = parser.parse(latin(text).span, into: &head)
            return (result, parser.hasBegun)
        }
        #expect(!parser.hasBegun)
        #expect(feed("\r\n") == (.needMore, false) && feed("\r\n\r") == (.needMore, false))
        #expect(feed("\r\nG") == (.needMore, true) && feed("\r\nGET / HTTP/1.1\r\n") == (.needMore, true))
        parser.reset()
        #expect(!parser.hasBegun)
    }

    @Test("a reason has 8 KiB at most, and a response 256 fields")
    func responseLimits() {
        func outcome(_ reason: Int, _ fields: Int) -> Outcome? {
            var parser = ResponseParser()
            var head = ResponseHead(status: 200)
            let lines = (0..<fields).map { "X-\($0): v\r\n" }.joined()
            let bytes = latin("HTTP/1.1 200 " + String(repeating: "r", count: reason) + "\r\n" + lines + "\r\n")
            return Outcome(parser.parse(bytes.span, into: &head))
        }
        #expect(outcome(8192, 1)?.isFailure == false && outcome(8193, 1) == .failed(.badReason))
        #expect(outcome(2, 256)?.isFailure == false && outcome(2, 257) == .failed(.tooManyFields(limit: 256)))
    }

    @Test("a section of exactly the limit is read, and one byte more is refused, in responses too")
    func responseSection() {
        var limits = ParserLimits()
        limits.headerSection = 10
        func outcome(_ line: String) -> Outcome? {
            parseResponse(latin("HTTP/1.1 204 X\r\n\(line)\r\n\r\n"), limits: limits)?.0
        }
        #expect(outcome("A: bcd")?.isFailure == false && outcome("A: bcde") == .failed(.sectionTooLarge(limit: 10)))
    }

    @Test("repeated framing of a response fails with the first fault")
    func responseFraming() {
        let ok = "HTTP/1.1 200 OK"
        let chunked = "Transfer-Encoding: chunked"
        #expect(responseOutcome(ok, chunked, chunked) == .failed(.repeatedField(.transferEncoding)))
        #expect(
            responseOutcome(ok, "Content-Length: 5", "Content-Length: 6") == .failed(.repeatedField(.contentLength))
        )
        #expect(responseOutcome(ok, "Content-Length: 5,6") == .failed(.badContentLength))
        #expect(responseOutcome(ok, "Content-Length: 99999999999999999999") == .failed(.contentTooLarge(limit: .max)))
        #expect(responseOutcome(ok, "Content-Length: 1, 99999999999999999999") == .failed(.badContentLength))
        #expect(responseOutcome(ok, "Transfer-Encoding: x, chunked") == .failed(.unsupportedTransferCoding))
        #expect(responseOutcome(ok, "Transfer-Encoding: gzip") == .failed(.badTransferEncoding))
        #expect(responseOutcome("HTTP/1.1 206 P", "Content-Length: x", to: .head)?.isFailure == false)
        #expect(responseOutcome("HTTP/1.1 300 P", "Content-Length: x", to: .connect) == .failed(.badContentLength))
        #expect(responseHead("HTTP/1.1 299 P", "X: y", to: .connect)?.framing == Framing.none)
    }

    @Test("limits are what they were documented to be")
    func defaults() {
        let limits = ParserLimits()
        #expect(limits.method == 32 && limits.requestTarget == 16_384 && limits.headerSection == 65_536)
        #expect(limits.headerFields == 256 && limits.emptyLines == 8 && limits.reasonPhrase == 8192)
        #expect(limits.content == nil && limits.chunkExtensionLine == 4096 && limits.chunkExtensions == 16_384)
        #expect(limits.trailerSection == 16_384 && limits.trailerFields == 64)
        #expect(!RequestParser.Rules().hostMustMatchTarget)
    }

    @Test("content of exactly the limit passes; what is left of a length is known")
    func content() {
        var limits = ParserLimits()
        limits.content = 5
        #expect(decode(latin("hello"), framing: .length(5), limits: limits).isComplete)
        #expect(decode(latin("hello"), framing: .untilClose, limits: limits).error == nil)
        #expect(decode(latin("hellox"), framing: .untilClose, limits: limits).error == .contentTooLarge(limit: 5))
        var decoder = ContentDecoder(framing: .length(5))
        #expect(decoder.remaining == 5)
        #expect(decoder.decode(latin("he").span) { _ in } == .needMore(consumed: 2))
        #expect(decoder.remaining == 3 && !decoder.isComplete && ContentDecoder(framing: .chunked).remaining == nil)
        #expect(decode(latin("5;a=b;c=\"d\";e\r\nhello\r\n0;x\r\n\r\n")).isComplete)
    }
}
