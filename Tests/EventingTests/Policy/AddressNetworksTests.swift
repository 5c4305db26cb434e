import HTTPCore
import Testing

@testable import Eventing

/// The borders of the networks, and what a policy makes of them.
@Suite struct AddressNetworksTests {
    @Test("each network ends where the standard says (H-136)")
    func borders() throws {
        let kinds: [(AddressClass, [String])] = [
            (.unspecified, ["0.0.0.0", "0.255.255.255", "::"]),
            (.loopback, ["127.0.0.0", "127.255.255.255", "::1"]),
            (
                .private,
                [
                    "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "172.16.0.0", "172.31.255.255",
                    "192.168.0.0", "192.168.255.255", "fc00::", "fdff:ffff::", "fec0::", "feff:ffff::",
                ]
            ),
            (.linkLocal, ["169.254.0.0", "169.254.255.255", "fe80::", "febf:ffff::"]),
            (.multicast, ["224.0.0.0", "239.255.255.255", "ff00::", "ffff:ffff::"]),
            (.broadcast, ["255.255.255.255"]),
            (
                .global,
                [
                    "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
                    "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255",
                    "192.169.0.0", "223.255.255.255", "240.0.0.0", "255.255.255.254", "fbff:ffff::1", "fe00::1",
                    "fe7f:ffff::1", "2001:db8::1",
                ]
            ),
        ]
        for (kind, texts) in kinds {
            for text in texts { #expect(try #require(IPAddress(text: text)).addressClass == kind, "\(text)") }
        }
    }

    @Test("the addresses beside those of clouds' own data are of their networks")
    func besideMetadata() throws {
        let addresses: [UInt32] = [
            0xA9FE_A9FE, 0xA9FE_AA02, 0xA9FE_AA17, 0xA9FE_0017, 0xA9FE_0A0A, 0xA9FE_2A2A, 0x6464_64C8, 0x6460_0060,
            0xA83F_8110, 0xC000_00C0,
        ]
        for bits in addresses {
            #expect(IPAddress.v4(bits).addressClass == .metadata)
            #expect(
                IPAddress.v4(bits - 1).addressClass != .metadata && IPAddress.v4(bits + 1).addressClass != .metadata
            )
        }
        for (high, low) in [
            (0xFD20_00CE_0000_0000, 0x254), (0xFD00_00C1_0000_0000, 0xA9FE_A9FE), (0xFD00_0100_0000_0000, 0x0100_0200),
            (0xFD00_0042_0000_0000, 0x42), (0xFD00_A9FE_A9FE_0000, 1), (0xFE80_0000_0000_0000, 0xA9FE_A9FE),
        ] as [(UInt64, UInt64)] {
            #expect(MetadataAddress.isKnown(v6: high, low))
            for (nextHigh, nextLow) in [(high, low - 1), (high, low + 1), (high - 1, low), (high + 1, low)] {
                #expect(!MetadataAddress.isKnown(v6: nextHigh, nextLow))
            }
        }
        for (text, isKnown) in [("fd00:ec2::1", true), ("fd00:ec1:ffff::1", false), ("fd00:ec3::1", false)] {
            let address = try #require(IPAddress(text: text))
            #expect((address.addressClass == .metadata) == isKnown, "\(text)")
        }
    }

    @Test("loopback and private networks are allowed each by its own switch, the others never")
    func switches() throws {
        for (text, loopback, isPrivate) in [
            ("8.8.8.8", true, true), ("127.0.0.1", true, false), ("::1", true, false), ("10.0.0.1", false, true),
            ("fd12::1", false, true), ("169.254.1.1", false, false), ("224.0.0.1", false, false),
            ("255.255.255.255", false, false), ("0.0.0.0", false, false), ("169.254.169.254", false, false),
        ] {
            let address = try #require(IPAddress(text: text))
            let refused = AddressPolicy.Verdict.forbidden(.addressClass(address.addressClass))
            for (allowsLoopback, allowsPrivate, isAllowed) in [
                (true, false, loopback), (false, true, isPrivate), (false, false, loopback && isPrivate),
                (true, true, loopback || isPrivate),
            ] {
                let policy = AddressPolicy(
                    allowsLoopback: allowsLoopback,
                    allowsPrivate: allowsPrivate,
                    blockedPorts: [25],
                    listeners: OwnListeners(localAddresses: [])
                )
                #expect(policy.judge(.ip(address, port: 26)) == (isAllowed ? .allowed : refused), "\(text)")
                #expect(policy.judge(.ip(address, port: 25)) == .forbidden(.port))
            }
        }
    }

    private static let here = IPAddress.v4(0x7F00_0001)
    private static let policy = AddressPolicy(
        allowsLoopback: true,
        allowsPrivate: true,
        blockedPorts: [25],
        listeners: OwnListeners(
            proxy: [.ip(.v6(0, 0), port: 3128), .ip(here, port: 8080)],
            administration: [.ip(.v4(0), port: 3129), .unix(path: "/run/admin")],
            localAddresses: [.v4(0x0808_0808)]
        )
    )

    @Test("ports of the proxy are known, on whatever address it listens")
    func ports() {
        let listeners = Self.policy.listeners
        #expect([3127, 3128, 3129, 8079, 8080, 8081].filter(listeners.hasProxyPort) == [3128, 8080])
    }

    @Test("a name of this machine is judged by our listeners, too")
    func names() {
        #expect(Self.policy.judge(name: "localhost", port: 3128) == .loop)
        #expect(Self.policy.judge(name: "a.localhost", port: 3129) == .forbidden(.administration))
        #expect(Self.policy.judge(name: "localhost", port: 25) == .forbidden(.port))
        #expect(Self.policy.judge(name: "localhost", port: 80) == .allowed)
        #expect(Self.policy.judge(name: "8.8.8.8", port: 3128) == .loop)
        #expect(Self.policy.judge(name: "a.example", port: 3128) == .allowed)
        #expect(Self.policy.judge(.unix(path: "/run/other")) == .allowed)
        #expect(Self.policy.judge(.unix(path: "/run/admin")) == .forbidden(.administration))
    }

    @Test("a connection from an address to itself reaches us if we listen on every address there, and only then")
    func connections() {
        let late = IPAddress.v4(0x0A00_0005)
        func judge(_ local: IPAddress, _ peer: IPAddress, _ port: UInt16) -> AddressPolicy.Verdict {
            Self.policy.judgeConnection(local: .ip(local, port: 40_000), peer: .ip(peer, port: port))
        }
        #expect(judge(late, late, 3128) == .loop && judge(late, late, 3129) == .forbidden(.administration))
        #expect(judge(late, late, 8080) == .allowed && judge(late, late, 80) == .allowed)
        #expect(judge(.v4(0x0A00_0006), late, 3128) == .allowed && judge(.v4(0x0A00_0006), late, 3129) == .allowed)
        #expect(judge(Self.here, Self.here, 8080) == .loop)
        let unix = SocketAddress.unix(path: "/run/admin")
        #expect(Self.policy.judgeConnection(local: unix, peer: unix) == .allowed)
    }

    @Test("a proxy may be on loopback and in private networks, at any port that is not ours")
    func parents() {
        let strict = AddressPolicy(
            allowsLoopback: false,
            allowsPrivate: false,
            blockedPorts: [25],
            listeners: Self.policy.listeners
        )
        #expect(strict.forParents.judge(.ip(Self.here, port: 25)) == .allowed)
        #expect(strict.forParents.judge(.ip(.v4(0x0A00_0001), port: 80)) == .allowed)
        #expect(strict.forParents.judge(.ip(Self.here, port: 8080)) == .loop)
    }

    @Test("a name that leads here is trusted for a reason")
    func trust() {
        var protection = RebindProtection()
        protection.named = ["named.example"]
        protection.isListed = { $0 == "listed.example" }
        let reasons: [(String, ResolvedName.Source, RebindProtection.Trust?)] = [
            ("127.0.0.1", .dns, .literal), ("localhost", .dns, .localhost), ("a.localhost", .system, .localhost),
            ("named.example", .dns, .named), ("listed.example", .dns, .listed), ("a.example", .hostsFile, .hostsFile),
            ("a.example", .override, .named), ("a.example", .dns, nil), ("a.example", .system, nil),
            ("a.example", .literal, nil), ("a.example", .localhost, nil),
        ]
        for (host, source, reason) in reasons { #expect(protection.trust(in: host, from: source) == reason, "\(host)") }
        for (scope, kind, forbids) in [
            (.none, .loopback, false), (.none, .private, false), (.loopback, .loopback, true),
            (.loopback, .private, false), (.privateNetworks, .loopback, true), (.privateNetworks, .private, true),
            (.privateNetworks, .global, false), (.privateNetworks, .linkLocal, false),
        ] as [(RebindProtection.Scope, AddressClass, Bool)] {
            protection.scope = scope
            #expect(protection.forbids("a.example", from: .dns, leadingTo: kind) == forbids)
            #expect(!protection.forbids("named.example", from: .dns, leadingTo: kind))
        }
    }
}
