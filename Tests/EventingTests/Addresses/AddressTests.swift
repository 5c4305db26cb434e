import HTTPCore
import Testing

@testable import Eventing

@Suite struct AddressTests {
    @Test(
        "addresses are told apart by what they lead to (H-136, H-137)",
        arguments: [
            ("8.8.8.8", .global), ("192.0.2.1", .global), ("198.18.0.1", .global), ("2001:db8::1", .global),
            ("127.0.0.1", .loopback), ("127.255.0.3", .loopback), ("::1", .loopback), ("::ffff:127.0.0.1", .loopback),
            ("10.1.2.3", .private), ("172.16.0.1", .private), ("172.32.0.1", .global), ("192.168.1.1", .private),
            ("100.64.0.1", .private), ("fd12::1", .private), ("fec0::1", .private),
            ("169.254.1.1", .linkLocal), ("fe80::1", .linkLocal), ("febf::1", .linkLocal),
            ("169.254.169.254", .metadata), ("::ffff:169.254.169.254", .metadata), ("fd00:ec2::254", .metadata),
            ("64:ff9b::a9fe:a9fe", .metadata), ("::7f00:1", .loopback), ("::5efe:8.8.8.8", .global),
            ("224.0.0.1", .multicast), ("239.255.255.255", .multicast), ("ff02::1", .multicast),
            ("255.255.255.255", .broadcast), ("0.0.0.0", .unspecified), ("0.1.2.3", .unspecified), ("::", .unspecified),
        ] as [(String, AddressClass)]
    )
    func addressClasses(text: String, expected: AddressClass) throws {
        #expect(try #require(IPAddress(text: text)).addressClass == expected)
    }

    @Test(
        "addresses are written as they are read",
        arguments: ["127.0.0.1:3128", "[::1]:80", "[2001:db8::2]:65535", "unix:/run/respite.sock"]
    )
    func socketAddressText(text: String) throws {
        #expect(try #require(SocketAddress(text)).description == text)
    }

    @Test(
        "what is no address is not read",
        arguments: [
            "", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:80", "[127.0.0.1]:80", "a:80", "unix:", "1.2.3:80",
        ]
    )
    func badSocketAddress(text: String) { #expect(SocketAddress(text) == nil) }

    private static let policy = AddressPolicy(
        allowsLoopback: true,
        allowsPrivate: false,
        blockedPorts: [25],
        listeners: OwnListeners(
            proxy: [.ip(.v4(0), port: 3128), .ip(.v4(0x7F00_0001), port: 8080)],
            administration: [.ip(.v4(0x7F00_0001), port: 3129), .unix(path: "/run/admin")],
            localAddresses: [.v4(0x0808_0808), .v4(0x7F00_0001)]
        )
    )

    @Test(
        "each address is judged by its class, its port and our own listeners (H-135, H-136, H-137, H-138)",
        arguments: [
            ("8.8.4.4:80", .allowed), ("127.0.0.1:80", .allowed),
            ("10.0.0.1:80", .forbidden(.addressClass(.private))),
            ("169.254.169.254:80", .forbidden(.addressClass(.metadata))),
            ("[fe80::1]:80", .forbidden(.addressClass(.linkLocal))),
            ("8.8.4.4:25", .forbidden(.port)),
            ("127.0.0.1:3128", .loop), ("127.0.0.9:3128", .loop), ("8.8.8.8:3128", .loop), ("0.0.0.0:3128", .loop),
            ("[::ffff:127.0.0.1]:3128", .loop), ("[::1]:3128", .loop), ("[::]:3128", .loop), ("8.8.4.4:3128", .allowed),
            ("127.0.0.1:8080", .loop), ("0.0.0.0:8080", .loop), ("127.0.0.2:8080", .allowed),
            ("127.0.0.1:3129", .forbidden(.administration)), ("[::ffff:127.0.0.1]:3129", .forbidden(.administration)),
            ("0.0.0.0:3129", .forbidden(.administration)), ("unix:/run/admin", .forbidden(.administration)),
            ("0.0.0.0:80", .forbidden(.addressClass(.unspecified))),
        ] as [(String, AddressPolicy.Verdict)]
    )
    func judgement(text: String, expected: AddressPolicy.Verdict) throws {
        #expect(Self.policy.judge(try #require(SocketAddress(text))) == expected)
    }

    @Test("a connection to an address the machine got later is seen as a loop (H-135)")
    func judgementOfConnection() {
        let late = IPAddress.v4(0x0A00_0005)
        let verdict = Self.policy.judgeConnection(local: .ip(late, port: 40000), peer: .ip(late, port: 3128))
        #expect(verdict == .loop)
    }
}
