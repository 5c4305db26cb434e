import Testing

@testable import TransportSecurity

@Suite("Names and addresses that an authority may sign for") struct PermittedHostsTests {
    private static func subtree(_ name: String) -> NameConstraints.Subtree { .name(Array(name.utf8)) }

    private static let network: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 12)

    @Test("in OpenSSL's form, where names alone permit no address, and addresses alone no name")
    func configuration() {
        let both = NameConstraints([.name("a.example"), .addresses(base: [10, 0, 0, 0], prefixLength: 9)])
        #expect(both.configuration == "critical,permitted;DNS:a.example,permitted;IP:10.0.0.0/255.128.0.0")
        #expect(both.texts == ["a.example", "10.0.0.0/9"] && both.limitsNames)
        let names = NameConstraints([.name("a.example")])
        #expect(
            names.configuration
                == "critical,permitted;DNS:a.example,excluded;IP:0.0.0.0/0.0.0.0,"
                + "excluded;IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0"
        )
        #expect(names.texts == ["a.example"] && names.limitsNames)
        let addresses = NameConstraints([.addresses(base: Self.network, prefixLength: 33)])
        #expect(
            addresses.configuration
                == "critical,permitted;IP:2001:db8:0:0:0:0:0:0/ffff:ffff:8000:0:0:0:0:0,permitted;DNS:invalid"
        )
        #expect(addresses.texts == ["2001:db8:0:0:0:0:0:0/33"] && addresses.limitsNames)
        #expect(!NameConstraints(permitted: [.addresses([])], excluded: []).limitsNames)
    }

    @Test(
        "a name holds itself and the names below it; with a dot only those; without anything all",
        arguments: [
            ("a.example", "a.example", true), ("a.example", "x.a.example", true), ("a.example", "xa.example", false),
            ("a.example", "example", false), ("a.example", "b.example", false), (".a.example", "x.a.example", true),
            (".a.example", "a.example", false), ("", "a.example", true),
        ]
    )
    func names(permitted: String, host: String, holds: Bool) throws {
        let name = try MintTests.name(host)
        #expect(NameConstraints(permitted: [Self.subtree(permitted)], excluded: []).permits(name) == holds)
        #expect(NameConstraints(permitted: [], excluded: [Self.subtree(permitted)]).permits(name) != holds)
    }

    @Test("one of several permitted names is enough, and one excluded name too many")
    func several() throws {
        let constraints = NameConstraints(
            permitted: [Self.subtree("a.example"), Self.subtree("b.example")],
            excluded: [Self.subtree("x.b.example")]
        )
        let hosts = ["a.example", "y.b.example", "x.b.example", "c.example"]
        #expect(try hosts.map { constraints.permits(try MintTests.name($0)) } == [true, true, false, false])
        #expect(constraints.permits(try MintTests.name("127.0.0.1")))
        #expect(constraints.permitsAll(below: Array("a.example".utf8)))
        #expect(!constraints.permitsAll(below: Array("x.b.example".utf8)))
        #expect(!constraints.permitsAll(below: Array("example".utf8)))
        #expect(NameConstraints(permitted: [], excluded: []).permitsAll(below: Array("example".utf8)))
    }

    @Test("an address of the other family is in no network")
    func families() throws {
        let constraints = NameConstraints([.addresses(base: Self.network, prefixLength: 33)])
        #expect(constraints.permits(try MintTests.name("[2001:db8:7fff::1]")))
        #expect(!constraints.permits(try MintTests.name("[2001:db8:8000::1]")))
        #expect(!constraints.permits(try MintTests.name("32.1.13.184")))
    }

    @Test("an authority for some hosts says so in its certificate, and signs for no other")
    func authority() throws {
        let hosts: [PermittedHost] = [.name("a.example"), .addresses(base: [10, 0, 0, 0], prefixLength: 8)]
        let authority = try CertificateAuthority.make(name: "Lab", days: 2, for: hosts, at: currentDate)
        #expect(authority.certificate.constraints == NameConstraints(hosts))
        let free = try CertificateAuthority.make(name: "Lab", days: 2, at: currentDate)
        #expect(free.certificate.constraints == nil)
        for (host, permitted) in [("a.example", true), ("b.example", false), ("10.1.1.1", true), ("11.1.1.1", false)] {
            let name = try MintTests.name(host)
            #expect(authority.certificate.permits(name) == permitted && free.certificate.permits(name))
            let mint = try CertificateMint(authority)
            #expect((mint.certificate(for: name, at: currentDate) != nil) == permitted)
        }
    }

    @Test("a certificate has its host as common name, unless that is too long or an address under constraints")
    func commonName() throws {
        let hosts: [PermittedHost] = [.name("example"), .addresses(base: [10, 0, 0, 0], prefixLength: 8)]
        let bound = try CertificateAuthority.make(name: "Lab", days: 2, for: hosts, at: currentDate)
        let free = try CertificateAuthority.make(name: "Lab", days: 2, at: currentDate)
        let most = String(repeating: "x", count: 56) + ".example"
        let cases: [(CertificateAuthority, String, String)] = [
            (free, "a.example", "a.example"), (free, most, most), (free, "x" + most, ""),
            (free, "10.1.1.1", "10.1.1.1"),
            (bound, "a.example", "a.example"), (bound, "10.1.1.1", ""),
        ]
        for (authority, host, expected) in cases {
            let name = try MintTests.name(host)
            let issued = authority.issue(for: name, to: authority.key, at: currentDate, lifetime: 60)
            #expect(issued?.subjectName == expected && issued?.issuerName == "Lab")
            #expect(issued?.isAuthority == false && authority.certificate.certificate.isAuthority)
        }
    }

    @Test(
        "an authority's name has 1 to 64 characters",
        arguments: [(0, false), (1, true), (64, true), (65, false)]
    )
    func authorityName(count: Int, isMade: Bool) {
        let name = String(repeating: "n", count: count)
        let made = try? CertificateAuthority.make(name: name, days: 1, at: currentDate)
        #expect(made?.certificate.name == (isMade ? name : nil))
    }

    @Test(
        "a host is an address, or up to 253 bytes of labels with up to 63 each, the last no number",
        arguments: [
            ("a-b_c.EXAMPLE", "a-b_c.example"), ("a.example.", "a.example"), ("a.example..", nil), ("1.a", "1.a"),
            ("a.1", nil), ("z0.9z", "z0.9z"), ("a`.b", nil), ("a{.b", nil), ("a/.b", nil), ("a:.b", nil),
            (String(repeating: "x", count: 63) + ".b", String(repeating: "x", count: 63) + ".b"),
            (String(repeating: "x", count: 64) + ".b", nil), (".a", nil), ("[::1]", "::1"), ("127.0.0.1", "127.0.0.1"),
        ] as [(String, String?)]
    )
    func hosts(host: String, expected: String?) {
        let name = ServerName(host: Array(host.utf8))
        #expect(name?.description == expected)
        #expect(name?.isAddress == expected.map { $0 == "::1" || $0 == "127.0.0.1" })
    }

    @Test("a name has 253 bytes at most", arguments: [(253, true), (254, false)])
    func length(count: Int, isName: Bool) {
        let host = String(repeating: "a.", count: 126) + (count == 253 ? "b" : "bb")
        #expect(host.utf8.count == count && (ServerName(host: Array(host.utf8)) != nil) == isName)
    }
}
