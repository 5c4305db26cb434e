import HTTPCore
import Settings
import Testing

@testable import Daemon

/// What commands print, and how they end.
struct CommandTests {
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

    @Test("a value in a query is escaped, whatever it holds")
    func escaping() {
        #expect(ClientCommand.escaped("http://h/a?b=c&d#e%20*é".utf8) == "http://h/a%3Fb%3Dc%26d%23e%2520*%C3%A9")
        #expect(ClientCommand.escaped([0x0A, 0xFF]) == "%0A%FF")
    }

    @Test("what a listing's line lacks is a dash; unknown members do not matter")
    func rows() throws {
        let resource = try JSONReader.parse(Array("{\"uri\":\"http://h/\",\"state\":\"loading\",\"new\":[1]}".utf8))
        #expect(ListCommand.row(resource).map(\.plain) == ["loading", "-", "-", "-", "-", "-", "http://h/"])
    }

    @Test("status tells how each name server answers, and which one is slow or silent")
    func nameServers() throws {
        let json = """
            {"names":{"underWay":3,"refused":2,"servers":[
            {"address":"192.0.2.1:53","questions":40,"answers":38,"timeouts":2,"typicalMicroseconds":12600},
            {"address":"192.0.2.2:53","questions":9,"answers":0,"timeouts":9,"complaint":"it is silent"}]}}
            """
        let rows = StatusCommand.rows(try JSONReader.parse(Array(json.utf8)))
            .map { $0.map(\.plain).joined(separator: ": ") }
        for row in [
            "name look-ups: 3 under way; 2 refused",
            "name server: 192.0.2.1:53: 38 of 40 questions answered, in 13 ms",
            "name server: 192.0.2.2:53: 0 of 9 questions answered", "remark: it is silent",
        ] {
            #expect(rows.contains(row), "\(row) in \(rows)")
        }
    }

    @Test("show tells all variants with their fields")
    func show() throws {
        let json = """
            {"uri":"http://h/","isLoading":true,"error":{"status":502,"message":"refused\\u001b"},"variants":[{"number":0,
            "state":"stale","status":200,"partition":"shared","vary":["accept"],"size":5,"ageSeconds":70,
            "lifetimeSeconds":60,"lifetimeSource":"max-age","ttlSeconds":-10,"isInvalidated":true,"stored":"then",
            "in":"store","fields":[["ETag","\\"x\\""],["odd"]]}]}
            """
        let text = ShowCommand.text(try JSONReader.parse(Array(json.utf8)))
        let under = ShowCommand.text(
            .object([
                .init(name: "isLoading", value: .boolean(true)), .init(name: "progress", value: .real(0.429)),
            ])
        )
        #expect(under.contains("loading   42 %"), "S-220")
        for part in [
            "loading   yes", "502 refused\u{FFFD}", "stale, invalidated", "1m 10s", "1m (max-age)", "ETag: \"x\"",
        ] {
            #expect(text.contains(part), "\(part)")
        }
    }

    @Test(
        "wrong usage and wrong settings are exit code 2",
        arguments: [
            ["show"], ["cat", "a", "b"], ["frobnicate"], ["show", "no-url"], ["purge", "h/x"], ["ls", "--limit", "0"],
            ["status", "--admin", "nowhere"], ["config", "check", "/dev/null/none"],
            ["config", "check", "--set", "a=b"],
        ]
    )
    func usage(words: [String]) { #expect(EntryPoint.run(words) == 2) }

    @Test("a daemon that does not answer is exit code 4", arguments: ["127.0.0.1:1", "unix:/nowhere/socket"])
    func unreachable(address: String) {
        #expect(EntryPoint.run(["status", "--admin", address, "--store", "/nowhere"]) == 4)
    }
}
