import HTTPCore
import Testing

@testable import HostLists

/// Lists of hosts: which hosts a text lists.
@Suite struct HostListTests {
    private static func contains(_ text: String, _ url: String) throws -> Bool {
        try HostList(parsing: Array(text.utf8)).contains(TargetURI(parsing: url))
    }

    @Test(
        "a name is that host, `.name` and `||name^` are also all below it, `*.name` is all below it",
        arguments: [
            ("ads.example", "http://ads.example/", true), ("ads.example", "https://ads.example:8443/x?y", true),
            ("ads.example", "http://a.ads.example/", false), ("ads.example", "http://example/", false),
            ("ads.example", "http://bads.example/", false), ("ads.example", "http://ads.example.test/", false),
            (".ads.example", "http://ads.example/", true), (".ads.example", "http://a.b.ads.example/", true),
            (".ads.example", "http://bads.example/", false), ("*.ads.example", "http://ads.example/", false),
            ("*.ads.example", "http://a.b.ads.example/", true), ("||ads.example^", "http://ads.example/", true),
            ("||ads.example^", "http://a.ads.example/", true), (".example", "http://any.example/", true),
            ("ADS.Example.", "http://ads.example/", true), ("ads.example", "http://ADS.example./", true),
            ("a_b.example", "http://a_b.example/", true), ("localhost", "http://localhost/", true),
            ("ads.example\n.ads.example", "http://a.ads.example/", true),
            (".ads.example\nads.example", "http://a.ads.example/", true),
        ] as [(String, String, Bool)]
    )
    func names(text: String, url: String, expected: Bool) throws {
        #expect(try Self.contains(text, url) == expected)
    }

    @Test(
        "an address is listed however it is written",
        arguments: [
            ("192.0.2.1", "http://192.0.2.1/", true), ("192.0.2.1", "http://[::ffff:192.0.2.1]/", true),
            ("::ffff:192.0.2.1", "http://192.0.2.1/", true), ("2001:db8::1", "http://[2001:DB8:0:0::1]/", true),
            ("[2001:db8::1]", "http://[2001:db8::1]:81/", true), ("192.0.2.1", "http://192.0.2.10/", false),
            (".2.1", "http://192.0.2.1/", false), ("0.0.0.0 192.0.2.1", "http://192.0.2.1/", true),
        ] as [(String, String, Bool)]
    )
    func addresses(text: String, url: String, expected: Bool) throws {
        #expect((try? Self.contains(text, url)) ?? false == expected)
    }

    @Test("a file of hosts lists its names behind 0.0.0.0 and loopback, without the usual ones")
    func hostsFile() throws {
        let text = """
            \u{FEFF}# Title: a list
            127.0.0.1 localhost
            127.0.0.1\tlocalhost.localdomain local
            255.255.255.255 broadcasthost
            ::1 localhost ip6-localhost # usual
            fe80::1%lo0 localhost
            ff02::1 ip6-allnodes
            0.0.0.0 0.0.0.0\r

              0.0.0.0   ads.example  tracker.example   # two
            127.0.0.1 spy.example\r
            :: six.example
            [Adblock Plus 2.0]
            ! a comment
            ||block.example^
            """
        let list = try HostList(parsing: Array(text.utf8))
        #expect(list.count == 5)
        for name in ["ads", "tracker", "spy", "six", "block"] {
            #expect(list.contains(try TargetURI(parsing: "http://\(name).example/")), "\(name)")
        }
        for name in ["localhost", "broadcasthost", "local", "two", "title"] {
            #expect(!list.contains(try TargetURI(parsing: "http://\(name)/")), "\(name)")
        }
    }

    @Test(
        "an empty list, and one of comments, lists nothing",
        arguments: ["", "\n\n", "# a", "\u{FEFF}", "  \t", "! x\r\n"]
    )
    func empty(text: String) throws {
        #expect(try HostList(parsing: Array(text.utf8)).count == 0)
        #expect(try !Self.contains(text, "http://a.example/"))
    }

    @Test(
        "a line that is not understood is a fault with its number, the text and the remedy",
        arguments: [
            ("a.example b.example", "a line is one host"), ("http://a.example/", "a list has hosts alone"),
            ("a.example:80", "a list has hosts alone"), ("a..example", "no name of a host"), (".", "no name of a host"),
            ("..", "no name of a host"), ("*", "a `*` stands at the beginning"), ("a.*.example", "a `*` stands"),
            ("*a.example", "a `*` stands"), ("@@||a.example^", "exceptions have no place"),
            ("||a.example^$third-party", "no name of a host"), ("bücher.example", "names are in ASCII"),
            ("a.example##.ad", "no name of a host"), ("192.0.2.1 a.example", "may be before a host"),
            ("0.0.0.0 a/b", "a list has hosts alone"), ("/ads/", "a list has hosts alone"),
            ("||^", "no name of a host"), ("192.0.2.0/24", "no ranges of addresses"),
            ("2001:db8::/32", "no ranges of addresses"), ("127.1", "no name of a host"), ("1", "no name of a host"),
            ("a.0x7f", "no name of a host"), (".192.0.2.1", "no name of a host"), ("0.0.0.0 1.2", "no name of a host"),
            ("a\u{0}b", "no name of a host"), (String(repeating: "a", count: 64) + ".example", "no name of a host"),
            (String(repeating: "a.", count: 127) + "a", "no name of a host"), ("-", ""),
        ]
    )
    func faults(line: String, reason: String) throws {
        let text = Array("a.example\n# second\n\(line)\nb.example".utf8)
        guard !reason.isEmpty else {
            #expect(try HostList(parsing: text).count == 3)
            return
        }
        let fault = #expect(throws: HostListFault.self) { try HostList(parsing: text) }
        #expect(fault?.line == 3)
        #expect(fault?.userMessage.contains(reason) == true, "\(String(describing: fault))")
        #expect(fault?.text.map { line.contains($0) || $0.contains(line) } ?? true)
    }

    @Test(
        "a line that looks like no list is not shown, and neither is the first one",
        arguments: [
            ("a.example\n||x.example^$third-party", "||x.example^$third-party"), ("a.example\n@@x\r\n", "@@x"),
            ("# a\nx y", "x y"), ("a b", nil), ("@@||a.example^", nil), ("a\nkey = \"hunter2\"", nil),
            ("a\nx y+z=", nil), ("a\n" + String(repeating: "a", count: 64), nil), ("a\nx/" + "\u{E9}", nil),
        ] as [(String, String?)]
    )
    func shown(text: String, expected: String?) {
        let fault = #expect(throws: HostListFault.self) { try HostList(parsing: Array(text.utf8)) }
        #expect(fault?.text == expected)
    }

    @Test("lines that name nothing take no room")
    func emptyLines() {
        let text = Array("\n\n# a\n! b\n\r\n\t\na.example\nb.example".utf8)
        #expect(HostListParser.expectedNames(text.span) == 2)
    }

    @Test("200,000 names spread: a look-up takes few steps")
    func spread() {
        var table = HostTable(expected: 200_000, bytes: 0)
        for number in 0..<200_000 {
            let name = Array("host-\(number).a\(number % 7).example".utf8)
            table.insert(name.span, .itself)
        }
        table.finish()
        // With three of four slots in use the longest run has about 300 of them.
        #expect(table.count == 200_000 && table.longestRun < 3000)
    }

    @Test("many names are all found, and no other is")
    func many() throws {
        let text = (0..<5000).map { "host-\($0).a\($0 % 7).example" }.joined(separator: "\n")
        let list = try HostList(parsing: Array(text.utf8))
        #expect(list.count == 5000)
        for number in 0..<5000 {
            #expect(list.contains(try TargetURI(parsing: "http://host-\(number).a\(number % 7).example/")))
            #expect(!list.contains(try TargetURI(parsing: "http://host-\(number).a\((number + 1) % 7).example/")))
        }
        // A name has about 19 bytes here.
        #expect(list.memorySize < 5000 * 40)
    }

    @Test("names that are not in the text of a list twice count once; more names than lines have room")
    func growth() throws {
        let line = "0.0.0.0 " + (0..<500).map { "n\($0).example" }.joined(separator: " ")
        let list = try HostList(parsing: Array("\(line)\n\(line)".utf8))
        #expect(list.count == 500)
        for number in 0..<500 { #expect(list.contains(try TargetURI(parsing: "http://n\(number).example/"))) }
    }

    @Test("lists of one text are equal, and others are not")
    func equality() throws {
        let (one, same) = (try HostList(parsing: [0x61]), try HostList(parsing: [0x61]))
        #expect(one == same)
        #expect(try one != HostList(parsing: [0x62]))
    }
}
