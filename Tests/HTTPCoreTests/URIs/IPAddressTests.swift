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

    @Test("an IPv4-mapped address is the address inside (H-063)")
    func mapped() {
        #expect(IPAddress(host: latin("[::ffff:127.0.0.1]").span)?.unmapped == .v4(0x7F00_0001))
        #expect(IPAddress(host: latin("[::127.0.0.1]").span)?.unmapped == .v6(0, 0x7F00_0001))
    }
}
