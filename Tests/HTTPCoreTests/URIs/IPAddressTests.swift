import HTTPCore
import Testing

@Suite("IP addresses")
struct IPAddressTests {
    @Test(
        "a host that is an address literal is that address, and any other is none",
        arguments: [
            ("127.0.0.1", .v4(0x7F00_0001)), ("255.255.255.255", .v4(.max)), ("[::1]", .v6(0, 1)),
            ("[::]", .v6(0, 0)), ("[1:2:3:4:5:6:7:8]", .v6(0x0001_0002_0003_0004, 0x0005_0006_0007_0008)),
            ("[fe80::a:B]", .v6(0xFE80_0000_0000_0000, 0x000A_000B)), ("[::ffff:1.2.3.4]", .v6(0, 0xFFFF_0102_0304)),
            ("[1::]", .v6(0x0001_0000_0000_0000, 0)), ("a.example", nil), ("127.0.0.01", nil), ("1.2.3", nil),
            ("1.2.3.4.5", nil), ("256.0.0.1", nil), ("[::1", nil), ("[1:2]", nil), ("[::1.2.3]", nil), ("", nil),
            ("[1.2.3.4]", nil), ("[1:2:3:4:5:6:7:1.2.3.4]", nil),
            ("[1:2:3:4:5:6:1.2.3.4]", .v6(0x0001_0002_0003_0004, 0x0005_0006_0102_0304)),
        ] as [(String, IPAddress?)]
    )
    func addresses(host: String, address: IPAddress?) { #expect(IPAddress(host: latin(host).span) == address) }

    @Test(
        "in an IPv6 address are the IPv4 addresses that a translator or a tunnel may take from it (H-063)",
        arguments: [
            // IPv4-mapped, IPv4-translated, IPv4-compatible, and what is beside them
            ("::ffff:102:304", ["1.2.3.4"]), ("::ffff:0:102:304", ["1.2.3.4"]), ("::102:304", ["1.2.3.4"]),
            ("::2", ["0.0.0.2"]), ("::1", []), ("::", []), ("::fffe:102:304", []), ("::1:102:304", []),
            ("::fffe:0:102:304", []), ("1::ffff:102:304", []),
            // NAT64, by the well-known prefix and by prefixes of 48, 56, 64 and 96 bits within the local one
            ("64:ff9b::102:304", ["1.2.3.4"]), ("64:ff9b::1:102:304", []), ("64:ff9b:2::102:304", []),
            ("64:ff9b:1:102:3:400::", ["1.2.3.4", "2.3.4.0", "3.4.0.0"]), ("64:ff9b:1::102:304", ["1.2.3.4"]),
            ("64:ff9b:1:1:2:304::", ["1.2.3.4", "2.3.4.0"]), ("64:ff9b:1:0:1:203:400:0", ["1.2.3.4", "4.0.0.0"]),
            ("64:ff9b:1::", ["0.0.0.0"]),
            // 6to4, and Teredo with its server and its client
            ("2002:102:304::1", ["1.2.3.4"]), ("2003:102:304::1", []),
            ("2001:0:506:708::fefd:fcfb", ["5.6.7.8", "1.2.3.4"]), ("2001:1:506:708::fefd:fcfb", []),
            // ISATAP, in any network
            ("2001:db8::5efe:102:304", ["1.2.3.4"]), ("2001:db8::300:5efe:102:304", ["1.2.3.4"]),
            ("2001:db8::400:5efe:102:304", []), ("2001:db8::5eff:102:304", []), ("::5efe:102:304", ["1.2.3.4"]),
            ("2002:506:708::5efe:102:304", ["5.6.7.8", "1.2.3.4"]), ("1.2.3.4", []),
        ] as [(String, [String])]
    )
    func embedded(text: String, expected: [String]) throws {
        let address = try #require(IPAddress(text: text))
        #expect(address.embeddedIPv4.map { "\(IPAddress.v4($0))" } == expected)
    }

    @Test("an IPv4-mapped address is the address inside (H-063)")
    func mapped() {
        #expect(IPAddress(host: latin("[::ffff:127.0.0.1]").span)?.unmapped == .v4(0x7F00_0001))
        #expect(IPAddress(host: latin("[::127.0.0.1]").span)?.unmapped == .v6(0, 0x7F00_0001))
    }
}
