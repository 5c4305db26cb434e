import HTTPCore
import TestSupport
import Testing

@testable import TransportSecurity

@Suite("Certificates minted for hosts")
struct MintTests {
    static let now = currentDate

    static func name(_ host: String) throws -> ServerName { try #require(ServerName(host: Array(host.utf8))) }

    /// A client that trusts the authority alone, and a place for its certificate.
    struct Lab {
        let place: AuthorityPlace
        let context: TLSMintingContext
        let client: TLSClientContext

        init(days: Int = 30) throws {
            place = AuthorityPlace()
            context = try TLSMintingContext(try CertificateMint(try place.make(days: days)))
            var settings = TLSClientSettings()
            settings.trustsSystem = false
            settings.authorityFiles = [place.files.certificateFile]
            client = try TLSClientContext(settings)
        }

        func pair(_ host: String, as shown: String? = nil) throws -> EnginePair {
            let name = try MintTests.name(shown ?? host)
            let server = try #require(context.accept(as: name, at: MintTests.now))
            return try EnginePair(client, server, host: host)
        }
    }

    @Test(
        "a client that trusts the authority accepts it for a name or an address, and speaks HTTP/1.1",
        arguments: [
            "a.example", "test.EXAMPLE", "under_score.example", "127.0.0.1", "[2001:db8::1]", "localhost",
            "a." + String(repeating: "x", count: 60) + ".example", "host.example.",
        ]
    )
    func accepted(host: String) throws {
        let pair = try Lab().pair(host)
        pair.shakeHands(size: 7)
        #expect(pair.client.isEstablished && pair.client.ending == nil)
        #expect(pair.client.selectedProtocol == "http/1.1" && pair.client.version == "TLSv1.3")
    }

    @Test("it is for that host alone")
    func others() throws {
        let pair = try Lab().pair("a.example", as: "b.example")
        pair.shakeHands()
        #expect(EngineTests.fault(pair.client) == .wrongName)
    }

    @Test(
        "what is no host gets no certificate, nor does it break out of one",
        arguments: [
            "", ".", "a..b", "*.example", "a,DNS:b", "a b", "a\u{0}b", "é.example", "1.2.3", "0x7f.1", "[::1", "::1",
            "a." + String(repeating: "x", count: 64), String(repeating: "a.", count: 127) + "b",
        ]
    )
    func noHosts(host: String) {
        // `0x7f.1` ends in digits, which some read as an address.
        #expect(ServerName(host: Array(host.utf8)) == nil)
    }

    @Test("it is made once for all who ask at once, and once more when half of its time is over")
    func once() throws {
        let mint = try Lab().context.mint
        let host = try Self.name("a.example")
        let threads = ThreadGroup(8) { _ in
            for _ in 0..<50 { _ = mint.certificate(for: host, at: Self.now) }
        }
        threads.join()
        #expect(mint.statistics == CertificateMint.Statistics(minted: 1, reused: 399))
        let first = try #require(mint.certificate(for: host, at: Self.now))
        let half = CertificateMint.lifetimeSeconds / 2
        let before = mint.certificate(for: host, at: HTTPDate(seconds: Self.now.seconds + half - 2))
        #expect(before === first)
        let after = mint.certificate(for: host, at: HTTPDate(seconds: Self.now.seconds + half + 2))
        #expect(after != nil && after !== first && mint.statistics.minted == 2)
    }

    @Test("it begins an hour ago, lasts seven days, and never longer than the authority")
    func validity() throws {
        let host = try Self.name("a.example")
        let long = try #require(try Lab(days: 30).context.mint.certificate(for: host, at: Self.now))
        #expect(long.begins.seconds == Self.now.seconds - 3600)
        #expect(long.ends.seconds == Self.now.seconds + 7 * 86_400)
        let mint = try Lab(days: 2).context.mint
        let short = try #require(mint.certificate(for: host, at: Self.now))
        #expect(short.ends == mint.authority.certificate.ends)
    }

    @Test("none is made once the authority's own has ended, nor is one at hand shown")
    func over() throws {
        let mint = try Lab(days: 2).context.mint
        let host = try Self.name("a.example")
        let end = mint.authority.certificate.ends
        #expect(mint.certificate(for: host, at: end) != nil && mint.isOpen(at: end))
        let late = HTTPDate(seconds: end.seconds + 1)
        #expect(mint.certificate(for: host, at: late) == nil && !mint.isOpen(at: late))
        #expect(mint.statistics == CertificateMint.Statistics(minted: 1, reused: 0))
    }

    @Test("serial numbers have 127 bits and are never the same")
    func serialNumbers() throws {
        let mint = try Lab().context.mint
        var seen: Set<[UInt8]> = []
        for index in 0..<50 {
            let der = try #require(mint.certificate(for: try Self.name("h\(index).example"), at: Self.now)).der
            // Certificate, TBSCertificate, version 3, then INTEGER of 16 bytes.
            #expect(Array(der[8..<15]) == [0xA0, 3, 2, 1, 2, 2, 16])
            #expect((0x40...0x7F).contains(der[15]))
            seen.insert(Array(der[15..<31]))
        }
        #expect(seen.count == 50)
    }

    @Test("the mint keeps a bounded number of hosts, those asked for last")
    func bounded() throws {
        let mint = try CertificateMint(try Lab().context.mint.authority, limit: 64)
        let kept = try Self.name("kept.example")
        for index in 0...64 {
            _ = mint.certificate(for: try Self.name("h\(index).example"), at: Self.now)
            if index % 16 == 0 { _ = mint.certificate(for: kept, at: Self.now) }
        }
        let minted = mint.statistics.minted
        _ = mint.certificate(for: kept, at: Self.now)
        #expect(mint.statistics.minted == minted)
        _ = mint.certificate(for: try Self.name("h0.example"), at: Self.now)
        #expect(mint.statistics.minted == minted + 1)
    }

    @Test("a session is resumed for the same host, and under no other name")
    func resumption() throws {
        let lab = try Lab()
        var resumed: [Bool] = []
        for _ in 0..<2 {
            let pair = try lab.pair("a.example")
            pair.shakeHands()
            resumed.append(pair.server.isResumed)
        }
        #expect(resumed == [false, true])
        // The client would offer a's session; what answers is b's.
        let pair = try lab.pair("a.example", as: "b.example")
        pair.shakeHands()
        #expect(!pair.server.isResumed && EngineTests.fault(pair.client) == .wrongName)
    }

    @Test("an authority below another sends the certificates in between")
    func chains() throws {
        let root = IssuedCertificate(EngineTests.authorityContents("Root"))
        let middle = IssuedCertificate(EngineTests.authorityContents("Middle"), issuer: root)
        let place = AuthorityPlace()
        _ = try place.make()
        place.overwrite(place.files.certificateFile, try bytes(of: middle.certificateFile))
        place.overwrite(place.files.keyFile, try bytes(of: middle.keyFile))
        let context = try TLSMintingContext(try CertificateMint(try place.files.load(at: Self.now)))
        var settings = TLSClientSettings()
        settings.trustsSystem = false
        settings.authorityFiles = [root.certificateFile]
        let server = try #require(context.accept(as: try Self.name("a.example"), at: Self.now))
        let pair = try EnginePair(try TLSClientContext(settings), server, host: "a.example")
        pair.shakeHands()
        #expect(pair.client.isEstablished && pair.client.ending == nil)
        // With other ones behind it it is to be read anew.
        let before = context.mint.authority
        #expect(before.isSame(as: try place.files.load(at: Self.now)))
        let other = IssuedCertificate(EngineTests.authorityContents("Other"), issuer: root)
        let texts = try [middle, other].map { try bytes(of: $0.certificateFile) }
        place.overwrite(place.files.certificateFile, Array(texts.joined()))
        #expect(!before.isSame(as: try place.files.load(at: Self.now)))
    }
}
