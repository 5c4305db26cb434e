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
            [
                "origin": "http://a.example/", "attempts": 3, "again": true, "after": Duration.milliseconds(1500),
                "why": "a b",
            ]
        )
        #expect(
            output.text == [
                "2023-11-14T22:13:20.123Z info upstream failed origin=http://a.example/ attempts=3 again=true after=1.5s why=\"a b\"\n"
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

    @Test("each kind of value has its form in text, in JSON and in a field of the journal")
    func kinds() {
        let line = LogLine(
            milliseconds: 0,
            level: .debug,
            message: "m",
            values: [
                "a": "s" as StaticString, "b": Int32(-1), "c": Int64(2), "d": UInt16(3), "e": false,
                "f": Duration.milliseconds(1500), "g": Substring("x"), "h": [0x79] as [UInt8],
            ]
        )
        let text = "m a=s b=-1 c=2 d=3 e=false f=1.5s g=x h=y"
        #expect(
            String(decoding: line.bytes(format: .text), as: UTF8.self)
                == "1970-01-01T00:00:00.000Z debug \(text)\n"
        )
        #expect(
            String(decoding: line.bytes(format: .json), as: UTF8.self)
                == #"{"time":"1970-01-01T00:00:00.000Z","level":"debug","message":"m","a":"s","b":-1,"c":2,"d":3,"#
                + #""e":false,"f":1.5,"g":"x","h":"y"}"# + "\n"
        )
        let fields = line.journalBytes(format: .text).split(separator: 0).dropFirst(2)
        #expect(
            fields.map { String(decoding: $0, as: UTF8.self) } == [
                "RESPITE_A=s", "RESPITE_B=-1", "RESPITE_C=2", "RESPITE_D=3", "RESPITE_E=false", "RESPITE_F=1.5",
                "RESPITE_G=x", "RESPITE_H=y", "MESSAGE=\(text)\n",
            ]
        )
    }

    @Test("in a line of JSON a text has 2048 bytes at most", arguments: [2048, 2049])
    func longJSON(count: Int) {
        let output = Output()
        output.logger(.info, .json).info("long", ["text": String(repeating: "a", count: count)])
        #expect(output.text.first?.hasSuffix(",\"text\":\"\(String(repeating: "a", count: 2048))\"}\n") == true)
    }

    @Test("level and format are those that were set last; without a queue there is nothing to bound or to lose")
    func properties() {
        let output = Output()
        let logger = output.logger()
        for level in LogLevel.allCases {
            logger.level = level
            #expect(logger.level == level)
        }
        for format in [LogFormat.json, .text] {
            logger.format = format
            #expect(logger.format == format)
            logger.info("x")
        }
        #expect(output.text.map { $0.hasPrefix("{") } == [true, false])
        logger.waitingLimit = 5
        #expect(logger.waitingLimit == 0 && logger.waitingBytes == 0 && logger.lostLines == 0)
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
