@testable import CommandSyntax
import HTTPCore
import Testing

@testable import Settings

@Suite struct ValueTests {
    @Test(
        "durations have units, the larger first",
        arguments: [
            ("500ms", .milliseconds(500)), ("30s", .seconds(30)), ("5m", .seconds(300)), ("1h", .seconds(3600)),
            ("1d", .seconds(86_400)), ("1w", .seconds(604_800)), ("1h30m", .seconds(5400)), ("0", .zero),
            ("1w 2d3h4m5s6ms", .milliseconds(788_645_006)), ("1m1h", nil), ("1h1h", nil), ("1h30", nil), ("h1", nil),
            ("1w9223372036854775807ms", nil), ("1y", nil), ("30s0", nil), ("1 h", .seconds(3600)), ("30", nil),
            ("s", nil), ("-1s", nil),
            ("1.5s", nil), ("1S", nil), ("1s1", nil), ("", nil), ("99999999999999999999s", nil),
            ("9223372036854775807d", nil),
        ] as [(String, Duration?)]
    )
    func durations(text: String, expected: Duration?) {
        #expect(Duration(settingText: text) == expected)
    }

    @Test(
        "sizes have a binary or a decimal unit",
        arguments: [
            ("64KiB", 65_536), ("4GiB", 1 << 32), ("1B", 1), ("0", 0), ("2 MiB", 2 << 20), ("64KB", 64_000),
            ("64kB", 64_000),
            ("10GB", 10_000_000_000), ("1TB", 1_000_000_000_000), ("5MB", 5_000_000), ("1MiB1KiB", nil), ("64", nil),
            ("64kib", nil), ("9223372036854775807TiB", nil), ("+1B", nil),
        ] as [(String, Int?)]
    )
    func sizes(text: String, expected: Int?) {
        #expect(ByteCount(text: text)?.bytes == expected)
    }

    @Test("durations and sizes are written so that they read the same")
    func roundTrips() {
        for duration in [Duration.zero, .milliseconds(1500), .seconds(90), .seconds(3600), .seconds(86_400)] {
            #expect(Duration(settingText: duration.settingText) == duration)
        }
        for bytes in [0, 1, 1000, 1024, 1 << 20, 3 << 30, 10_000_000_000, 64_000, 1001] {
            #expect(ByteCount(text: ByteCount(bytes: bytes).description)?.bytes == bytes)
        }
        #expect(ByteCount(bytes: 10_000_000_000).description == "10GB")
        #expect(ByteCount(bytes: 1 << 29).description == "512MiB")
    }

    @Test(
        "listening addresses are literals with a port, or paths",
        arguments: [
            ("127.0.0.1:3128", "127.0.0.1:3128"), ("[::1]:3128", "[::1]:3128"), ("localhost:1", "127.0.0.1:1"),
            ("0.0.0.0:0", "0.0.0.0:0"), ("unix:/run/x", "unix:/run/x"), ("::1:3128", nil), (":3128", nil),
            ("unix:", nil), ("https://127.0.0.1:3443", "https://127.0.0.1:3443"),
            ("https://[::1]:1/", "https://[::1]:1"),
            ("http://localhost:1", "127.0.0.1:1"), ("https://unix:/x", nil), ("https://127.0.0.1", nil),
            ("https://https://127.0.0.1:1", nil), ("ftp://127.0.0.1:1", nil), ("https://127.0.0.1:1/a", nil),
            ("unix:/" + String(repeating: "a", count: 107), nil),
            ("127.0.0.1", nil), ("127.0.0.1:65536", nil), ("127.0.0.1:+1", nil), ("[127.0.0.1]:1", nil),
            ("org.example:80", nil), ("0177.0.0.1:1", nil),
        ] as [(String, String?)]
    )
    func listenAddresses(text: String, expected: String?) {
        #expect(ListenAddress(text: text)?.description == expected)
    }

    @Test(
        "an address range holds what shares its prefix, mapped addresses too",
        arguments: [
            ("127.0.0.0/8", "127.255.0.1", true), ("127.0.0.0/8", "128.0.0.1", false), ("::1", "::1", true),
            ("10.0.0.0/9", "10.127.0.1", true), ("10.0.0.0/9", "10.128.0.1", false), ("0.0.0.0/0", "1.2.3.4", true),
            ("0.0.0.0/0", "::1", false), ("127.0.0.0/8", "::ffff:127.0.0.1", true), ("fc00::/7", "fd00::1", true),
        ]
    )
    func ranges(range: String, address: String, expected: Bool) throws {
        let range = try #require(AddressRange(text: range))
        #expect(range.contains(try #require(IPAddress(text: address))) == expected)
    }

    @Test(
        "malformed ranges are none",
        arguments: ["10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/", "10.0.0.0/+8", "x/8", "", "/"]
    )
    func badRanges(text: String) {
        #expect(AddressRange(text: text) == nil)
    }

    @Test(
        "a gateway stands before http or https with host and port, nothing else",
        arguments: [
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000"), ("HTTP://Org.EXAMPLE/", "http://org.example"),
            ("http://[::1]:81", "http://[::1]:81"), ("http://[::1]", "http://[::1]"),
            ("http://a.example:80", "http://a.example"),
            ("http://a.example:0", nil), ("http://", nil), ("http://a.example/b", nil), ("http://u@a.example", nil),
            ("http://a.example?b", nil),
            ("https://a.example", "https://a.example"), ("HTTPS://A.example:443/", "https://a.example"),
            ("https://a.example:80", "https://a.example:80"),
            ("http://a.example:443", "http://a.example:443"), ("https://a.example/b", nil), ("https://", nil),
            ("httpss://a", nil),
            ("http://[::1", nil), ("http://[1.2.3.4]", nil), ("ftp://a.example", nil), ("http://\u{212A}", nil),
        ] as [(String, String?)]
    )
    func gateways(text: String, expected: String?) {
        #expect(GatewayOrigin(text: text)?.description == expected)
    }

    @Test("a host name has labels of 63 bytes and 253 in all, no more")
    func hostNames() {
        let label = String(repeating: "a", count: 63)
        let three = "\(label).\(label).\(label)."
        for (name, isValid) in [
            (three + label.dropLast(2), true), (three + label.dropLast(1), false), (label, true), (label + "a", false),
            ("a..b", false), (".a", false), ("aAzZ09-_", true), ("a`", false), ("a[", false), ("a{", false),
            ("a@", false),
        ] {
            #expect((GatewayOrigin(text: "http://\(name)") != nil) == isValid, "\(name)")
        }
    }

    @Test("a number may be followed by blanks and a unit of letters, and by more of that")
    func units() {
        func text(_ text: String) -> String? {
            UnitText.parts(of: text)?.map { "\($0.number)|\($0.unit)" }.joined(separator: " ")
        }
        #expect(
            text("5") == "5|" && text("64 KiB") == "64|KiB" && text("1h30m") == "1|h 30|m" && text("1azAZ") == "1|azAZ"
        )
        for wrong in ["", "h", "5{", "5[", "5`", "5@", "5.5s", "-5s", "99999999999999999999s"] {
            #expect(text(wrong) == nil)
        }
        #expect(UnitText.split("1h30m") == nil && UnitText.split("7 d")?.number == 7)
    }

    @Test("edits are counted with swaps as one")
    func edits() {
        #expect(NearestName.edits(from: "", to: "abc") == 3)
        #expect(NearestName.edits(from: "abc", to: "acb") == 1)
        #expect(NearestName.edits(from: "kitten", to: "sitting") == 3)
        #expect(NearestName.find("zzz", in: ["abc"]) == nil)
        #expect(NearestName.find("xy", in: ["ab", "xa"]) == "xa")
    }

    @Test("a name of which every letter is another is not meant, however short it is", arguments: ["x", "xy"])
    func shortNames(name: String) {
        #expect(NearestName.find(name, in: ["ab", "a"]) == nil)
    }

    @Test(
        "the value of a field is text in one line, TAB included, without blanks around it (RFC 9110 §5.5)",
        arguments: [
            ("", true), ("a", true), ("a b", true), ("a\tb", true), ("é", true), (" a", false), ("a ", false),
            ("\ta", false), ("a\t", false), ("a\nb", false), ("a\rb", false), ("a\u{0}b", false), ("a\u{7F}b", false),
        ]
    )
    func fieldValues(text: String, isValue: Bool) { #expect(FieldText.isValue(text) == isValue) }
}
