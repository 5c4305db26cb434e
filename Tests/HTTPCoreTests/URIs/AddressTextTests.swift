import Testing

@testable import HTTPCore

@Suite("Addresses and ranges of them as text")
struct AddressTextTests {
    @Test(
        "an address is written in its shortest form, and its bytes are in the order of the network (RFC 5952)",
        arguments: [
            ("1.2.3.4", "1.2.3.4"), ("0.0.0.0", "0.0.0.0"), ("::", "::"), ("::1", "::1"), ("1::", "1::"),
            ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:0:3:4:5:6:7:8", "1:0:3:4:5:6:7:8"),
            ("1:0:0:4:0:0:0:8", "1:0:0:4::8"), ("1:0:0:4:5:0:0:8", "1::4:5:0:0:8"), ("0:0:3::", "0:0:3::"),
            ("2001:DB8:0::0a", "2001:db8::a"), ("::ffff:1.2.3.4", "::ffff:1.2.3.4"),
            ("::fffe:1.2.3.4", "::fffe:102:304"),
            ("0:2:3:4:5:6:7:0", "0:2:3:4:5:6:7:0"), ("0:0:3:4:5:6:7:8", "::3:4:5:6:7:8"),
        ]
    )
    func descriptions(text: String, expected: String) throws {
        let address = try #require(IPAddress(text: text))
        #expect("\(address)" == expected && IPAddress(text: expected) == address)
        #expect(address.isIPv4 == !expected.contains(":") && address.bytes.count == (address.isIPv4 ? 4 : 16))
    }

    @Test("the bytes of an address are all of it")
    func bytes() {
        #expect(IPAddress.v4(0x0102_0304).bytes == [1, 2, 3, 4])
        #expect(IPAddress.v6(0x0001_0203_0405_0607, 0x0809_0A0B_0C0D_0E0F).bytes == Array(0...15))
    }

    @Test(
        "this machine alone is loopback",
        arguments: [
            ("127.0.0.1", true), ("127.255.255.255", true), ("126.0.0.1", false), ("128.0.0.1", false), ("::1", true),
            ("::", false), ("::2", false), ("1::1", false), ("::ffff:127.0.0.1", true), ("::ffff:1.0.0.1", false),
        ]
    )
    func loopback(text: String, isLoopback: Bool) {
        #expect(IPAddress(text: text)?.isLoopback == isLoopback)
    }

    @Test(
        "what is no address is none",
        arguments: [
            "", "1.2.3", "1.2.3.4.", "1.2.3.4.5", "1..2.3", "256.1.1.1", "1.2.3.300", "01.2.3.4", "1.2.3.04",
            "1.2.3.4 ",
            ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4::5:6:7:8", "1::2::3", "12345::", "::g",
            "1:",
            ":1", "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3", "::1.2.3.4:5", "1:2:3:4:5:6:7:8:", "1.2.3.4::",
            "::ffff:256.1.1.1",
        ]
    )
    func none(text: String) { #expect(IPAddress(text: text) == nil) }

    @Test("the largest part of an IPv4 address is 255, and zeros stand alone")
    func parts() {
        #expect(IPAddress(text: "255.0.10.255") == .v4(0xFF00_0AFF))
        #expect(IPAddress(text: "1:2:3:4:5:6:7::") == .v6(0x0001_0002_0003_0004, 0x0005_0006_0007_0000))
        #expect(IPAddress(text: "::2:3:4:5:6:7:8") == .v6(0x0000_0002_0003_0004, 0x0005_0006_0007_0008))
    }

    @Test(
        "a range has all addresses that begin like it, and those that are mapped",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false),
            ("10.0.0.0/8", "::ffff:10.1.1.1", true),
            ("10.0.0.0/8", "::10.1.1.1", false), ("0.0.0.0/0", "255.0.0.1", true), ("0.0.0.0/0", "::1", false),
            ("1.2.3.4", "1.2.3.4", true), ("1.2.3.4", "1.2.3.5", false), ("1.2.3.4/31", "1.2.3.5", true),
            ("1.2.3.4/31", "1.2.3.6", false), ("2001:db8::/33", "2001:db8:7fff::1", true),
            ("2001:db8::/33", "2001:db8:8000::1", false), ("::/0", "ff::1", true), ("::1/128", "::1", true),
        ]
    )
    func ranges(range: String, address: String, isIn: Bool) throws {
        let range = try #require(AddressRange(text: range))
        #expect(range.contains(try #require(IPAddress(text: address))) == isIn)
    }

    @Test("a range is written as it is read; all bits need not be said")
    func rangeText() {
        for text in ["10.0.0.0/8", "0.0.0.0/0", "1.2.3.4", "2001:db8::/33", "::1", "1.2.3.4/31"] {
            #expect(AddressRange(text: text)?.description == text)
        }
        #expect(AddressRange(text: "1.2.3.4/32")?.description == "1.2.3.4")
        #expect(
            AddressRange(text: "::1/128")?.prefixLength == 128 && AddressRange(text: "10.0.0.0/8")?.prefixLength == 8
        )
        for text in [
            "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.1/8", "::/129", "10.0.0.0/8/8",
            "1.2.3.5/31", "a/8",
        ] {
            #expect(AddressRange(text: text) == nil, "\(text)")
        }
    }

    @Test("ports are all, or those that are listed")
    func ports() {
        let list: PortSelection = [80, 443]
        #expect(
            PortSelection.any.contains(1) && list.contains(443) && !list.contains(81) && list == .listed([80, 443])
        )
    }

    @Test("a host has 255 bytes at most, and a port five digits", arguments: [(255, true), (256, false)])
    func hostLength(count: Int, isHost: Bool) {
        let host = String(repeating: "a.", count: 127) + (count == 255 ? "a" : "aa")
        #expect((Authority(latin(host).span, 0..<count) != nil) == isHost)
        let bytes = latin(host + ":00080")
        #expect(Authority(bytes.span, 0..<bytes.count)?.port == (isHost ? 80 : nil))
    }
}
