import Testing

@testable import TransportSecurity

@Suite("Hosts that an authority may sign for")
struct NameConstraintsTests {
    @Test(
        "a network holds the addresses that have its leading bits, at whatever bit it ends (RFC 5280 §4.2.1.10)",
        arguments: [
            (0, "255.0.0.1", true), (1, "255.0.0.1", true), (1, "127.255.255.255", false), (7, "129.9.9.9", true),
            (7, "131.0.0.1", false), (8, "128.255.0.1", true), (8, "129.0.0.1", false), (9, "128.127.0.1", true),
            (9, "128.128.0.1", false), (31, "128.0.0.1", true), (31, "128.0.0.2", false), (32, "128.0.0.0", true),
            (32, "128.0.0.1", false),
        ]
    )
    func networks(length: Int, host: String, isPermitted: Bool) throws {
        let constraints = NameConstraints([.addresses(base: [128, 0, 0, 0], prefixLength: length)])
        #expect(constraints.permits(try MintTests.name(host)) == isPermitted)
        #expect(!constraints.permits(try MintTests.name("a.example")))
    }
}
