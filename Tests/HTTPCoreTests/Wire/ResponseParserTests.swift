import HTTPCore
import Testing

private let ok = "HTTP/1.1 200 OK"

@Suite("Responses")
struct ResponseParserTests {
    @Test(
        "a status line is version, three digits from 100 to 599, and a reason or nothing (H-091)",
        arguments: [
            ("HTTP/1.1 200 OK", 200, "OK"), ("HTTP/1.0 200 ", 200, ""), ("HTTP/1.1 200", 200, ""),
            ("HTTP/1.1 599 What ever\u{e9}", 599, "What ever\u{e9}"), ("HTTP/1.7 299  two", 299, " two"),
        ]
    )
    func statusLines(line: String, status: UInt16, reason: String) throws {
        let head = try #require(responseHead(line, "Content-Length: 0"))
        #expect(head.status == status)
        #expect(head.reason == latin(reason))
    }

    @Test(
        "another status line is refused (H-091)",
        arguments: [
            "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 099 OK", "HTTP/1.1 600 OK", "HTTP/1.1 OK",
            "HTTP/2.0 200 OK",
            "HTTP/0.9 200 OK", "ICY 200 OK", "HTTP/1.1  200 OK", "HTTP/1.1 2x0 OK", "http/1.1 200 OK",
            "HTTP/1.1\t200 OK",
            "HTTP/1.10 200 OK", "HTTP/1.1 200\tOK", "", "HTTP/1.1 200OK",
        ]
    )
    func badStatusLines(line: String) { #expect(responseOutcome(line, "Content-Length: 0") == .failed(.badStatusLine)) }

    @Test("a reason with controls is refused (H-092)", arguments: ["O\0K", "O\u{1}K", "O\u{7f}K", "O\rK"])
    func badReason(reason: String) { #expect(responseOutcome("HTTP/1.1 200 \(reason)")?.isFailure == true) }

    @Test(
        "malformed field lines are refused (H-093, H-094, H-095)",
        arguments: ["X-A : 1", " X-A: 1", "X-A", ": 1", "X\0A: 1", "X-A: a\0b", "X-A: a\rb", "X-A: a\u{1}b", "X(: 1"]
    )
    func badLines(line: String) {
        #expect(responseOutcome(ok, line)?.isFailure == true)
        #expect(responseOutcome(ok, "X-B: 1", line)?.isFailure == true)
    }

    @Test("a bare LF ends nothing (H-095)")
    func bareLineFeed() {
        #expect(parseResponse(latin("HTTP/1.1 200 OK\nX: y"))?.0 == .failed(.bareLineFeed))
        #expect(parseResponse(latin("HTTP/1.1 200 OK\r\nX: y\n"))?.0 == .failed(.bareLineFeed))
    }

    @Test(
        "an invalid Content-Length is refused (H-096)",
        arguments: ["+5", "-5", "5a", "", "5, 6", "5,", "99999999999999999999", "0x5"]
    )
    func badLength(value: String) { #expect(responseOutcome(ok, "Content-Length: \(value)")?.isFailure == true) }

    @Test("equal lengths count as one, differing ones are refused (H-096, H-097)")
    func lengths() {
        #expect(responseHead(ok, "Content-Length: 5, 5", "Content-Length: 5")?.framing == .length(5))
        #expect(responseOutcome(ok, "Content-Length: 5", "Content-Length: 6")?.isFailure == true)
    }

    @Test("Content-Length with Transfer-Encoding is refused in either order (H-098)")
    func conflict() {
        let lines = ["Content-Length: 5", "Transfer-Encoding: chunked"]
        #expect(responseOutcome(ok, lines[0], lines[1]) == .failed(.conflictingFraming))
        #expect(responseOutcome(ok, lines[1], lines[0]) == .failed(.conflictingFraming))
    }

    @Test(
        "a transfer coding that is not exactly chunked is refused (H-099)",
        arguments: ["gzip", "chunked, chunked", "identity", "x, chunked", "", "chunked;a=b", "chunked, gzip"]
    )
    func codings(value: String) {
        let outcome = responseOutcome(ok, "Transfer-Encoding: \(value)")
        #expect(outcome?.isFailure == true)
        if case .failed(let code) = outcome {
            #expect(ParseError(code).proxyErrorType == .httpResponseTransferCoding)
        }
    }

    @Test("a transfer coding in HTTP/1.0 is refused (H-099)")
    func codingInOldVersion() {
        #expect(responseOutcome("HTTP/1.0 200 OK", "Transfer-Encoding: chunked") == .failed(.transferEncodingInHTTP10))
        #expect(responseHead(ok, "Transfer-Encoding: Chunked")?.framing == .chunked)
    }

    @Test("content without framing goes on until the connection closes (H-102)")
    func untilClose() throws {
        let head = try #require(responseHead(ok, "X: y"))
        #expect(head.framing == .untilClose)
        #expect(!head.isPersistent)
    }

    @Test(
        "interim, 204, 304 and answers to HEAD end with the head, whatever the fields say (H-103, C-0.6)",
        arguments: [
            ("HTTP/1.1 204 No Content", Method.get), ("HTTP/1.1 304 Not Modified", .get), ("HTTP/1.1 103 Hints", .get),
            ("HTTP/1.1 200 OK", .head), ("HTTP/1.1 404 No", .head), ("HTTP/1.1 200 OK", .connect),
        ]
    )
    func noContent(line: String, method: Method) {
        #expect(responseHead(line, "Content-Length: 7", to: method)?.framing == Framing.none)
        #expect(responseHead(line, "Content-Length: x", to: method)?.framing == Framing.none)
        #expect(responseHead(line, "Transfer-Encoding: chunked", to: method)?.framing == Framing.none)
        #expect(responseHead(line, "Content-Length: 7", to: method)?.contentLength == 7)
        #expect(responseHead(line, "Content-Length: x", to: method)?.contentLength == nil)
    }

    @Test("several interim heads are read one by one before the final one (H-105)")
    func interim() throws {
        let bytes = latin("HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
        var parser = ResponseParser(requestMethod: .get)
        var head = ResponseHead(status: 200)
        let first = parser.parse(bytes.span, into: &head)
        guard case .complete(let consumed) = first else {
            Issue.record("not complete")
            return
        }
        #expect(head.isInterim)
        parser.reset()
        let rest = Array(bytes[consumed...])
        #expect(parser.parse(rest.span, into: &head) == .complete(consumed: rest.count - 1))
        #expect(head.status == 200)
        #expect(head.framing == .length(1))
        #expect(head.fields.lines.count == 1)
    }

    @Test("a head above the limits is refused while reading (H-106)")
    func limits() {
        let large = latin("\(ok)\r\nX: " + String(repeating: "v", count: 70_000))
        var parser = ResponseParser()
        var head = ResponseHead(status: 200)
        let result = parser.parse(large.span, into: &head)
        #expect(result == .failed(ParseError(.sectionTooLarge(limit: 65_536))))
        #expect(ParseError(.sectionTooLarge(limit: 1)).proxyErrorType == .httpResponseHeaderSectionSize)
    }

    @Test(
        "persistence of an upstream connection",
        arguments: [
            ("HTTP/1.1", "x", true), ("HTTP/1.1", "close", false), ("HTTP/1.0", "x", false),
            ("HTTP/1.0", "keep-alive", true), ("HTTP/1.1", "a b", false),
        ]
    )
    func persistence(version: String, connection: String, isPersistent: Bool) {
        let head = responseHead("\(version) 200 OK", "Connection: \(connection)", "Content-Length: 0")
        #expect(head?.isPersistent == isPersistent)
    }
}
