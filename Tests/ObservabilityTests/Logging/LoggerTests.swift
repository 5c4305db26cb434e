import Locking
import Testing

@testable import Observability

/// Keeps what a logger writes.
private final class Output: Sendable {
    private let lines = Lock<[String]>([])

    func write(_ bytes: [UInt8]) { lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } }

    var text: [String] { lines.withLock { $0 } }

    func logger(_ level: LogLevel = .info, _ format: LogFormat = .text) -> Logger {
        Logger(level: level, format: format, output: { self.write($0) }, clock: { 1_700_000_000_123 })
    }
}

@Suite struct LoggerTests {
    @Test("the more important level is the lesser one")
    func order() {
        #expect(LogLevel.allCases.sorted() == [.error, .warning, .info, .debug])
        #expect(LogLevel.error < .debug && !(LogLevel.info < .info))
    }

    @Test("a line has time, level, sentence and values in order")
    func textLine() {
        let output = Output()
        output.logger().info(
            "upstream failed",
            ["origin": "http://a/", "attempts": 3, "again": true, "after": Duration.milliseconds(1500), "why": "a b"]
        )
        #expect(
            output.text == [
                "2023-11-14T22:13:20.123Z info upstream failed origin=http://a/ attempts=3 again=true after=1.5s why=\"a b\"\n"
            ]
        )
    }

    @Test("a line of JSON is one object")
    func jsonLine() {
        let output = Output()
        output.logger(.info, .json).warning("disk full", ["path": "/a\"b\n", "free": 0])
        #expect(
            output.text == [
                #"{"time":"2023-11-14T22:13:20.123Z","level":"warning","message":"disk full","path":"/a\"b\n","free":0}"#
                    + "\n"
            ]
        )
    }

    @Test("what somebody has asked for is written whatever the level")
    func told() {
        let output = Output()
        output.logger(.error).always("core", ["category": "cache", "text": "a b"])
        #expect(output.text == ["2023-11-14T22:13:20.123Z info core category=cache text=\"a b\"\n"])
    }

    @Test("less important lines are not written, nor are their values made")
    func levels() {
        let output = Output()
        let logger = output.logger(.warning)
        func fail() -> String {
            Issue.record("made")
            return ""
        }
        logger.info("hidden", ["a": fail()])
        logger.debug("hidden")
        logger.error("shown")
        logger.level = .debug
        logger.debug("shown too")
        #expect(output.text.count == 2)
        #expect(logger.level == .debug)
    }

    @Test(
        "values of a peer cannot end, forge or colour a line (H-159)",
        arguments: [
            (Array("a\nb".utf8), #""a\nb""#), (Array("a\u{1B}[31m".utf8), #""a\x1b[31m""#),
            ([0x61, 0xFF], #""a\xff""#),
            (Array("say \"x\" level=error".utf8), #""say \"x\" level=error""#), (Array(#"a\b"#.utf8), #""a\\b""#),
            ([], #""""#), (Array("\u{9B}31m".utf8), #""\xc2\x9b31m""#),
            (Array("a\u{202E}b".utf8), #""a\xe2\x80\xaeb""#),
            (Array("grün".utf8), "\"grün\""), (Array("a=b".utf8), #""a=b""#),
            (Array("\u{2028}".utf8), #""\xe2\x80\xa8""#),
            ([0xC0, 0x8A], #""\xc0\x8a""#), ([0xED, 0xA0, 0x80], #""\xed\xa0\x80""#), ([0xE2, 0x82], #""\xe2\x82""#),
        ] as [([UInt8], String)]
    )
    func escaping(bytes: [UInt8], expected: String) {
        var output: [UInt8] = []
        LogEscaping.append(bytes, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == expected)
    }

    @Test("a value's length is bounded (H-159)")
    func longValues() {
        var output: [UInt8] = []
        LogEscaping.append([UInt8](repeating: 0x61, count: 1 << 20), to: &output)
        #expect(output.count < 2200)
        #expect(String(decoding: output, as: UTF8.self).hasSuffix("…(1048576 bytes)\""))
    }

    @Test(
        "times are RFC 3339",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"), (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
        ] as [(Int64, String)]
    )
    func times(milliseconds: Int64, expected: String) {
        var output: [UInt8] = []
        Timestamp.append(milliseconds: milliseconds, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == expected)
    }

    @Test("lines of many threads stay whole")
    func threads() async {
        let output = Output()
        let logger = output.logger()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<8 { group.addTask { for _ in 0..<100 { logger.info("line", ["task": index]) } } }
        }
        #expect(output.text.count == 800)
        #expect(output.text.allSatisfy { $0.hasSuffix("\n") && $0.contains(" info line task=") })
    }
}

@Suite struct AccessLogTests {
    @Test("a request is one line, its secrets left out (H-158)")
    func line() {
        let secrets = SecretParameters(["Token", "sig"])
        let entry = AccessLogEntry(
            milliseconds: 0,
            client: "127.0.0.1",
            method: Array("GET".utf8),
            target: secrets.redacted(Array("http://me:pw@a/x?token=1&b=2&SIG=x%0a&sig".utf8)),
            status: 200,
            contentBytes: 12,
            duration: .milliseconds(2),
            cache: "hit",
            isComplete: true
        )
        #expect(
            String(decoding: entry.line(format: .text), as: UTF8.self)
                == "1970-01-01T00:00:00.000Z info request client=127.0.0.1 method=GET "
                + "target=\"http://a/x?token=…&b=2&SIG=…&sig\" status=200 bytes=12 duration=0.002s cache=hit complete=true\n"
        )
    }

    @Test(
        "a secret parameter is found by the name a server reads, escaped, bracketed, nested or inside a value (H-158)",
        arguments: [
            ("/?%74oken=s", "/?%74oken=…"), ("/?%54%4fKEN=s&a=1", "/?%54%4fKEN=…&a=1"),
            ("/?user[token]=s", "/?user[token]=…"), ("/?user%5Btoken%5D=s", "/?user%5Btoken%5D=…"),
            ("/?a[b][token][]=s&c", "/?a[b][token][]=…&c"), ("/?token[]=s&token[1]=s", "/?token[]=…&token[1]=…"),
            ("/?user.token=s", "/?user.token=…"), ("/?+token=s", "/?+token=…"), ("/?token%20=s", "/?token%20=…"),
            ("/?a=1;token=s;b=2", "/?a=1;token=…;b=2"), ("/x;token=s/y?b", "/x;token=…/y?b"),
            ("/x#token=s", "/x#token=…"), ("http://me:pw@h/x;TOKEN=s", "http://h/x;TOKEN=…"),
            ("/?next=https%3A%2F%2Fh%2F%3Ftoken%3Ds&b=1", "/?next=…&b=1"),
            ("/?next=https%253A%252F%252Fh%252F%253Fuser%255Btoken%255D%253Ds", "/?next=…"),
            ("/?f=%7B%22token%22%3A%22s%22%7D", "/?f=…"), ("/?token%3Ds", "/?…"), ("/?a=b=token=s", "/?a=…"),
            // And no other.
            ("/?tokens=1&mytoken=2&token2=3", "/?tokens=1&mytoken=2&token2=3"), ("/?q=token", "/?q=token"),
            ("/?t%6Fke=1&%zz=%7", "/?t%6Fke=1&%zz=%7"), ("/a=b;c=d/e", "/a=b;c=d/e"), ("/token=1", "/token=1"),
            ("/?a[token2]=1&[]=2&.=3&=4", "/?a[token2]=1&[]=2&.=3&=4"), ("/?u=http://h:80/", "/?u=http://h:80/"),
        ]
    )
    func unescapedNames(target: String, expected: String) {
        let redacted = SecretParameters(["token"]).redacted(Array(target.utf8))
        #expect(String(decoding: redacted, as: UTF8.self) == expected)
    }

    @Test(
        "only user information and secret values are taken from a target",
        arguments: [
            ("/a@b", "/a@b"), ("http://a/b@c", "http://a/b@c"), ("http://a@b@c/", "http://c/"),
            ("/?x=://u@h", "/?x=://u@h"),
            ("", ""), ("?", "?"), ("/?token", "/?token"), ("/?token=", "/?token=…"), ("a:1@b:443", "a:1@b:443"),
        ]
    )
    func redaction(target: String, expected: String) {
        let redacted = SecretParameters(["token"]).redacted(Array(target.utf8))
        #expect(String(decoding: redacted, as: UTF8.self) == expected)
    }
}
