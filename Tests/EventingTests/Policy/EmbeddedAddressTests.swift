import HTTPCore
import Testing

@testable import Eventing

/// IPv6 addresses that lead to IPv4 ones, and the addresses of clouds' own data.
@Suite struct EmbeddedAddressTests {
    @Test(
        "an IPv6 address is of the worst kind that it, or an IPv4 address in it, is of (H-063, H-136)",
        arguments: [
            // IPv4-mapped, IPv4-translated, IPv4-compatible
            ("::ffff:10.0.0.1", .private), ("::ffff:0:7f00:1", .loopback), ("::ffff:0:808:808", .global),
            ("::169.254.1.1", .linkLocal), ("::255.255.255.255", .broadcast),
            // NAT64, well-known and local, with prefixes of 48, 56, 64 and 96 bits
            ("64:ff9b::10.0.0.1", .private), ("64:ff9b::8.8.8.8", .global), ("64:ff9b::7f00:1", .loopback),
            ("64:ff9b:1:7f00:0:100::", .loopback), ("64:ff9b:1:7f:0:1::", .loopback),
            ("64:ff9b:1:a9:fe:a9fe::", .metadata), ("64:ff9b:1:abcd:a9:fea9:fe00:0", .metadata),
            ("64:ff9b:1::127.0.0.1", .loopback), ("64:ff9b:1::169.254.169.254", .metadata),
            ("64:ff9b:1::8.8.8.8", .global), ("64:ff9b:1:808:8:800::", .global), ("64:ff9b:1::", .unspecified),
            ("64:ff9b:2::127.0.0.1", .global),
            // 6to4
            ("2002:7f00:1::1", .loopback), ("2002:a9fe:a9fe::", .metadata), ("2002:a00:1::1", .private),
            ("2002:808:808::1", .global), ("2002:e000:1::", .multicast), ("2002::1", .unspecified),
            // Teredo: the server 65.54.227.120, clients behind 127.0.0.1, 8.8.8.8 and 169.254.169.254; a server of ours
            ("2001:0:4136:e378:8000:63bf:80ff:fffe", .loopback), ("2001:0:4136:e378:8000:63bf:f7f7:f7f7", .global),
            ("2001:0:4136:e378:8000:63bf:5601:5601", .metadata), ("2001:0:7f00:1:8000:63bf:f7f7:f7f7", .loopback),
            // ISATAP, in any network, of both kinds; also in 6to4
            ("2001:db8::5efe:10.1.2.3", .private), ("2001:db8::200:5efe:127.0.0.1", .loopback),
            ("2001:db8::5efe:8.8.8.8", .global), ("::5efe:127.0.0.1", .loopback), ("fe80::5efe:8.8.8.8", .linkLocal),
            ("2002:808:808::5efe:169.254.169.254", .metadata), ("2001:db8::5eff:127.0.0.1", .global),
        ] as [(String, AddressClass)]
    )
    func embedded(text: String, expected: AddressClass) throws {
        #expect(try #require(IPAddress(text: text)).addressClass == expected)
    }

    @Test(
        "the addresses where clouds tell a machine its own data are known, by IPv6 and in every form (H-136)",
        arguments: [
            "169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.0.23", "169.254.10.10", "169.254.42.42",
            "100.100.100.200", "100.96.0.96", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd00:ec2::23",
            "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:100::100:200", "fd00:42::42", "fd00:a9fe:a9fe::1",
            "fe80::a9fe:a9fe", "::ffff:168.63.129.16", "64:ff9b::a83f:8110", "2002:a83f:8110::",
        ]
    )
    func metadata(text: String) throws {
        let address = try #require(IPAddress(text: text))
        #expect(address.addressClass == .metadata)
        let policy = AddressPolicy(
            allowsLoopback: true,
            allowsPrivate: true,
            listeners: OwnListeners(localAddresses: [])
        )
        #expect(policy.judge(.ip(address, port: 80)) == .forbidden(.addressClass(.metadata)))
    }

    @Test("neighbours of those addresses are what their networks are")
    func neighbours() throws {
        for (text, kind) in [
            ("168.63.129.17", .global), ("192.0.0.193", .global), ("100.100.100.201", .private),
            ("fd20:ce::255", .private),
            ("fd00:ec3::254", .private), ("fd00:42::43", .private),
        ] as [(String, AddressClass)] {
            #expect(try #require(IPAddress(text: text)).addressClass == kind, "\(text)")
        }
    }

    @Test(
        "our own listeners are found behind an embedded address, too (H-135, H-137)",
        arguments: [
            "64:ff9b::7f00:1", "2002:7f00:1::", "::ffff:0:7f00:1", "64:ff9b:1::127.0.0.1", "fd12::5efe:127.0.0.1",
        ]
    )
    func ownListeners(text: String) throws {
        let loopback = IPAddress.v4(0x7F00_0001)
        let policy = AddressPolicy(
            allowsLoopback: true,
            allowsPrivate: true,
            listeners: OwnListeners(
                proxy: [.ip(loopback, port: 3128)],
                administration: [.ip(loopback, port: 3129)],
                localAddresses: [loopback]
            )
        )
        let address = try #require(IPAddress(text: text))
        #expect(policy.judge(.ip(address, port: 3129)) == .forbidden(.administration))
        #expect(policy.judge(.ip(address, port: 3128)) == .loop)
        #expect(policy.judge(.ip(address, port: 80)) == .allowed)
    }

    @Test(
        "a peer is of this machine only by a loopback address itself, not by one in which it is embedded",
        arguments: [
            ("127.0.0.1", true), ("::1", true), ("::ffff:127.0.0.1", true), ("64:ff9b::7f00:1", false),
            ("2002:7f00:1::", false), ("::127.0.0.1", false), ("2001:db8::5efe:127.0.0.1", false),
        ]
    )
    func peers(text: String, isLocal: Bool) throws {
        #expect(SocketAddress.ip(try #require(IPAddress(text: text)), port: 1).isLocalOnly == isLocal)
    }
}
