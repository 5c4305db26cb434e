import Testing

@testable import Observability

/// The latest lines of a log.
struct RecentLinesTests {
    private static func texts(_ lines: RecentLines, behind number: Int64 = 0) -> [String] {
        lines.lines(behind: number).lines.map { String(decoding: $0.text, as: UTF8.self) }
    }

    @Test(
        "the latest lines are kept with time, level and escaped values, in both formats of the log alike",
        arguments: LogFormat.allCases
    )
    func kept(format: LogFormat) {
        let log = Logger(level: .info, format: format, output: { _ in }, clock: { 1_700_000_000_123 })
        log.warning("it is odd", ["what": "a\nb", "count": 3])
        log.debug("not logged")
        log.always("core", ["category": "cache"])
        #expect(Self.texts(log.recent) == [#"it is odd what="a\nb" count=3"#, "core category=cache"])
        let first = log.recent.lines(behind: 0).lines.first
        #expect(first?.level == .warning)
        #expect(first.map { String(decoding: $0.time, as: UTF8.self) } == "2023-11-14T22:13:20.123Z")
    }

    @Test("older lines go, numbers go on, and whoever has missed lines learns it")
    func ring() {
        let lines = RecentLines(from: 100)
        #expect(lines.latest == 99 && lines.lines(behind: 99).lines.isEmpty)
        for number in 0..<(RecentLines.capacity + 3) { lines.add(0, .info, Array("\(number)".utf8)) }
        let all = lines.lines(behind: 0)
        #expect(all.lines.map(\.number) == Array(103..<(103 + Int64(RecentLines.capacity))))
        #expect(Self.texts(lines).first == "3" && Self.texts(lines).last == "\(RecentLines.capacity + 2)")
        #expect(all.hasGap && lines.lines(behind: 101).hasGap)
        #expect(!lines.lines(behind: 102).hasGap && !lines.lines(behind: lines.latest).hasGap)
        #expect(Self.texts(lines, behind: lines.latest - 1) == ["\(RecentLines.capacity + 2)"])
        #expect(lines.lines(behind: 1 << 60).lines.isEmpty)
    }

    @Test("a line of any length takes a bounded place")
    func long() {
        #expect(RecentLines.capacity == 500 && RecentLines.lineLimit == 4096)
        let lines = RecentLines(from: 1)
        lines.add(0, .info, Array(repeating: UInt8(ascii: "x"), count: 100_000))
        #expect(lines.lines(behind: 0).lines.first?.text.count == RecentLines.lineLimit + 3)
        lines.add(0, .info, Array(repeating: UInt8(ascii: "x"), count: RecentLines.lineLimit))
        #expect(lines.lines(behind: 1).lines.first?.text.count == RecentLines.lineLimit)
    }
}
