import HTTPCore
import Testing

@testable import Observability

/// Access log lines in a format of one's own.
@Suite struct AccessLogTemplateTests {
    private static func line(
        _ template: String,
        _ lines: String...,
        notes: AccessLogNotes? = nil,
        isComplete: Bool = true
    ) throws -> String {
        let bytes = Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
        var parser = RequestParser()
        var head = RequestHead()
        try #require(parser.parse(bytes.span, into: &head) == .complete(consumed: bytes.count))
        let entry = AccessLogEntry(
            milliseconds: 1_795_000_000_123,
            client: .v4(0x7F00_0001),
            version: .http11,
            status: 200,
            contentBytes: 12,
            duration: 1_002_500_000,
            outcome: "hit",
            isComplete: isComplete
        )
        var formatter = AccessLogFormatter(
            format: .template(try AccessLogTemplate(template)),
            secrets: SecretParameters(["token"])
        )
        var output: [UInt8] = []
        formatter.append(entry, of: head, notes, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test("each variable has its value, and what is missing is a hyphen")
    func values() throws {
        let notes = AccessLogNotes(reason: "uri-miss", rule: "rule 1", service: "here", user: "alice")
        let template = AccessLogTemplate.names.map { "\($0)=\"$\($0)\"" }.joined(separator: ",")
        let line = try Self.line(
            template,
            "GET http://a.example/x?token=geheim HTTP/1.1",
            "Host: a.example",
            "User-Agent: a b",
            "Referer: http://b.example/?token=geheim",
            notes: notes
        )
        let expected = [
            "remote_addr=\"127.0.0.1\"", "remote_user=\"alice\"", "time_local=\"18/Nov/2026:11:06:40 +0000\"",
            "time_iso8601=\"2026-11-18T11:06:40+00:00\"", "msec=\"1795000000.123\"",
            "request=\"GET http://a.example/x?token=… HTTP/1.1\"", "request_method=\"GET\"",
            "request_uri=\"http://a.example/x?token=…\"", "request_time=\"1.002\"", "request_completion=\"OK\"",
            "server_protocol=\"HTTP/1.1\"", "status=\"200\"", "body_bytes_sent=\"12\"", "http_host=\"a.example\"",
            "http_referer=\"http://b.example/?token=…\"", "http_user_agent=\"a b\"", "cache_status=\"hit\"",
            "cache_reason=\"uri-miss\"", "rule=\"rule 1\"", "service=\"here\"",
        ]
        #expect(line == expected.joined(separator: ",") + "\n")
        #expect(
            try Self.line(
                "$remote_user|$rule|$http_referer|$request_completion",
                "GET /x HTTP/1.1",
                "Host: a",
                isComplete: false
            )
                == "-|-|-|-\n"
        )
    }

    @Test("$$ is the sign itself, and braces end a name")
    func text() throws {
        #expect(try Self.line("$$5 ${status}x", "GET /x HTTP/1.1", "Host: a") == "$5 200x\n")
    }

    @Test(
        "no value begins another field or another line, inside quotation marks or not (H-159)",
        arguments: [
            "$http_user_agent|$status", "\"$http_user_agent\" $status", "$status [$http_user_agent]",
            "$http_user_agent $status",
        ]
    )
    func injection(template: String) throws {
        let plain = try Self.line(template, "GET /x HTTP/1.1", "Host: a", "User-Agent: a")
        func fields(_ line: String) -> Int {
            var isQuoted = false
            var isEscaped = false
            var count = 1
            for character in line {
                if isEscaped { isEscaped = false; continue }
                if character == "\\" { isEscaped = true; continue }
                if character == "\"" { isQuoted.toggle() }
                if !isQuoted, " |[]".contains(character) { count += 1 }
            }
            return count
        }
        for agent in [
            "a 500", "a|500", "a\" 500 \"", "a] [b", "a\\", "a\\\" 500", "\u{9B}1m", "\u{2028}x", "|", "a\tb",
        ] {
            let line = try Self.line(template, "GET /x HTTP/1.1", "Host: a", "User-Agent: \(agent)")
            #expect(line.filter { $0 == "\n" }.count == 1 && line.hasSuffix("\n"), "\(line)")
            if !template.contains("|") && agent.contains("|") || !template.contains("[") && agent.contains("]") {
                continue
            }
            #expect(fields(line) == fields(plain), "\(agent): \(line)")
        }
    }

    @Test(
        "a text that is no template is refused with the place",
        arguments: [
            ("$remote_addr $staus", "knows no variable $staus, at character 14", "staus"),
            ("a$", "has $ without a variable, at character 2; write $$ for the sign itself", nil),
            ("ä $ x", "has $ without a variable, at character 3; write $$ for the sign itself", nil),
            ("${status x", "has ${ without }, at character 1", nil),
            ("\"$status", "has a quotation mark without a second one, at character 1", nil),
            ("$status\n", "must be one line without control characters, at character 8", nil),
        ] as [(String, String, String?)]
    )
    func faults(text: String, message: String, name: String?) {
        #expect(throws: AccessLogTemplate.Fault(message: message, unknownName: name)) { try AccessLogTemplate(text) }
    }

    @Test(
        "a text has no control character, the last one of ASCII included, and may have any other character",
        arguments: [
            ("\u{1F}", false), (" ", true), ("~", true), ("\u{7F}", false), ("\u{80}", true), ("\t", false),
        ]
    )
    func controls(sign: String, isAllowed: Bool) throws {
        let text = "$status\(sign)x"
        if isAllowed {
            #expect(try AccessLogTemplate(text).text == text)
        } else {
            let message = "must be one line without control characters, at character 8"
            #expect(throws: AccessLogTemplate.Fault(message: message, unknownName: nil)) {
                try AccessLogTemplate(text)
            }
        }
    }
}
