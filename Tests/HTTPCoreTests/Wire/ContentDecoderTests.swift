import HTTPCore
import Testing

private let end = "\r\nhello\r\n0\r\n\r\n"

@Suite("Content")
struct ContentDecoderTests {
    @Test(
        "a size in hexadecimal, with or without extensions, is read (H-039, H-042)",
        arguments: [
            "5", "00005", "0000000000000005", "5;a=b", "5;abc", "5 ; a = b", "5\t;a;b=\"x;y, z\"", "5;a=\"\\\"\"",
            "5;a=\"caf\u{e9}\t\"", "5 ;a=\"\"; b",
        ]
    )
    func sizes(line: String) throws {
        let bytes = latin(line + end + "GET")
        let decoded = try #require(decodeInAllWays(bytes))
        #expect(decoded.error == nil)
        #expect(text(decoded.content) == "hello")
        #expect(decoded.isComplete)
        #expect(decoded.consumed == bytes.count - 3)
    }

    @Test(
        "a malformed size line is refused (H-039, H-040, H-041, H-042)",
        arguments: [
            "0x5", "+5", "-5", " 5", "\t5", "5 ", "5\t", "5h", "", "5_0", "5\0", "5;", "5;a=", "5;=b", "5;a@=b",
            "5;a b",
            "5;a=b c", "5;a=\"b", "5;a\0b", "5;a=b ", "5;a=\"b\"c", "00000000000000005", "FFFFFFFFFFFFFFFF",
            "8000000000000000", "5;a=\"\\\u{1}\"", "5,6", "g", "\u{e9}",
        ]
    )
    func badSizes(line: String) throws {
        let decoded = try #require(decodeInAllWays(latin(line + end)))
        #expect(decoded.error != nil)
    }

    @Test(
        "a size that cannot be is refused by its name, before anything behind it is read (H-039, H-040)",
        arguments: [
            ("8000000000000000", .chunkTooLarge), ("FFFFFFFFFFFFFFFF", .chunkTooLarge),
            ("0800000000000000", nil), ("7FFFFFFFFFFFFFFF", nil), ("0000000000000005", nil),
            ("00000000000000005", .badChunkSize), ("7FFFFFFFFFFFFFFFF", .badChunkSize), ("", .badChunkSize),
            ("g", .badChunkSize), ("5 ", .badChunkExtension), ("5;", .badChunkExtension),
            ("5;a=\"b", .badChunkExtension),
        ] as [(String, ParseError.Code?)]
    )
    func sizeFaults(line: String, code: ParseError.Code?) throws {
        let decoded = try #require(decodeInAllWays(latin(line + "\r\n")))
        #expect(decoded.error == code && !decoded.isComplete)
    }

    @Test(
        "lines and data end in exactly CRLF (H-041)",
        arguments: [
            "5\nhello\r\n0\r\n\r\n", "5\rhello\r\n0\r\n\r\n", "5\r\r\nhello\r\n0\r\n\r\n", "5\r\nhelloXX0\r\n\r\n",
            "5\r\nhello\n0\r\n\r\n", "5\r\nhello\r0\r\n\r\n", "5\r\nhello0\r\n\r\n", "5\r\nhello\r\n0\n\n",
            "5;a\nb\r\nhello\r\n0\r\n\r\n", "5;a\rb\r\nhello\r\n0\r\n\r\n", "5;a=\"\r\nhello\r\n0\r\n\r\n", "0\r\n\n",
            "0\r\n\rX",
        ]
    )
    func lineEnds(bytes: String) throws {
        let decoded = try #require(decodeInAllWays(latin(bytes)))
        #expect(decoded.error != nil)
    }

    @Test("hexadecimal digits in either case (H-039)")
    func digits() throws {
        let body = "A\r\n0123456789\r\na\r\nabcdefghij\r\n1F\r\n" + String(repeating: "x", count: 31) + "\r\n0\r\n\r\n"
        let decoded = try #require(decodeInAllWays(latin(body)))
        #expect(text(decoded.content) == "0123456789abcdefghij" + String(repeating: "x", count: 31))
    }

    @Test("a sum of sizes above 2^63-1 is refused (H-040)")
    func sumOverflow() {
        var decoder = ChunkedDecoder()
        let first = latin("1\r\nx\r\n7FFFFFFFFFFFFFFF\r\n")
        #expect(decoder.decode(first.span) { _ in } == .failed(ParseError(.chunkTooLarge)))
    }

    @Test("extensions are limited by line and by message (H-043)")
    func extensionLimits() throws {
        let long = latin("5;a=" + String(repeating: "b", count: 5000) + end)
        #expect(decode(long).error == .chunkExtensionTooLarge(limit: 4096))
        #expect(decode(long, cuts: Array(1..<long.count)).error == .chunkExtensionTooLarge(limit: 4096))
        let one = "1;" + String(repeating: "a", count: 999) + "\r\nx\r\n"
        let many = latin(String(repeating: one, count: 17) + "0\r\n\r\n")
        #expect(decode(many).error == .chunkExtensionTooLarge(limit: 16_384))
        let fits = latin(String(repeating: one, count: 16) + "0\r\n\r\n")
        #expect(decode(fits).isComplete)
    }

    @Test("trailers that frame, route, authenticate or control are dropped, others are kept apart (H-044)")
    func trailers() throws {
        let fields = [
            "Content-Length: 3", "Transfer-Encoding: chunked", "Host: evil.example", "Authorization: Basic x",
            "Connection: close", "Cache-Control: no-store", "Set-Cookie: a=b", "X-Sum:  7 ", "Transfer_Encoding: x",
            "X-Sum: 8", "Vary: *", "Content-Type: text/html",
        ]
        let bytes = latin("5" + "\r\nhello\r\n0\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\nNEXT")
        let decoded = try #require(decodeInAllWays(bytes))
        #expect(decoded.trailers == ["X-Sum: 7", "X-Sum: 8"])
        #expect(decoded.consumed == bytes.count - 4)
    }

    @Test(
        "trailers obey the grammar of fields (H-044)",
        arguments: ["X-T : 1", "X-T", " X: 1", "X-T: a\0b", "X-T: a\nX-U: b", ": 1", "X-T: 1\r\n 2"]
    )
    func badTrailers(line: String) throws {
        let decoded = try #require(decodeInAllWays(latin("0\r\n" + line + "\r\n\r\n")))
        #expect(decoded.error != nil)
    }

    @Test("the trailer section is limited in size and number (H-045)")
    func trailerLimits() {
        let large = latin("0\r\nX: " + String(repeating: "v", count: 17_000))
        #expect(decode(large).error == .trailersTooLarge(limit: 16_384))
        #expect(decode(large, cuts: Array(1..<large.count)).error == .trailersTooLarge(limit: 16_384))
        let many = latin("0\r\n" + String(repeating: "X: y\r\n", count: 65))
        #expect(decode(many).error == .tooManyTrailers(limit: 64))
        let fits = latin("0\r\n" + String(repeating: "X: y\r\n", count: 64) + "\r\n")
        #expect(decode(fits).isComplete)
    }

    @Test("an empty chunked body is an empty body (H-046)")
    func empty() { #expect(decodeInAllWays(latin("0\r\n\r\n")) == Decoded(consumed: 5, isComplete: true)) }

    @Test("content above the limit fails as soon as it is announced (H-050)")
    func contentLimit() {
        var limits = ParserLimits()
        limits.content = 5
        #expect(decode(latin("5" + end), limits: limits).isComplete)
        #expect(decode(latin("6\r\n"), limits: limits).error == .contentTooLarge(limit: 5))
        #expect(decode(latin("3\r\nabc\r\n3\r\n"), limits: limits).error == .contentTooLarge(limit: 5))
        #expect(decode(latin("x"), framing: .length(6), limits: limits).error == .contentTooLarge(limit: 5))
        #expect(decode(latin("xxxxxx"), framing: .untilClose, limits: limits).error == .contentTooLarge(limit: 5))
    }

    @Test("content of a length ends behind it")
    func length() throws {
        let decoded = try #require(decodeInAllWays(latin("helloGET"), framing: .length(5)))
        #expect(decoded == Decoded(content: latin("hello"), consumed: 5, isComplete: true))
        #expect(decodeInAllWays(latin("GET"), framing: .none) == Decoded(isComplete: true))
        #expect(decodeInAllWays(latin("GET"), framing: .length(0)) == Decoded(isComplete: true))
    }

    @Test("what comes up to the end of the connection is content; a piece without bytes brings none (H-102)")
    func untilClose() throws {
        let decoded = try #require(decodeInAllWays(latin("hello"), framing: .untilClose))
        #expect(decoded == Decoded(content: latin("hello"), consumed: 5))
        let nothing: [UInt8] = []
        for framing in [Framing.untilClose, .length(5), .chunked] {
            var decoder = ContentDecoder(framing: framing)
            var parts = 0
            let result = decoder.decode(nothing.span) { _ in parts += 1 }
            #expect(result == .needMore(consumed: 0) && parts == 0)
        }
    }

    @Test("the end of the connection completes only content that is framed by it (H-101, H-102)")
    func endOfInput() {
        var open = ContentDecoder(framing: .untilClose)
        #expect(open.decode(latin("abc").span) { _ in } == .needMore(consumed: 3))
        #expect(!open.isComplete)
        #expect(open.endOfInput() == nil)
        #expect(open.isComplete)
        for (framing, start) in [(Framing.length(5), "hell"), (.chunked, "5\r\nhello\r\n"), (.chunked, "0\r\n")] {
            var decoder = ContentDecoder(framing: framing)
            #expect(decoder.decode(latin(start).span) { _ in } == .needMore(consumed: latin(start).count))
            #expect(decoder.endOfInput() == ParseError(.incomplete))
            #expect(!decoder.isComplete)
        }
        #expect(ParseError(.incomplete).proxyErrorType == .httpResponseIncomplete)
    }

    @Test("what is behind the end is left to the next message")
    func complete() {
        var decoder = ContentDecoder(framing: .chunked)
        #expect(decoder.decode(latin("0\r\n\r\nGET").span) { _ in } == .complete(consumed: 5))
        #expect(decoder.isComplete)
        #expect(decoder.decode(latin("GET").span) { _ in } == .complete(consumed: 0))
        #expect(decoder.endOfInput() == nil)
    }
}
