import HTTPCore
import Testing

private let start = "GET / HTTP/1.1"
private let host = "Host: a.example"

@Suite("Request fields")
struct RequestFieldTests {
    @Test(
        "whitespace before the colon is refused (H-019)",
        arguments: ["X-A : 1", "X-A\t: 1", "Host : b", "Content-Length : 5", "X A: 1"]
    )
    func spaceBeforeColon(line: String) {
        #expect(outcome(start, host, line) == .failed(.whitespaceInFieldName))
    }

    @Test("whitespace before the first field line is refused (H-020)", arguments: [" X-A: 1", "\tHost: b", " "])
    func leadingWhitespace(line: String) {
        #expect(outcome(start, line, host) == .failed(.leadingWhitespace))
    }

    @Test("a folded line is refused (H-021)", arguments: [" 2", "\t2", " ", " Transfer-Encoding: chunked"])
    func folding(line: String) {
        #expect(outcome(start, host, "X-A: 1", line, "X-B: 2") == .failed(.foldedLine))
        #expect(outcome(start, "Host:", line)?.status == 400)
    }

    @Test(
        "a field name is a token (H-022)",
        arguments: [
            "X\u{1}A: 1", "X\u{e9}A: 1", "\"X-A\": 1", "X@A: 1", ": 1", "X\0: 1", "X(A): 1", "X\u{7f}: 1",
            "Transfer-Encoding\u{c5}\u{bf}: chunked", "X/A: 1", "X[A]: 1", "X{A}: 1",
        ]
    )
    func names(line: String) { #expect(outcome(start, host, line)?.status == 400) }

    @Test("a field line has a colon (H-023)", arguments: ["X-A", "Transfer-Encoding chunked", "chunked"])
    func colon(line: String) { #expect(outcome(start, host, line)?.status == 400) }

    @Test(
        "a control byte other than HTAB in a value is refused (H-024)",
        arguments: (0...31).filter { ![9, 10, 13].contains($0) } + [127]
    )
    func controls(byte: Int) {
        let bytes = latin("\(start)\r\n\(host)\r\nX-A: a") + [UInt8(byte)] + latin("b\r\n\r\n")
        #expect(parseInAllWays(bytes)?.0 == .failed(.badFieldValue))
    }

    @Test("HTAB and bytes from 0x80 pass in a value (H-024)")
    func opaqueBytes() throws {
        let head = try #require(requestHead(start, host, "X-A: caf\u{e9}\t\u{ff} \u{80}"))
        #expect(head.fields.values(named: latin("x-a")) == [latin("caf\u{e9}\t\u{ff} \u{80}")])
    }

    @Test(
        "blanks around a value are no part of it (H-025)",
        arguments: [("X-A:1", "1"), ("X-A: \t 1 \t", "1"), ("X-A:  \t ", ""), ("X-A:", ""), ("X-A: a  b", "a  b")]
    )
    func trimming(line: String, value: String) throws {
        let head = try #require(requestHead(start, host, line))
        #expect(head.fields.values(named: latin("x-a")) == [latin(value)])
    }

    @Test("repeated list fields keep order and members (H-026)")
    func repeatedList() throws {
        let head = try #require(requestHead(start, host, "X-A: 1, 2", "X-B: 0", "x-a: 3"))
        #expect(head.fields.values(named: latin("X-a")).map { text($0) } == ["1, 2", "3"])
    }

    @Test(
        "a singleton field with two values is refused, an equal repetition is left out (H-026)",
        arguments: ["Authorization", "Range", "If-Range", "Max-Forwards"]
    )
    func singletons(name: String) throws {
        #expect(outcome(start, host, "\(name): a", "\(name.lowercased()): b")?.status == 400)
        let head = try #require(requestHead(start, host, "\(name): a", "X: y", "\(name): a"))
        #expect(head.fields.values(named: latin(name)) == [latin("a")])
    }

    @Test("a field line of 16 KiB and a section of 64 KiB are accepted, more gets 431 while reading (H-027)")
    func sectionLimit() {
        let line = "X-A: " + String(repeating: "v", count: 16 * 1024)
        #expect(parse(latin("\(start)\r\n\(host)\r\n\(line)\r\n\r\n")).0.status == nil)
        let endless = latin("\(start)\r\n\(host)\r\nX-A: " + String(repeating: "v", count: 70_000))
        #expect(parse(endless).0 == .failed(.sectionTooLarge(limit: 65_536)))
        #expect(parse(endless).0.status == 431)
        #expect(parse(endless, cuts: Array(0..<endless.count)).0 == .failed(.sectionTooLarge(limit: 65_536)))
        let fits = "X-A: " + String(repeating: "v", count: 65_536 - host.utf8.count - 2 - 4 - 5)
        let bytes = latin("\(start)\r\n\(host)\r\n\(fits)\r\n\r\n")
        #expect(parse(bytes).0 == .complete(consumed: bytes.count))
        #expect(parse(latin("\(start)\r\n\(host)\r\n\(fits)v\r\n\r\n")).0.status == 431)
    }

    @Test("256 fields are accepted, the 257th gets 431 (H-028)")
    func fieldCount() {
        let lines = (1..<256).map { "X-\($0): v\r\n" }.joined()
        #expect(parse(latin("\(start)\r\n\(host)\r\n\(lines)\r\n")).0.status == nil)
        let outcome = parse(latin("\(start)\r\n\(host)\r\n\(lines)X: v\r\n\r\n")).0
        #expect(outcome == .failed(.tooManyFields(limit: 256)))
        #expect(outcome.status == 431)
    }

    @Test(
        "a name that could be taken for a framing field is left out (H-029)",
        arguments: ["Transfer_Encoding: chunked", "content_length: 5", "CONTENT_LENGTH: 5"]
    )
    func underscores(line: String) throws {
        let head = try #require(requestHead(start, host, line, "X_Other: 1"))
        #expect(head.framing == .none)
        #expect(head.fields.lines.map { text(head.fields.name(of: $0)) } == ["Host", "X_Other"])
    }

    @Test("known fields are found in any case, others are not taken for them")
    func knownFields() throws {
        for field in KnownField.allCases where ![.host, .contentLength, .transferEncoding, .expect].contains(field) {
            let name = text(field.bytes)
            for spelling in [name, name.lowercased(), name.uppercased()] {
                let head = try #require(requestHead(start, host, "\(spelling): 1"))
                #expect(head.fields.text(of: field) == "1")
            }
            let other = try #require(requestHead(start, host, "\(name)x: 1", "x\(name): 1", "\(name.dropLast())~: 1"))
            #expect(!other.fields.contains(field) || field == .te)
        }
    }

    @Test("a field line takes 16 bytes; a name too long for it is refused, never cut")
    func nameLimit() {
        #expect(MemoryLayout<Fields.Line>.stride == 16)
        var limits = ParserLimits()
        limits.headerSection = 1 << 20
        func named(_ count: Int) -> Outcome {
            let name = String(repeating: "n", count: count)
            return parse(latin("GET / HTTP/1.1\r\n\(host)\r\n\(name): v\r\n\r\n"), limits: limits).0
        }
        #expect(!named(Fields.Line.nameLimit).isFailure)
        #expect(named(Fields.Line.nameLimit + 1) == .failed(.badFieldName))
    }

    @Test("limits are those of the settings")
    func ownLimits() {
        var limits = ParserLimits()
        limits.headerFields = 1
        limits.requestTarget = 4
        #expect(outcome("GET /123 HTTP/1.1", host, limits: limits)?.isFailure == false)
        #expect(outcome("GET /1234 HTTP/1.1", host, limits: limits) == .failed(.targetTooLong(limit: 4)))
        #expect(outcome("GET / HTTP/1.1", host, "X: y", limits: limits) == .failed(.tooManyFields(limit: 1)))
        limits.headerSection = 20
        #expect(outcome("GET / HTTP/1.1", host, limits: limits)?.isFailure == false)
        #expect(outcome("GET / HTTP/1.1", "Host: aa.example", limits: limits)?.isFailure == false)
        limits.headerSection = 18
        #expect(outcome("GET / HTTP/1.1", host, limits: limits) == .failed(.sectionTooLarge(limit: 18)))
    }
}
