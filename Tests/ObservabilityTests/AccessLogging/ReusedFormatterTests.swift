import HTTPCore
import Testing

@testable import Observability

/// Lines that one formatter writes one after the other, and the signs that end a value in a format of one's own.
@Suite struct ReusedFormatterTests {
    private static func head(_ lines: String...) throws -> RequestHead {
        let bytes = Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
        var parser = RequestParser()
        var head = RequestHead()
        try #require(parser.parse(bytes.span, into: &head) == .complete(consumed: bytes.count))
        return head
    }

    private static func entry(_ milliseconds: Int64, _ client: IPAddress?, _ duration: Int64 = 0) -> AccessLogEntry {
        AccessLogEntry(
            milliseconds: milliseconds,
            client: client,
            version: .http11,
            status: 200,
            contentBytes: 12,
            duration: duration,
            outcome: "hit",
            isComplete: true
        )
    }

    @Test("no line of a formatter depends on the lines before it")
    func reused() throws {
        let head = try Self.head("GET /x HTTP/1.1", "Host: a.example")
        let template = try AccessLogTemplate("$remote_addr $time_local $time_iso8601 $msec")
        for format in AccessLogFormat.named + [.template(template)] {
            var reused = AccessLogFormatter(format: format, secrets: SecretParameters([]))
            for (milliseconds, client) in [
                (0, .v4(1)), (999, .v4(1)), (1_000, .v4(2)), (86_400_000, nil), (5_005, .v4(2)), (5_050, nil),
            ] as [(Int64, IPAddress?)] {
                var (line, expected): ([UInt8], [UInt8]) = ([], [])
                var new = AccessLogFormatter(format: format, secrets: SecretParameters([]))
                new.append(Self.entry(milliseconds, client), of: head, to: &expected)
                reused.append(Self.entry(milliseconds, client), of: head, to: &line)
                #expect(line == expected, "\(milliseconds)")
            }
        }
    }

    private static func line(_ template: String, _ target: String = "/x", _ duration: Int64 = 0) throws -> String {
        let format = AccessLogFormat.template(try AccessLogTemplate(template))
        var formatter = AccessLogFormatter(format: format, secrets: SecretParameters([]))
        var output: [UInt8] = []
        let head = try Self.head("GET \(target) HTTP/1.1", "Host: a.example")
        formatter.append(Self.entry(0, .v4(1), duration), of: head, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test("seconds have three digits behind the point, and a time before the first is zero")
    func seconds() throws {
        for (nanoseconds, text) in [
            (0, "0.000"), (999_999, "0.000"), (1_000_000, "0.001"), (10_000_000, "0.010"), (100_000_000, "0.100"),
            (1_000_000_000, "1.000"), (61_999_000_000, "61.999"), (-5_000_000, "0.000"),
        ] as [(Int64, String)] {
            #expect(try Self.line("$request_time", "/x", nanoseconds) == "\(text)\n")
        }
    }

    @Test(
        "what stands beside a variable is a separator, unless it is a letter, a digit, a quotation mark or a backslash",
        arguments: [
            ("|", true), ("/", true), (":", true), ("@", true), ("[", true), ("_", true), ("`", true), ("{", true),
            ("0", false), ("9", false), ("A", false), ("Z", false), ("a", false), ("z", false), ("\\", false),
            ("é", false),
        ]
    )
    func separators(sign: String, separates: Bool) throws {
        let bytes = Array(sign.utf8)
        let before = try AccessLogTemplate("x\(sign)${status}").separators
        #expect(before[Int(bytes[bytes.count - 1])] == separates)
        #expect(try AccessLogTemplate("${status}\(sign)x").separators[Int(bytes[0])] == separates)
        #expect(before.count == 256 && before[0x20] && before.count { $0 } == (separates ? 2 : 1))
    }

    @Test("what stands beside no variable, or beside a quoted one, separates nothing")
    func quoted() throws {
        #expect(try AccessLogTemplate("|x $status").separators.count { $0 } == 1)
        #expect(try AccessLogTemplate("\"|$status|\"").separators.count { $0 } == 1)
        #expect(try Self.line("$request_uri|$status", "/a|b") == "/a\\x7cb|200\n")
        #expect(try Self.line("\"$request_uri\"|", "/a|b") == "\"/a|b\"|\n")
    }

    @Test("a name has letters, digits and underscores, and ends before anything else")
    func names() throws {
        for sign in ["-", "/", ":", "@", "[", "`", "{", "."] {
            #expect(try Self.line("$status\(sign)") == "200\(sign)\n")
        }
        for sign in ["a", "Z", "0", "9", "_"] {
            let fault = #expect(throws: AccessLogTemplate.Fault.self) { try AccessLogTemplate("$status\(sign)") }
            #expect(fault?.unknownName == "status\(sign)")
        }
        #expect(try Self.line("$$status") == "$status\n")
    }
}
