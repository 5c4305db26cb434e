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
            (Array("\u{7F}".utf8), #""\x7f""#), (Array("a b".utf8), #""a b""#), (Array("!a~".utf8), "!a~"),
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
        for (count, isWhole) in [(2048, true), (2049, false)] {
            output = []
            LogEscaping.append([UInt8](repeating: 0x61, count: count), to: &output)
            #expect((output == [UInt8](repeating: 0x61, count: count)) == isWhole, "\(count) bytes")
        }
        #expect(String(decoding: output, as: UTF8.self).hasSuffix("a…(2049 bytes)\""))
        #expect(output.filter { $0 == 0x61 }.count == 2048)
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
