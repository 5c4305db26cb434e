import Testing

@testable import Commands

/// How output is aligned, escaped and made readable.
struct TableTests {
    @Test("a table is aligned for a person, separated by tabs for a program")
    func tables() {
        let table = Table(titles: ["A", "SIZE", "URL"], widths: [3, 6, 1])
        let rows: [[Table.Cell]] = [
            [.state("fresh"), .bytes(2048), Table.Cell("http://h/")], [.none, .bytes(nil), Table.Cell("u")],
        ]
        #expect(table.text(rows, isTerminal: false, hasColor: false) == "fresh\t2048\thttp://h/\n-\t-\tu\n")
        #expect(
            table.text(rows, isTerminal: true, hasColor: false)
                == "fresh  2.0 KiB  http://h/\n-      -        u\n"
        )
        #expect(table.text(rows, isTerminal: true, hasColor: true).contains("\u{1B}[32mfresh\u{1B}[0m"))
        #expect(table.heading(isTerminal: true, hasColor: false) == "A    SIZE    URL\n")
        #expect(table.heading(isTerminal: false, hasColor: false).isEmpty)
    }

    @Test("nothing of a peer moves a terminal's cursor (H-159)")
    func printable() {
        #expect(
            Console.printable("a\u{1B}[31mb\nc\td\u{202E}e\u{85}é")
                == "a\u{FFFD}[31mb\u{FFFD}c\u{FFFD}d\u{FFFD}e\u{FFFD}é"
        )
        let cell = Table.Cell("x\ty")
        #expect(!cell.plain.contains("\t"))
    }

    @Test(
        "bytes are told in the largest unit",
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (150 << 10, "150 KiB"),
            (4 << 30, "4.0 GiB"), (1 << 50, "1024 TiB"),
        ] as [(Int64, String)]
    )
    func bytes(count: Int64, text: String) { #expect(Table.Cell.readable(bytes: count) == text) }

    @Test(
        "times are told in their two largest units",
        arguments: [
            (0, "0s"), (59, "59s"), (61, "1m 1s"), (3600, "1h"), (90_061, "1d 1h"), (-5, "-5s"),
            (.min, "-106751991167300d 15h"),
        ] as [(Int64, String)]
    )
    func times(seconds: Int64, text: String) { #expect(Table.Cell.readable(seconds: seconds) == text) }
}
