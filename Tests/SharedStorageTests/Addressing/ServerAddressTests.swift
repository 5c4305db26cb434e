import Testing

@testable import SharedStorage

/// The addresses of servers, as people and servers write them.
@Suite struct ServerAddressTests {
    private static func isHost(_ host: String) -> Bool { ServerAddress(host: host, port: 1) != nil }

    @Test("a host has 1 to 255 letters, digits, dots, hyphens, underscores and colons")
    func hosts() {
        for sign in ["0", "9", "A", "Z", "a", "z", "-", ".", ":", "_"] { #expect(Self.isHost(sign), "\(sign)") }
        for sign in ["", ",", "/", ";", "@", "[", "^", "`", "{", " ", "é"] { #expect(!Self.isHost(sign), "\(sign)") }
        #expect(Self.isHost(String(repeating: "a", count: 255)) && !Self.isHost(String(repeating: "a", count: 256)))
    }

    @Test(
        "a port is 1 to 65535, in digits alone",
        arguments: [
            ("a:1", true), ("a:65535", true), ("a:09", true), ("a:0", false), ("a:65536", false), ("a:", false),
            ("a:/1", false), ("a::1", false), ("a:1a", false), ("a:-1", false),
        ]
    )
    func ports(text: String, isAddress: Bool) {
        #expect((ServerAddress(text) != nil) == isAddress)
    }

    @Test("a server names ports as numbers")
    func numbers() {
        #expect(ServerAddress(host: "a", port: 1) != nil && ServerAddress(host: "a", port: 65_535) != nil)
        #expect(ServerAddress(host: "a", port: 0) == nil && ServerAddress(host: "a", port: 65_536) == nil)
        #expect(ServerAddress(host: "a", port: -1) == nil)
    }

    @Test("brackets are around a whole IPv6 address, and in a redirection there are none")
    func brackets() {
        #expect(ServerAddress("[::1]:5") == .host("::1", port: 5))
        #expect(ServerAddress("[::1:5") == nil && ServerAddress("::1]:5") == nil && ServerAddress("[]:5") == nil)
        #expect(ServerAddress(redirection: "::1:5") == .host("::1", port: 5))
        #expect(ServerAddress(redirection: "a:5") == .host("a", port: 5))
        #expect(ServerAddress(redirection: ":5") == nil && ServerAddress(redirection: "a:0") == nil)
        #expect(ServerAddress(redirection: "a") == nil)
    }

    @Test("an IPv6 address is shown in brackets, a socket by its path")
    func shown() {
        #expect(ServerAddress.host("::1", port: 5).description == "[::1]:5")
        #expect(ServerAddress.host("a.example", port: 5).description == "a.example:5")
        #expect(ServerAddress.socket("/run/x").description == "/run/x")
        #expect(ServerAddress.socket("/run/x").authority == nil)
    }

    @Test(
        "a socket and the addresses of this machine are local",
        arguments: [
            (.socket("/x"), true), (.host("localhost", port: 1), true), (.host("::1", port: 1), true),
            (.host("127.0.0.1", port: 1), true), (.host("127.1.2.3", port: 1), true),
            (.host("127.a.example", port: 1), false), (.host("128.0.0.1", port: 1), false),
            (.host("a.example", port: 1), false),
        ] as [(ServerAddress, Bool)]
    )
    func local(address: ServerAddress, isLocal: Bool) {
        #expect(address.isLocal == isLocal)
    }
}
