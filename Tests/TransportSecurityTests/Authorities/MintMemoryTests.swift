import HTTPCore
import Testing

@testable import TransportSecurity

@Suite("What a mint remembers") struct MintMemoryTests {
    @Test("beyond its limit the quarter of the hosts goes that was asked for longest ago")
    func limit() throws {
        let mint = try CertificateMint(try MintTests.Lab().context.mint.authority, limit: 8)
        func isReused(_ host: String) throws -> Bool {
            let before = mint.statistics.reused
            _ = mint.certificate(for: try MintTests.name(host), at: MintTests.now)
            return mint.statistics.reused == before + 1
        }
        let hosts = (0..<8).map { "h\($0).example" }
        for host in hosts { #expect(try !isReused(host)) }
        #expect(try isReused("h0.example"))
        #expect(try !isReused("h8.example"))
        for host in ["h0", "h3", "h4", "h5", "h6", "h7", "h8"] { #expect(try isReused(host + ".example"), "\(host)") }
        for host in ["h1", "h2"] { #expect(try !isReused(host + ".example"), "\(host)") }
    }

    @Test("a certificate is used in the first half of its time, and not before it was made: clocks may be set back")
    func time() throws {
        let mint = try MintTests.Lab(days: 30).context.mint
        let host = try MintTests.name("a.example")
        let half: Int64 = 302_400
        let now = MintTests.now.seconds
        let first = try #require(mint.certificate(for: host, at: HTTPDate(seconds: now)))
        #expect(mint.certificate(for: host, at: HTTPDate(seconds: now + half - 1)) === first)
        #expect(mint.certificate(for: host, at: HTTPDate(seconds: now - half)) === first)
        #expect(mint.statistics == CertificateMint.Statistics(minted: 1, reused: 2))
        let second = mint.certificate(for: host, at: HTTPDate(seconds: now + half))
        #expect(second !== first && mint.statistics.minted == 2)
        let third = mint.certificate(for: host, at: HTTPDate(seconds: now - 1))
        #expect(third !== second && mint.statistics == CertificateMint.Statistics(minted: 3, reused: 2))
    }
}
