import Platform
import Testing

@testable import Terminal

/// How output is aligned, escaped and made readable.
struct TableTests {
    private static let table = Table(titles: ["A", "SIZE", "URL"], widths: [3, 6, 1])

    private static func terminal(_ width: Int? = nil, _ environment: [String: String] = ["NO_COLOR": "1"]) -> Screen {
        Screen(isTerminal: true, columns: width, environment: environment)
    }

    @Test("a table is aligned for a person, separated by tabs for a program")
    func tables() {
        let rows: [[Table.Cell]] = [
            [.state("fresh"), .bytes(2048), Table.Cell("http://h.example/")], [.none, .bytes(nil), Table.Cell("u")],
        ]
        #expect(Self.table.text(rows, on: .none) == "fresh\t2048\thttp://h.example/\n-\t-\tu\n")
        #expect(
            Self.table.text(rows, on: Self.terminal())
                == "fresh  2.0 KiB  http://h.example/\n-      -        u\n"
        )
        #expect(Self.table.text(rows, on: Self.terminal(nil, [:])).contains("\u{1B}[32mfresh\u{1B}[0m"))
        #expect(Self.table.heading(on: Self.terminal()) == "A    SIZE    URL\n")
        #expect(Self.table.heading(on: .none).isEmpty)
    }

    @Test("numbers end at the same place, as do their titles")
    func numbers() {
        let table = Table([Table.Column(title: "SIZE", isNumber: true), Table.Column(title: "URL")])
        let rows: [[Table.Cell]] = [[.bytes(5), Table.Cell("a")], [.bytes(10 << 20), Table.Cell("b")]]
        let layout = TableLayout(table, rows, on: Self.terminal())
        #expect(layout.heading + layout.text(rows) == "    SIZE  URL\n     5 B  a\n10.0 MiB  b\n")
    }

    // MARK: Width

    private static let ranked = Table([
        Table.Column(title: "STATE"), Table.Column(title: "AGE", rank: 2), Table.Column(title: "SIZE", rank: 1),
        Table.Column(title: "URL"),
    ])

    private static let row = [
        Table.Cell("fresh for 2 h", short: "fresh"), Table.Cell("3 min ago"), Table.Cell("12 B"),
        Table.Cell("http://www.example/a/long/path"),
    ]

    @Test(
        "a narrow terminal loses columns by rank, then shows short texts; the URL keeps a third, cut in its middle",
        arguments: [
            (80, "fresh for 2 h  3 min ago  12 B  http://www.example/a/long/path"),
            (50, "fresh for 2 h  3 min ago  12 B  http://w…long/path"),
            (40, "fresh for 2 h  12 B  http://ww…long/path"), (24, "fresh for 2 h  http…path"),
            (20, "fresh  http:/…g/path"), (9, "fresh  h…th"),
        ]
    )
    func narrow(width: Int, line: String) {
        let layout = TableLayout(Self.ranked, [Self.row], on: Self.terminal(width))
        #expect(layout.text([Self.row]) == line + "\n")
        #expect(width < 20 || layout.text([Self.row]).count <= width + 1)
    }

    @Test("a column may have a greatest width")
    func most() {
        let table = Table([Table.Column(title: "TYPE", most: 5), Table.Column(title: "URL")])
        let rows = [[Table.Cell("text/html"), Table.Cell("u")], [Table.Cell("a/b"), Table.Cell("v")]]
        #expect(table.text(rows, on: Self.terminal()) == "te…ml  u\na/b    v\n")
    }

    @Test("a row that is longer than the first ones stays within the line")
    func laterRows() {
        let layout = TableLayout(Self.ranked, [Self.row], on: Self.terminal(50))
        var row = Self.row
        row[2] = Table.Cell("1023 KiB of 1023 MiB")
        #expect(layout.text([row]) == "fresh for 2 h  3 min ago  1023 KiB of 1023 MiB  h…th\n")
        row[2] = Table.Cell("1023 KiB")
        #expect(layout.text([row]).count == 51)
    }

    @Test("long values of a list go on below themselves; with little room they stand below their names")
    func lists() {
        let rows = [
            [Table.Cell("advice"), Table.Cell("a sentence of some words")], [Table.Cell("n"), Table.Cell("1")],
        ]
        #expect(
            Table().text(rows, on: Self.terminal(30)) == "advice  a sentence of some\n        words\nn       1\n"
        )
        #expect(Table().text(rows, on: Self.terminal(20)) == "advice\n  a sentence of some\n  words\nn       1\n")
        let unnamed = [[Table.Cell("a long name"), Table.Cell("1")], [Table.Cell(""), Table.Cell("two words")]]
        #expect(Table().text(unnamed, on: Self.terminal(16)) == "a long name  1\n  two words\n")
        #expect(Table().text(rows, on: .none) == "advice\ta sentence of some words\nn\t1\n")
    }

    @Test(
        "the width is that of COLUMNS, else the terminal's; there are colours unless NO_COLOR or a dumb terminal forbid them",
        arguments: [
            ([:], 80, true), (["COLUMNS": "40"], 40, true), (["COLUMNS": "wide"], 80, true),
            (["COLUMNS": "0"], 80, true), (["NO_COLOR": "1"], 80, false), (["NO_COLOR": ""], 80, true),
            (["TERM": "dumb"], 80, false),
        ] as [([String: String], Int, Bool)]
    )
    func screens(environment: [String: String], width: Int, hasColor: Bool) {
        let screen = Self.terminal(80, environment)
        #expect(screen.width == width && screen.hasColor == hasColor)
        let program = Screen(isTerminal: false, columns: nil, environment: environment)
        #expect(program.width == nil && !program.hasColor)
    }

    @Test(
        "a text that is too long has an ellipsis for its middle",
        arguments: [(0, ""), (1, "…"), (2, "…f"), (3, "a…f"), (5, "ab…ef"), (6, "abcdef"), (7, "abcdef")]
    )
    func shortened(limit: Int, text: String) { #expect("abcdef".shortened(to: limit) == text) }

    // MARK: Values

    @Test("nothing of a peer moves a terminal's cursor (H-159)")
    func printable() {
        #expect(
            Console.printable("a\u{1B}[31mb\nc\td\u{202E}e\u{85}é")
                == "a\u{FFFD}[31mb\u{FFFD}c\u{FFFD}d\u{FFFD}e\u{FFFD}é"
        )
        let cell = Table.Cell("x\ty", short: "\u{1B}")
        #expect(!cell.plain.contains("\t") && cell.short == "\u{FFFD}")
    }

    @Test(
        "bytes are told in the largest unit",
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (150 << 10, "150 KiB"),
            (102_399, "100 KiB"), ((1 << 20) - 1, "1.0 MiB"), (4 << 30, "4.0 GiB"), (1 << 50, "1024 TiB"),
        ] as [(Int64, String)]
    )
    func bytes(count: Int64, text: String) { #expect(Table.Cell.readable(bytes: count) == text) }

    @Test(
        "counts have commas",
        arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1000, "-1,000")]
            as [(Int64, String)]
    )
    func counts(count: Int64, text: String) {
        #expect(Table.Cell.count(count).human == text && Table.Cell.count(count).plain == "\(count)")
    }

    @Test(
        "shares are rounded; only all is 100 %, and only nothing 0 %",
        arguments: [
            (0, 30, "0 %"), (1, 1000, "below 1 %"), (13, 30, "43 %"), (17, 30, "57 %"), (999, 1000, "99 %"),
            (30, 30, "100 %"), (45, 30, "150 %"),
        ] as [(Int64, Int64, String)]
    )
    func shares(part: Int64, whole: Int64, text: String) {
        #expect(Table.Cell.percent(part, of: whole) == text)
    }

    @Test(
        "times are told in their two largest units",
        arguments: [
            (0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (3600, "1 h"), (90_061, "1 d 1 h"), (-5, "-5 s"),
            (.min, "-106751991167300 d 15 h"),
        ] as [(Int64, String)]
    )
    func times(seconds: Int64, text: String) { #expect(Table.Cell.readable(seconds: seconds) == text) }

    @Test(
        "relative times are told in their largest unit, hours up to two days",
        arguments: [
            (-1, "just now"), (0, "just now"), (1, "1 s ago"), (59, "59 s ago"), (60, "1 min ago"),
            (3599, "59 min ago"), (3600, "1 h ago"), (172_799, "47 h ago"), (172_800, "2 d ago"),
        ] as [(Int64, String)]
    )
    func ago(seconds: Int64, text: String) {
        #expect(Table.Cell.ago(seconds).human == text && Table.Cell.ago(seconds).plain == "\(seconds)")
    }
}
