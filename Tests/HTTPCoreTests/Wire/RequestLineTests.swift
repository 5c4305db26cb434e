import HTTPCore
import Testing

@Suite("Request line")
struct RequestLineTests {
    @Test("a well-formed request line is method, target and version (H-001)")
    func plain() throws {
        let head = try #require(requestHead("GET /a?b HTTP/1.1", "Host: org.example"))
        #expect(head.method == .get)
        #expect(text(head.target) == "/a?b")
        #expect(head.version == .http11)
        #expect(head.form == .origin)
        #expect(text(head.targetURI.bytes) == "http://org.example/a?b")
    }

    @Test(
        "anything else than two single spaces between three parts is refused (H-001)",
        arguments: [
            "GET  / HTTP/1.1", "GET /  HTTP/1.1", " GET / HTTP/1.1", "GET / HTTP/1.1 ", "GET\t/ HTTP/1.1",
            "GET /\tHTTP/1.1", "GET HTTP/1.1", "GET /", "GET", "GET / x HTTP/1.1", "GET /a b HTTP/1.1",
            "GET / HTTP/1.1 x", "GET ", "/ HTTP/1.1", "\tGET / HTTP/1.1",
        ]
    )
    func shapes(line: String) { #expect(outcome(line, "Host: a.example")?.status == 400) }

    @Test("up to eight empty lines before a request are skipped (H-002)", arguments: [0, 1, 8])
    func emptyLines(count: Int) throws {
        let bytes = latin(String(repeating: "\r\n", count: count) + "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
        let (outcome, head) = try #require(parseInAllWays(bytes))
        #expect(outcome == .complete(consumed: bytes.count))
        #expect(text(head.target) == "/")
        #expect(head.fields.text(of: .host) == "a.example")
    }

    @Test("a ninth empty line is refused (H-002)")
    func tooManyEmptyLines() {
        let bytes = latin(String(repeating: "\r\n", count: 9) + "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
        #expect(parseInAllWays(bytes)?.0 == .failed(.tooManyEmptyLines(limit: 8)))
    }

    @Test(
        "a bare LF or CR in the head fails as soon as it is there (H-003, H-004)",
        arguments: [
            ("GET / HTTP/1.1\n", ParseError.Code.bareLineFeed), ("\n", .bareLineFeed), ("GET\n", .bareLineFeed),
            ("GET /a\n", .bareLineFeed), ("GET / HTTP/1.1\r\nHost: a\n", .bareLineFeed),
            ("GET / HTTP/1.1\r\nHost: a\r\n\n", .bareLineFeed), ("GET / HTTP/1.1\r\nHo\n", .bareLineFeed),
            ("GET / HTTP/1.1\rH", .bareCarriageReturn), ("GET / HTTP/1.1\r\nHost: a\rX", .bareCarriageReturn),
            ("GET / HTTP/1.1\r\nHost: a\r\n\rX", .bareCarriageReturn), ("\rX", .bareCarriageReturn),
        ]
    )
    func bareLineEnds(start: String, code: ParseError.Code) {
        #expect(parseInAllWays(latin(start))?.0 == .failed(code))
    }

    @Test(
        "a target without host or port is refused as soon as its line is there, and waits for no fields",
        arguments: [
            "GET http:///a HTTP/1.1\r\n", "GET http://a.example:b/ HTTP/1.1\r\n", "CONNECT a.example HTTP/1.1\r\n",
        ]
    )
    func badTargets(line: String) {
        let bytes = latin(line)
        #expect(parse(bytes).0 != .needMore)
        #expect(parse(Array(bytes.dropLast())).0 == .needMore)
    }

    @Test("a method is compared with case, an unknown one is kept (H-005)", arguments: ["get", "BREW-IT", "GETX", "M"])
    func unknownMethod(name: String) throws {
        let head = try #require(requestHead("\(name) / HTTP/1.1", "Host: a.example"))
        #expect(head.method == .other(latin(name)))
        #expect(head.method.bytes == latin(name))
    }

    @Test(
        "a method with bytes outside of token is refused (H-006)",
        arguments: ["GE(T", "G\0T", "G\u{e9}T", "\"GET\""]
    )
    func badMethod(name: String) { #expect(outcome("\(name) / HTTP/1.1", "Host: a.example") == .failed(.badMethod)) }

    @Test("a method longer than 32 bytes is refused before it ends (H-006)")
    func longMethod() {
        #expect(parseInAllWays(latin(String(repeating: "M", count: 33)))?.0 == .failed(.methodTooLong(limit: 32)))
        #expect(requestHead("\(String(repeating: "M", count: 32)) / HTTP/1.1", "Host: a.example") != nil)
    }

    @Test(
        "another version than HTTP/1.x is refused (H-007, H-008)",
        arguments: [
            ("HTTP/1.10", 400), ("HTTP/01.1", 505), ("http/1.1", 400), ("HTTP/ 1.1", 400), ("HTTP/1,1", 400),
            ("HTTP/1.1x", 400), ("HTTP/+1.1", 400), ("HTTP/x.y", 400), ("HTTP/1.", 400), ("HTTP/2.0", 505),
            ("HTTP/0.9", 505), ("HTTPS/1.1", 400), ("HTTP/3", 505), ("", 400),
        ]
    )
    func versions(version: String, status: UInt16) {
        #expect(outcome("GET / \(version)", "Host: a.example")?.status == status)
    }

    @Test("the preface of HTTP/2 is refused (H-008)")
    func preface() { #expect(parseInAllWays(latin("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))?.0.status == 505) }

    @Test("HTTP/1.2 to HTTP/1.9 are read as HTTP/1.1 (H-009)", arguments: 2...9)
    func laterMinorVersions(minor: Int) {
        #expect(requestHead("GET / HTTP/1.\(minor)", "Host: a.example")?.version == .http11)
    }

    @Test(
        "the form of the target fits the method (H-010)",
        arguments: [
            "GET * HTTP/1.1", "GET a.example:80 HTTP/1.1", "CONNECT / HTTP/1.1", "CONNECT http://a.example/ HTTP/1.1",
            "CONNECT * HTTP/1.1", "GET ?q HTTP/1.1", "OPTIONS *x HTTP/1.1", "GET a HTTP/1.1", "GET : HTTP/1.1",
        ]
    )
    func forms(line: String) { #expect(outcome(line, "Host: a.example")?.status == 400) }

    @Test("asterisk-form goes with OPTIONS, authority-form with CONNECT (H-010)")
    func otherRenditions() {
        #expect(requestHead("OPTIONS * HTTP/1.1", "Host: a.example")?.form == .asterisk)
        #expect(requestHead("CONNECT a.example:443 HTTP/1.1", "Host: a.example:443")?.form == .authority)
    }

    @Test(
        "the target holds visible ASCII without fragment (H-011, H-012)",
        arguments: ["/\u{e9}", "/a\0b", "/a\u{1}b", "/a\u{7f}", "/a\u{80}", "/f#frag", "/#"]
    )
    func targetBytes(target: String) { #expect(outcome("GET \(target) HTTP/1.1", "Host: a.example")?.status == 400) }

    @Test(
        "path and query are kept byte for byte (H-013)",
        arguments: [
            "/a%2Fb//c/./d/%7e;p=1?x=%41&&y=a/../b?", "/%00%0d%0aX", "/%zz", "/../../etc", "//k", "/{|}\\^`\"<>",
        ]
    )
    func bytesKept(target: String) throws {
        let head = try #require(requestHead("GET \(target) HTTP/1.1", "Host: a.example"))
        #expect(text(head.target) == target)
        #expect(text(head.targetURI.path) == target)
    }

    @Test("a target of 16 KiB is accepted, a longer one gets 414 before its end (H-014)")
    func targetLimit() {
        let longest = "/" + String(repeating: "q", count: 16 * 1024 - 1)
        #expect(parse(latin("GET \(longest) HTTP/1.1\r\nHost: a\r\n\r\n")).0.status == nil)
        let bytes = latin("GET \(longest)q")
        #expect(parse(bytes).0 == .failed(.targetTooLong(limit: 16 * 1024)))
        #expect(parse(bytes, cuts: Array(0..<bytes.count)).0 == .failed(.targetTooLong(limit: 16 * 1024)))
        #expect(parse(bytes).0.status == 414)
    }

    @Test(
        "another scheme than http and https is refused (H-017)",
        arguments: [
            "ftp://a.example/", "file:///etc/passwd", "gopher://a.example", "://a.example/", "javascript:1",
            "httpx://a/",
        ]
    )
    func schemes(target: String) { #expect(outcome("GET \(target) HTTP/1.1", "Host: a.example")?.status == 400) }

    @Test(
        "bytes that are not HTTP fail with the first that cannot be a method (H-018)",
        arguments: ["\u{16}\u{3}\u{1}", "\0", "SSH-2.0-OpenSSH_9.2\r", "\u{80}", "{\"a\"", "<x"]
    )
    func notHTTP(start: String) { #expect(parseInAllWays(latin(start))?.0.status == 400) }

    @Test("a head that stops in the middle asks for more, wherever that is")
    func incomplete() {
        let bytes = latin("POST /a HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5\r\n\r\n")
        for count in 0..<bytes.count {
            #expect(parse(Array(bytes[..<count])).0 == .needMore)
        }
    }

    @Test("pipelined requests are taken one by one")
    func pipeline() {
        let first = latin("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
        let second = latin("\r\nPOST /2 HTTP/1.1\r\nHost: b\r\nX-A: 1\r\n\r\n")
        var parser = RequestParser()
        var head = RequestHead()
        #expect(parser.parse((first + second).span, into: &head) == .complete(consumed: first.count))
        #expect(text(head.target) == "/1")
        parser.reset()
        #expect(parser.parse(second.span, into: &head) == .complete(consumed: second.count))
        #expect(text(head.target) == "/2")
        #expect(head.fields.values(named: latin("x-a")) == [latin("1")])
        #expect(head.fields.lines.count == 2)
    }
}
