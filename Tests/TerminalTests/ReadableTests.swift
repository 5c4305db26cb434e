import Testing

@testable import Terminal

/// Numbers, times and texts as people and shells read them.
@Suite struct ReadableTests {
    @Test(
        "a size has its largest unit, with a tenth below a hundred of it",
        arguments: [
            (1, "1 B"), (1_048_063, "1023 KiB"), (1_048_064, "1.0 MiB"), (102_348, "99.9 KiB"), (102_349, "100 KiB"),
            (1_073_217_535, "1023 MiB"), (1_073_217_536, "1.0 GiB"), (1 << 40, "1.0 TiB"), (-1, "-1 B"),
        ] as [(Int64, String)]
    )
    func sizes(count: Int64, text: String) {
        #expect(Table.Cell.readable(bytes: count) == text)
        #expect(Table.Cell.bytes(count).human == text && Table.Cell.bytes(count).plain == "\(count)")
    }

    @Test(
        "a time has its two largest units",
        arguments: [
            (1, "1 s"), (60, "1 min"), (3599, "59 min 59 s"), (3601, "1 h 1 s"), (3660, "1 h 1 min"),
            (3661, "1 h 1 min"),
            (86_399, "23 h 59 min"), (86_400, "1 d"), (90_000, "1 d 1 h"), (-61, "-1 min 1 s"),
        ] as [(Int64, String)]
    )
    func seconds(seconds: Int64, text: String) {
        #expect(Table.Cell.readable(seconds: seconds) == text)
        #expect(Table.Cell.seconds(seconds).human == text && Table.Cell.seconds(seconds).plain == "\(seconds)")
    }

    @Test(
        "roughly, a time has its largest unit",
        arguments: [
            (0, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (86_400, "24 h"),
            (172_799, "47 h"),
            (172_800, "2 d"), (-90, "-1 min"),
        ] as [(Int64, String)]
    )
    func roughly(seconds: Int64, text: String) {
        #expect(Table.Cell.rough(seconds: seconds) == text && Table.Cell.roughly(seconds).human == text)
    }

    @Test(
        "a share is rounded, and below one percent said so",
        arguments: [
            (1, 100, "1 %"), (1, 101, "below 1 %"), (3, 200, "2 %"), (199, 200, "99 %"), (0, 1, "0 %"), (2, 1, "200 %"),
        ]
            as [(Int64, Int64, String)]
    )
    func shares(part: Int64, whole: Int64, text: String) {
        #expect(Table.Cell.percent(part, of: whole) == text)
        #expect(
            Table.Cell.part(part, of: whole).human == "\(part), \(text)"
                && Table.Cell.part(part, of: whole).plain == "\(part)"
        )
        #expect(Table.Cell.size(part, of: whole).human == "\(part) B, \(text)")
    }

    @Test("of nothing there is no share, and what is unknown is a dash")
    func unknown() {
        #expect(Table.Cell.part(5, of: 0).human == "5" && Table.Cell.part(5, of: nil).human == "5")
        #expect(Table.Cell.size(5, of: 0).human == "5 B" && Table.Cell.size(5, of: nil).human == "5 B")
        for cell in [
            Table.Cell.bytes(nil), .count(nil), .seconds(nil), .roughly(nil), .ago(nil), .state(nil),
            .microseconds(nil),
            .microseconds(-1), .part(nil, of: 5), .size(nil, of: 5),
        ] { #expect(cell.plain == "-") }
        #expect(Table.Cell.microseconds(0).human == "0 µs")
    }

    @Test(
        "the states have their colours",
        arguments: [("fresh", 32), ("stale", 33), ("loading", 36), ("error", 31), ("other", nil)] as [(String, Int?)]
    )
    func states(state: String, color: Int?) { #expect(Table.Cell.state(state).color == color) }

    @Test("one thing has no s", arguments: [(0, "0 hits"), (1, "1 hit"), (2, "2 hits")])
    func plurals(count: Int, text: String) { #expect(Plural.text(count, "hit") == text) }

    @Test(
        "a shell reads a text as it is; one without special characters is bare",
        arguments: [
            ("azAZ09_", "azAZ09_"), ("+,-./:", "+,-./:"), ("", "''"), ("a b", "'a b'"), ("*", "'*'"), (";", "';'"),
            ("@", "'@'"), ("[", "'['"), ("`", "'`'"), ("{", "'{'"), ("it's", "'it'\\''s'"), ("é", "'é'"), ("^", "'^'"),
            ("~", "'~'"), ("a\\", "'a\\'"),
        ]
    )
    func shells(text: String, quoted: String) { #expect(ShellText.quoted(text) == quoted) }

    @Test(
        "fish reads a text as it is",
        arguments: [("a b", "'a b'"), ("it's", "'it\\'s'"), ("a\\b", "'a\\\\b'"), ("", "''")]
    )
    func fish(text: String, quoted: String) { #expect(ShellText.fishQuoted(text) == quoted) }

    @Test("what is shorter than the screen is given back, and so are the messages that waited")
    func pages() throws {
        var output = try #require(PagedOutput(environment: ["PAGER": "cat >/dev/null; true"], rows: 3, columns: 10))
        #expect(output.write(Array("a\nb\n".utf8)) && output.finish() == Array("a\nb\n".utf8))
        output.complain("later")
        #expect(output.complaints == ["later"])
    }
}
