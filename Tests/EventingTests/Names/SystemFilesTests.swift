import HTTPCore
import Testing

@testable import Eventing

/// What the system's files say about names.
@Suite struct SystemFilesTests {
    private static func hosts(_ text: String, _ name: String) -> [String] {
        HostsIndex(Array(text.utf8)).addresses(of: name).map(\.description)
    }

    @Test("every name of a line has its address, up to a comment, and each address once")
    func hosts() {
        let text =
            "# 10.0.0.9 none\n10.0.0.1\tA.Example a b#c d\n10.0.0.2 b b\r\n10.0.0.1 b\nbad b\n\n"
            + "fe80::1%lo link\n10.0.0.3\n10.0.0.4 last"
        #expect(Self.hosts(text, "a.example") == ["10.0.0.1"] && Self.hosts(text, "a") == ["10.0.0.1"])
        #expect(Self.hosts(text, "b") == ["10.0.0.1", "10.0.0.2"])
        #expect(Self.hosts(text, "link") == ["fe80::1"] && Self.hosts(text, "last") == ["10.0.0.4"])
        for name in ["none", "c", "d", "10.0.0.3", "10.0.0.1", "", "a.exampl", "a.examples", "lasu"] {
            #expect(Self.hosts(text, name) == [], "\(name)")
        }
    }

    @Test("among many names each is found")
    func manyHosts() {
        let text = (0..<300).map { "10.0.\($0 / 256).\($0 % 256) name\($0) other\($0)\n" }.joined()
        let index = HostsIndex(Array(text.utf8))
        let found = (0..<300).filter { number in
            let address = [IPAddress.v4(0x0A00_0000 + UInt32(number))]
            return index.addresses(of: "name\(number)") == address && index.addresses(of: "other\(number)") == address
        }
        #expect(found.count == 300 && index.addresses(of: "name300") == [])
    }

    @Test("words are parted by blanks, lines by their ends; comments and empty lines count for nothing")
    func words() {
        let text = "; one\n a\tb  c ; d\r\n\n#\ne#f\n  \ng"
        #expect(FileWords.lines(of: Array(text.utf8), comments: "#;") == [["a", "b", "c"], ["e"], ["g"]])
        #expect(FileWords.lines(of: Array("a ;b".utf8), comments: "#") == [["a", ";b"]])
    }

    @Test("options of resolv.conf are kept within bounds, and others are passed over")
    func options() {
        func configuration(_ options: String) -> ResolverConfiguration {
            ResolverConfiguration(parsing: Array("options \(options)\n".utf8))
        }
        var usual = ResolverConfiguration()
        usual.servers = [.ip(.v4(0x7F00_0001), port: 53)]
        #expect(usual.dots == 1 && usual.tryTime == .seconds(2) && usual.rounds == 2)
        #expect(configuration("debug ndots:x attempts: timeout inet6 ndots") == usual)
        #expect([0, 1, 15, 16, -1].map { configuration("ndots:\($0)").dots } == [0, 1, 15, 15, 0])
        let times: [Duration] = [.seconds(1), .seconds(1), .seconds(2), .seconds(2), .seconds(2)]
        #expect([0, 1, 2, 3, 99].map { configuration("timeout:\($0)").tryTime } == times)
        #expect([-1, 0, 1, 5, 6].map { configuration("attempts:\($0)").rounds } == [1, 1, 1, 5, 5])
        #expect(configuration("rotate").rotates && !configuration("rotate").usesTCP)
        #expect(configuration("use-vc").usesTCP && !configuration("use-vc").rotates)
    }

    @Test("three name servers count, and the last list of domains")
    func servers() {
        let text =
            "nameserver\nnameserver 192.0.2.1\nnameserver bad\nnameserver 192.0.2.2\nnameserver fe80::1%7\n"
            + "nameserver 192.0.2.4\nsearch a.example b.example\ndomain c.example .\noptions\nunknown x\n"
        let configuration = ResolverConfiguration(parsing: Array(text.utf8))
        let link = SocketAddress.ip(.v6(0xFE80_0000_0000_0000, 1), port: 53, scope: 7)
        #expect(configuration.servers == [.ip(.v4(0xC000_0201), port: 53), .ip(.v4(0xC000_0202), port: 53), link])
        #expect(configuration.domains == ["c.example"] && !configuration.asksStub)
    }

    @Test(
        "the stub of systemd-resolved is known by its two addresses",
        arguments: [("127.0.0.52", false), ("127.0.0.53", true), ("127.0.0.54", true), ("127.0.0.55", false)]
    )
    func stub(server: String, isStub: Bool) {
        let text = "nameserver 192.0.2.1\nnameserver \(server)\n"
        #expect(ResolverConfiguration(parsing: Array(text.utf8)).asksStub == isStub)
    }

    @Test(
        "the sources of names decide who is asked",
        arguments: [
            ("hosts: files dns", "a.example", true, .dns), ("hosts:files dns", "box", true, .dns),
            ("hosts: files mymachines dns", "box", true, .system),
            ("hosts: files mymachines dns", "a.box", true, .dns),
            ("hosts: files myhostname dns", "box", true, .system), ("hosts: dns", "a.example", false, .system),
            ("hosts: files", "a.example", true, .system), ("hosts: files dns", "local", true, .system),
            ("hosts: files dns", "a.local", true, .system), ("hosts: files dns", "xlocal", true, .dns),
            ("hosts: files mdns mdns4 mdns6 mdns_minimal mdns6_minimal dns", "a.example", true, .dns),
            ("hosts: files nis dns", "a.example", true, .system), ("passwd: ldap", "a.example", true, .dns),
            ("# hosts: nis\nhosts: files [A=b] [!C=d] dns # nis", "a.example", true, .dns),
            ("hosts: files [nis dns", "a.example", true, .system), ("hosts: files resolve", "a.example", true, .system),
        ] as [(String, String, Bool, NameSwitch.Route)]
    )
    func sources(text: String, name: String, readsFile: Bool, route: NameSwitch.Route) {
        let sources = NameSwitch(parsing: Array(text.utf8))
        #expect(sources.readsHostsFile == readsFile && sources.route(of: name, asksStub: false) == route)
    }
}
