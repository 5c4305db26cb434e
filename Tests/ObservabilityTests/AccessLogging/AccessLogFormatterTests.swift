import HTTPCore
import Testing

@testable import Observability

/// Lines of the access log, in each format.
@Suite struct AccessLogFormatterTests {
    private static func head(_ lines: String...) throws -> RequestHead {
        let bytes = Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
        var parser = RequestParser()
        var head = RequestHead()
        let result = parser.parse(bytes.span, into: &head)
        try #require(result == .complete(consumed: bytes.count), "\(lines)")
        return head
    }

    private static func entry(_ milliseconds: Int64 = 0) -> AccessLogEntry {
        AccessLogEntry(
            milliseconds: milliseconds,
            client: .v4(0x7F00_0001),
            version: .http11,
            status: 200,
            contentBytes: 12,
            duration: 2_000_000,
            outcome: "hit",
            isComplete: true
        )
    }

    private static func line(
        _ format: AccessLogFormat,
        _ head: RequestHead,
        _ entry: AccessLogEntry = entry(),
        behind prefix: String = "",
        _ notes: AccessLogNotes? = nil
    ) -> String {
        var formatter = AccessLogFormatter(format: format, secrets: SecretParameters(["Token", "sig"]))
        var output: [UInt8] = []
        formatter.append(entry, of: head, behind: Array(prefix.utf8), notes, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test("a request is one line, its secrets left out (H-158)")
    func text() throws {
        let head = try Self.head("GET http://a.example/x?token=1&b=2&SIG=x%0a&sig HTTP/1.1", "Host: a.example")
        #expect(
            Self.line(.text, head)
                == "1970-01-01T00:00:00.000Z info request client=127.0.0.1 method=GET "
                + "target=\"http://a.example/x?token=…&b=2&SIG=…&sig\" status=200 bytes=12 duration=0.002000s cache=hit complete=true\n"
        )
    }

    @Test("reason, rule, service and User-Agent are there if they are known")
    func notes() throws {
        var entry = Self.entry(1_700_000_000_007)
        let notes = AccessLogNotes(reason: "uri-miss", rule: "rule 1", service: "github")
        (entry.outcome, entry.isComplete, entry.client, entry.duration) = ("miss", false, nil, 61_000_001_999)
        let head = try Self.head("GET /x HTTP/1.1", "Host: a", "User-Agent: curl/8 \"x\"")
        #expect(
            Self.line(.text, head, entry, notes)
                == "2023-11-14T22:13:20.007Z info request client=unix method=GET target=/x status=200 bytes=12 "
                + "duration=61.000001s cache=miss complete=false agent=\"curl/8 \\\"x\\\"\" "
                + "reason=uri-miss rule=\"rule 1\" service=github\n"
        )
        #expect(
            Self.line(.json, head, entry, notes)
                == #"{"time":"2023-11-14T22:13:20.007Z","level":"info","message":"request","client":"unix","#
                + #""method":"GET","target":"/x","status":200,"bytes":12,"duration":61.000001,"cache":"miss","#
                + #""complete":false,"agent":"curl/8 \"x\"","reason":"uri-miss","rule":"rule 1","service":"github"}"#
                + "\n"
        )
    }

    @Test("the combined format is that of Apache and nginx; no secret is in its Referer (H-158)")
    func combined() throws {
        let head = try Self.head(
            "POST /x?q=\"a\" HTTP/1.0",
            "Host: a",
            "User-Agent: Mozilla/5.0 (X11)",
            "Referer: http://b.example/?token=1"
        )
        var entry = Self.entry(951_782_400_999)
        entry.version = .http10
        entry.client = IPAddress(host: Array("[2001:db8::1]".utf8).span)
        #expect(
            Self.line(.combined, head, entry)
                == "2001:db8::1 - - [29/Feb/2000:00:00:00 +0000] \"POST /x?q=\\\"a\\\" HTTP/1.0\" 200 12 "
                + "\"http://b.example/?token=…\" \"Mozilla/5.0 (X11)\"\n"
        )
        #expect(
            Self.line(.combined, try Self.head("GET / HTTP/1.1", "Host: a"))
                == "127.0.0.1 - - [01/Jan/1970:00:00:00 +0000] \"GET / HTTP/1.1\" 200 12 \"-\" \"-\"\n"
        )
    }

    @Test("inside a CONNECT the target is the whole URI")
    func prefix() throws {
        let head = try Self.head("GET /x HTTP/1.1", "Host: a")
        #expect(Self.line(.text, head, behind: "https://a.example").contains(" target=https://a.example/x status="))
    }

    @Test(
        "nothing that a client sends ends, forges or colours a line (H-159)",
        arguments: AccessLogFormat.named
    )
    func escaping(format: AccessLogFormat) throws {
        let head = try Self.head(
            "GET /x?a=1&b=c HTTP/1.1",
            "Host: a",
            "User-Agent: a\u{9B}31m\u{202E}\\\" 200\tb"
        )
        let line = Self.line(format, head)
        #expect(line.count { $0 == "\n" } == 1)
        #expect(!line.contains("\u{202E}") && !line.contains("\u{9B}") && !line.contains("\t"))
        #expect(line.contains(#"\\\" 200"#))
    }

    @Test("a long value is cut off (H-159)", arguments: AccessLogFormat.named)
    func length(format: AccessLogFormat) throws {
        let head = try Self.head("GET / HTTP/1.1", "Host: a", "User-Agent: " + String(repeating: "a", count: 5000))
        #expect(Self.line(format, head).utf8.count < 2500)
    }

    @Test("the longest values of all parts together have room", arguments: AccessLogFormat.named)
    func room(format: AccessLogFormat) throws {
        let value = String(repeating: "\u{1F600}\u{202E}\\", count: 400)
        let head = try Self.head(
            "\(String(repeating: "M", count: 32)) /\(String(repeating: "%5C\"", count: 900)) HTTP/1.1",
            "Host: a",
            "User-Agent: \(value)",
            "Referer: \(value)"
        )
        let entry = AccessLogEntry(
            milliseconds: .max,
            client: IPAddress(host: Array("[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]".utf8).span),
            version: .http11,
            status: .max,
            contentBytes: .max,
            duration: .max,
            outcome: "revalidated",
            isComplete: false
        )
        let notes = AccessLogNotes(reason: value, rule: value, service: value, user: value)
        #expect(Self.line(format, head, entry, notes).hasSuffix(format == .json ? "}\n" : "\n"))
    }

    @Test("the longest value of one part has room though the others are short, and its length is told")
    func roomOfOne() throws {
        // Each byte takes four.
        let value = String(repeating: "\u{9B}", count: 1500)
        let escaped = String(repeating: #"\xc2\x9b"#, count: 1024) + "…(3000 bytes)"
        let plain = try Self.head("GET / HTTP/1.1", "Host: a")
        let agent = try Self.head("GET / HTTP/1.1", "Host: a", "User-Agent: \(value)")
        let referer = try Self.head("GET / HTTP/1.1", "Host: a", "Referer: \(value)")
        let user = AccessLogNotes(user: value)
        #expect(Self.line(.combined, referer).hasSuffix(" 200 12 \"\(escaped)\" \"-\"\n"))
        #expect(Self.line(.combined, agent).hasSuffix(" 200 12 \"-\" \"\(escaped)\"\n"))
        #expect(Self.line(.combined, plain, Self.entry(0), user).hasPrefix("127.0.0.1 - \(escaped) ["))
        #expect(Self.line(.text, agent).hasSuffix(" agent=\"\(escaped)\"\n"))
        #expect(Self.line(.text, plain, Self.entry(0), user).hasSuffix(" user=\"\(escaped)\"\n"))
        for format in [AccessLogFormat.text, .json] {
            #expect(Self.line(format, referer) == Self.line(format, plain))
        }
        #expect(Self.line(.json, agent).hasSuffix("\"}\n"))
        #expect(Self.line(.json, plain, Self.entry(0), user).hasSuffix("\"}\n"))
        let long = try Self.head("GET /\(String(repeating: "\"", count: 3000)) HTTP/1.1", "Host: a")
        let target = "/" + String(repeating: #"\""#, count: 2047)
        #expect(Self.line(.combined, long).contains(" \"GET \(target)…(3001 bytes) HTTP/1.1\" 200 "))
        #expect(Self.line(.text, long).contains(" target=\"\(target)…(3001 bytes)\" status="))
        #expect(Self.line(.json, long).contains("\"target\":\"\(target)\",\"status\":"))
    }

    @Test("of a method the first 64 letters are written, in every format (H-159)")
    func longMethod() throws {
        var limits = ParserLimits()
        limits.method = 100
        var parser = RequestParser(limits: limits, rules: RequestParser.Rules())
        var head = RequestHead()
        let bytes = Array("\(String(repeating: "M", count: 65)) /x HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8)
        let result = parser.parse(bytes.span, into: &head)
        try #require(result == .complete(consumed: bytes.count))
        let template = try AccessLogTemplate("$request $request_method")
        for format in AccessLogFormat.named + [.template(template)] {
            let runs = Self.line(format, head).split { $0 != "M" }
            #expect(!runs.isEmpty && runs.allSatisfy { $0.count == 64 }, "\(format.text): \(runs)")
        }
    }

    @Test("the user of a login is the third word of the combined format, and a member of the others")
    func user() throws {
        let head = try Self.head("GET /x HTTP/1.1", "Host: a")
        let notes = AccessLogNotes(user: "b\"øb")
        #expect(Self.line(.combined, head, Self.entry(0), notes).hasPrefix("127.0.0.1 - b\\\"øb ["))
        #expect(Self.line(.combined, head).hasPrefix("127.0.0.1 - - ["))
        #expect(Self.line(.text, head, Self.entry(0), notes).hasSuffix(" user=\"b\\\"øb\"\n"))
        #expect(Self.line(.json, head, Self.entry(0), notes).hasSuffix(",\"user\":\"b\\\"øb\"}\n"))
    }

    @Test("the time follows the clock, also backwards")
    func times() throws {
        var formatter = AccessLogFormatter(format: .text, secrets: SecretParameters([]))
        let head = try Self.head("GET / HTTP/1.1", "Host: a")
        let times = [999, 1000, 1999, 61_000, 5, 4_107_542_399_999].map { (milliseconds: Int64) in
            var output: [UInt8] = []
            formatter.append(Self.entry(milliseconds), of: head, to: &output)
            return String(decoding: output.prefix(24), as: UTF8.self)
        }
        #expect(
            times == [
                "1970-01-01T00:00:00.999Z", "1970-01-01T00:00:01.000Z", "1970-01-01T00:00:01.999Z",
                "1970-01-01T00:01:01.000Z", "1970-01-01T00:00:00.005Z", "2100-02-28T23:59:59.999Z",
            ]
        )
    }
}
