import HTTPCore
import Testing

private let start = "POST / HTTP/1.1"
private let host = "Host: a.example"

@Suite("Request framing")
struct RequestFramingTests {
    @Test(
        "Content-Length is digits only (H-032)",
        arguments: [
            "+5", "-5", "5 5", "0x5", "5.0", "5e0", "", "5a", "\"5\"", "5,", "5;a", "five", "-0", "1_0", ",5", "5 ,5",
            "\u{d9}\u{a5}",
        ]
    )
    func notANumber(value: String) {
        #expect(outcome(start, host, "Content-Length: \(value)") == .failed(.badContentLength))
    }

    @Test(
        "a length above 2^63-1 is refused without overflow (H-033)",
        arguments: [
            "9223372036854775808", "18446744073709551621", "99999999999999999999", String(repeating: "9", count: 1000),
        ]
    )
    func overflow(value: String) { #expect(outcome(start, host, "Content-Length: \(value)")?.status == 413) }

    @Test(
        "leading zeros do not change a length (H-033)",
        arguments: [("5", 5), ("0005", 5), (String(repeating: "0", count: 40) + "7", 7), ("9223372036854775807", .max)]
            as [(String, Int64)]
    )
    func lengths(value: String, length: Int64) {
        #expect(requestHead(start, host, "Content-Length: \(value)")?.framing == .length(length))
    }

    @Test(
        "Content-Length twice or as a list is refused, equal or not (H-034, H-035)",
        arguments: [["5", "6"], ["5", "5"], ["0", "5"], ["5, 6"], ["5, 5"], ["5,5"]]
    )
    func repeated(values: [String]) {
        let bytes = latin("\(start)\r\n\(host)\r\n" + values.map { "Content-Length: \($0)\r\n" }.joined() + "\r\n")
        #expect(parseInAllWays(bytes)?.0.status == 400)
    }

    @Test("Content-Length with Transfer-Encoding is refused in either order (H-036)", arguments: ["0", "5"])
    func conflict(length: String) {
        let one = "Content-Length: \(length)"
        let other = "Transfer-Encoding: chunked"
        #expect(outcome(start, host, one, other) == .failed(.conflictingFraming))
        #expect(outcome(start, host, other, one) == .failed(.conflictingFraming))
    }

    @Test("chunked in any case frames (H-037)", arguments: ["chunked", "Chunked", "CHUNKED", "  chunked\t"])
    func chunked(value: String) {
        #expect(requestHead(start, host, "Transfer-Encoding: \(value)")?.framing == .chunked)
    }

    @Test(
        "anything but exactly chunked is refused (H-037)",
        arguments: [
            ("identity", 400), ("chunked, identity", 400), ("chunked, chunked", 400), ("gzip", 400),
            ("chunked, gzip", 400), ("xchunked", 400), ("x chunked", 400), ("chunked;q=1", 400), ("\"chunked\"", 400),
            ("", 400), ("chunked;", 400), ("chunked\u{a0}", 400), ("chunk", 400), ("chunkedx", 400), (",chunked", 400),
            ("chunked,", 400), ("gzip, chunked", 501), ("x, y, Chunked", 501), ("identity, chunked", 400),
        ]
    )
    func codings(value: String, status: UInt16) {
        #expect(outcome(start, host, "Transfer-Encoding: \(value)")?.status == status)
    }

    @Test("Transfer-Encoding twice is refused (H-037)")
    func codingTwice() {
        #expect(
            outcome(start, host, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked")
                == .failed(.repeatedField(.transferEncoding))
        )
    }

    @Test("Transfer-Encoding in HTTP/1.0 is refused (H-038)")
    func oldVersion() {
        #expect(outcome("POST / HTTP/1.0", "Transfer-Encoding: chunked") == .failed(.transferEncodingInHTTP10))
    }

    @Test("a request with neither field has no content (H-047)")
    func noContent() { #expect(requestHead(start, host)?.framing == Framing.none) }

    @Test("a declared length above the limit is refused with 413 (H-050)")
    func contentLimit() {
        var limits = ParserLimits()
        limits.content = 10
        #expect(outcome(start, host, "Content-Length: 10", limits: limits)?.isFailure == false)
        #expect(outcome(start, host, "Content-Length: 11", limits: limits) == .failed(.contentTooLarge(limit: 10)))
    }

    @Test(
        "an expectation other than 100-continue gets 417 (H-075)",
        arguments: ["200-maybe", "100-continue, x=y", "x"]
    )
    func expectations(value: String) { #expect(outcome(start, host, "Expect: \(value)")?.status == 417) }

    @Test("100-continue counts in any case, and in HTTP/1.1 only (H-073)")
    func expectContinue() {
        #expect(requestHead(start, host, "Expect: 100-Continue")?.expectsContinue == true)
        #expect(requestHead("POST / HTTP/1.0", host, "Expect: 100-continue")?.expectsContinue == false)
        #expect(requestHead(start, host)?.expectsContinue == false)
    }

    @Test(
        "persistence follows version and Connection (H-087, H-088)",
        arguments: [
            ("HTTP/1.1", "", true), ("HTTP/1.1", "close", false), ("HTTP/1.1", "x, CLOSE", false),
            ("HTTP/1.1", "keep-alive", true), ("HTTP/1.1", "keep-alive, close", false), ("HTTP/1.0", "", false),
            ("HTTP/1.0", "Keep-Alive", true), ("HTTP/1.0", "keep-alive, close", false), ("HTTP/1.1", ", ,", true),
            ("HTTP/1.1", "closed", true),
        ]
    )
    func persistence(version: String, value: String, isPersistent: Bool) {
        #expect(requestHead("GET / \(version)", host, "Connection: \(value)")?.isPersistent == isPersistent)
    }

    @Test("every Connection line counts (H-087)")
    func twoConnectionLines() {
        #expect(requestHead(start, host, "Connection: x", "Connection: close")?.isPersistent == false)
    }

    @Test("a Connection member that is no token is refused")
    func badConnection() { #expect(outcome(start, host, "Connection: a b") == .failed(.badConnection)) }

    @Test("CONNECT with content is refused")
    func contentInConnect() {
        let line = "CONNECT a.example:443 HTTP/1.1"
        #expect(outcome(line, "Host: a.example:443", "Content-Length: 5") == .failed(.contentInConnect))
        #expect(outcome(line, "Host: a.example:443", "Transfer-Encoding: chunked") == .failed(.contentInConnect))
        #expect(requestHead(line, "Host: a.example:443", "Content-Length: 0") != nil)
    }
}
