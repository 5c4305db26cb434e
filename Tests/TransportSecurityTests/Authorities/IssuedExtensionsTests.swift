import Testing

@testable import TransportSecurity

/// What certificates of ours are for, byte by byte (RFC 5280 §4.2).
@Suite("Extensions of certificates") struct IssuedExtensionsTests {
    /// Whether an extension with this number below 2.5.29 has these bytes behind its name.
    private static func has(_ der: [UInt8], _ number: UInt8, _ rest: [UInt8]) -> Bool { find(der, number, rest) != nil }

    /// Where an extension's bytes end that begin so.
    private static func find(_ der: [UInt8], _ number: UInt8, _ rest: [UInt8]) -> Int? {
        let wanted = [0x06, 0x03, 0x55, 0x1D, number] + rest
        return der.indices.first { der[$0...].starts(with: wanted) }.map { $0 + wanted.count }
    }

    /// The mark of an extension that must be understood.
    private static let critical: [UInt8] = [0x01, 0x01, 0xFF]

    @Test("an authority's may sign certificates and lists, and no further authority; it names its maker")
    func authority() throws {
        let der = try CertificateAuthority.make(name: "Lab", days: 1, at: currentDate).certificate.der
        #expect(Self.has(der, 19, Self.critical + [0x04, 0x08, 0x30, 0x06, 0x01, 0x01, 0xFF, 0x02, 0x01, 0x00]))
        #expect(Self.has(der, 15, Self.critical + [0x04, 0x04, 0x03, 0x02, 0x01, 0x06]))
        #expect(Self.find(der, 14, [0x04, 0x16, 0x04, 0x14]) != nil && Self.find(der, 17, []) == nil)
        let maker = Array("Respite".utf8)
        #expect(der.indices.contains { der[$0...].starts(with: maker) })
    }

    @Test("a host's is for servers alone, and tells which key signed it")
    func host() throws {
        let authority = try CertificateAuthority.make(name: "Lab", days: 1, at: currentDate)
        let name = try MintTests.name("a.example")
        let issued = try #require(authority.issue(for: name, to: authority.key, at: currentDate, lifetime: 60))
        let (der, above) = (issued.der, authority.certificate.der)
        #expect(Self.has(der, 19, Self.critical + [0x04, 0x02, 0x30, 0x00]))
        #expect(Self.has(der, 15, Self.critical + [0x04, 0x04, 0x03, 0x02, 0x07, 0x80]))
        let server: [UInt8] = [0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01]
        #expect(Self.has(der, 37, [0x04, 0x0C, 0x30, 0x0A] + server))
        let own = try #require(Self.find(above, 14, [0x04, 0x16, 0x04, 0x14]))
        let signer = try #require(Self.find(der, 35, [0x04, 0x18, 0x30, 0x16, 0x80, 0x14]))
        #expect(der[signer..<signer + 20].elementsEqual(above[own..<own + 20]))
    }

    @Test("the name that it is for must be understood where the subject is empty, and need not be elsewhere")
    func names() throws {
        let authority = try CertificateAuthority.make(name: "Lab", days: 1, at: currentDate)
        func der(_ host: String) throws -> [UInt8] {
            let name = try MintTests.name(host)
            return try #require(authority.issue(for: name, to: authority.key, at: currentDate, lifetime: 60)).der
        }
        #expect(try Self.has(der("a.example"), 17, [0x04, 0x0D, 0x30, 0x0B, 0x82, 0x09] + Array("a.example".utf8)))
        #expect(try Self.has(der("10.1.2.3"), 17, [0x04, 0x08, 0x30, 0x06, 0x87, 0x04, 10, 1, 2, 3]))
        // Longer than a common name may be.
        let long = String(repeating: "x", count: 57) + ".example"
        let bytes = Array(long.utf8)
        let expected = Self.critical + [0x04, 0x45, 0x30, 0x43, 0x82, 0x41] + bytes
        #expect(try bytes.count == 0x41 && Self.has(der(long), 17, expected))
    }
}
