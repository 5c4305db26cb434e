import Glibc
import TestSupport
import Testing

@testable import TransportSecurity

/// Two engines and what lies between them.
final class EnginePair {
    let client: TLSEngine
    let server: TLSEngine
    var received: (client: [UInt8], server: [UInt8]) = ([], [])

    init(_ client: TLSClientContext, _ server: TLSServerContext, host: String = "localhost") throws {
        self.client = try #require(client.connect(to: Array(host.utf8), port: 443))
        self.server = try #require(server.accept())
    }

    init(_ client: TLSClientContext, _ server: TLSEngine, host: String) throws {
        self.client = try #require(client.connect(to: Array(host.utf8), port: 443))
        self.server = server
    }

    static func output(of engine: TLSEngine) -> [UInt8] {
        var bytes: [UInt8] = []
        engine.sendOutput { span in
            for index in span.indices { bytes.append(span[index]) }
            return span.count
        }
        return bytes
    }

    /// Gives `engine` bytes in pieces of `size`; returns what it decrypts.
    static func give(_ bytes: [UInt8], to engine: TLSEngine, size: Int = .max) -> [UInt8] {
        var plain: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(size))
            rest = rest.dropFirst(size)
            var room = [UInt8](repeating: 0, count: piece.count + engine.slack)
            var span = room.mutableSpan
            let count = engine.process(piece.span, into: &span)
            plain += room.prefix(count)
        }
        return plain
    }

    /// Carries bytes both ways until nobody has more to say.
    func run(size: Int = .max) {
        while true {
            let forth = Self.output(of: client)
            let back = Self.output(of: server)
            if forth.isEmpty && back.isEmpty { return }
            received.server += Self.give(forth, to: server, size: size)
            received.client += Self.give(back, to: client, size: size)
        }
    }

    func shakeHands(size: Int = .max) {
        client.begin()
        run(size: size)
    }
}

@Suite("The engine of TLS")
struct EngineTests {
    static let authority = IssuedCertificate(authorityContents("Test Root"))

    static func authorityContents(_ name: String) -> CertificateContents {
        var contents = CertificateContents(name)
        contents.isAuthority = true
        return contents
    }

    static func server(
        _ names: [String] = ["DNS:localhost", "IP:127.0.0.1"],
        issuer: IssuedCertificate? = authority,
        protocols: [String] = ["http/1.1"],
        _ change: (inout CertificateContents) -> Void = { _ in }
    ) throws -> TLSServerContext {
        var contents = CertificateContents("leaf", names: names)
        change(&contents)
        let issued = IssuedCertificate(contents, issuer: issuer)
        var settings = TLSServerSettings(
            certificate: .init(certificateFile: issued.certificateFile, keyFile: issued.keyFile)
        )
        settings.protocols = protocols
        return try TLSServerContext(settings)
    }

    static func client(_ change: (inout TLSClientSettings) -> Void = { _ in }) throws -> TLSClientContext {
        var settings = TLSClientSettings()
        settings.trustsSystem = false
        settings.authorityFiles = [authority.certificateFile]
        change(&settings)
        return try TLSClientContext(settings)
    }

    static func fault(_ engine: TLSEngine) -> CertificateFault.Kind? {
        guard case .failed(let error) = engine.ending, case .certificate(let fault) = error.reason else { return nil }
        return fault.kind
    }

    @Test(
        "a handshake ends whatever pieces the bytes come in, with name, protocol and version",
        arguments: [1, 7, 1000, .max]
    )
    func handshake(size: Int) throws {
        let pair = try EnginePair(try Self.client(), try Self.server())
        pair.shakeHands(size: size)
        #expect(pair.client.isEstablished && pair.server.isEstablished)
        #expect(pair.server.serverName == "localhost" && pair.client.selectedProtocol == "http/1.1")
        #expect(pair.client.version == "TLSv1.3")
    }

    @Test("content of any size arrives whole, both ways", arguments: [1, 16_384, 16_385, 300_000])
    func content(count: Int) throws {
        let pair = try EnginePair(try Self.client(), try Self.server())
        pair.shakeHands()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        pair.client.write(bytes.span)
        pair.server.write(bytes.span)
        pair.run(size: 40_000)
        #expect(pair.received.server == bytes && pair.received.client == bytes)
    }

    @Test(
        "content that fills its room to the last byte is whole, and content that finds none is a fault",
        arguments: [(6, true), (5, true), (4, false)]
    )
    func room(count: Int, isWhole: Bool) throws {
        let pair = try EnginePair(try Self.client(), try Self.server())
        pair.shakeHands()
        let content = Array("hello".utf8)
        pair.client.write(content.span)
        let bytes = EnginePair.output(of: pair.client)
        var room = [UInt8](repeating: 0, count: count)
        var span = room.mutableSpan
        let got = pair.server.process(bytes.span, into: &span)
        #expect(Array(room.prefix(got)) == Array("hello".utf8.prefix(count)))
        #expect((pair.server.ending == nil) == isWhole)
    }

    @Test(
        "TLS stands within TLS, whatever pieces the bytes come in; its end is clean, the outer one's is a cut",
        arguments: [1, 1000, .max]
    )
    func nested(size: Int) throws {
        let outer = try EnginePair(try Self.client(), try Self.server())
        outer.shakeHands(size: size)
        let pair = try EnginePair(try Self.client(), try Self.server(["DNS:inner.example"]), host: "inner.example")
        pair.client.travel(through: outer.client)
        pair.server.travel(through: outer.server)
        #expect(!pair.server.hasAnswered)
        pair.shakeHands(size: size)
        #expect(pair.client.isEstablished && pair.server.isEstablished && pair.server.hasAnswered)
        #expect(pair.server.serverName == "inner.example" && outer.server.serverName == "localhost")
        let content = (0..<40_000).map { UInt8(truncatingIfNeeded: $0) }
        pair.client.write(content.span)
        pair.server.write(content.span)
        pair.run(size: size)
        #expect(pair.received.server == content && pair.received.client == content)
        if size == 1000 { outer.client.close() } else { pair.client.close() }
        pair.run(size: size)
        #expect(pair.server.ending == (size == 1000 ? .failed(TLSError(.contentCut)) : .closed))
    }

    @Test("a hello that came as content of the outer TLS already begins the inner one")
    func nestedHello() throws {
        let outer = try EnginePair(try Self.client(), try Self.server())
        outer.shakeHands()
        let pair = try EnginePair(try Self.client(), try Self.server())
        pair.client.travel(through: outer.client)
        pair.client.begin()
        let hello = EnginePair.give(EnginePair.output(of: outer.client), to: outer.server)
        pair.server.travel(through: outer.server)
        var room = [UInt8](repeating: 0, count: hello.count + pair.server.slack)
        var span = room.mutableSpan
        #expect(pair.server.processCarried(hello.span, into: &span) == 0)
        pair.run()
        #expect(pair.client.isEstablished && pair.server.isEstablished)
    }

    @Test("a record that has come in part is known, wherever it is cut (H-104)", arguments: [1, 100, 16_384])
    func partialRecord(count: Int) throws {
        let pair = try EnginePair(try Self.client(), try Self.server())
        pair.shakeHands()
        #expect(!pair.client.hasPartialRecord)
        pair.server.write([UInt8](repeating: 1, count: count).span)
        let bytes = EnginePair.output(of: pair.server)
        var cuts = [0, 1, 3, 4, 5, 6, bytes.count - 1, bytes.count]
        cuts.sort()
        for (from, to) in zip(cuts, cuts.dropFirst()) {
            let plain = EnginePair.give(Array(bytes[from..<to]), to: pair.client)
            #expect(pair.client.hasPartialRecord == (to < bytes.count), "cut at \(to) of \(bytes.count)")
            #expect(plain.count == (to < bytes.count ? 0 : count))
        }
    }

    @Test("close_notify is a clean end, the end of the connection without it a cut (H-102)")
    func ends() throws {
        let clean = try EnginePair(try Self.client(), try Self.server())
        clean.shakeHands()
        clean.server.close()
        clean.run()
        #expect(clean.client.ending == .closed)
        let cut = try EnginePair(try Self.client(), try Self.server())
        cut.shakeHands()
        cut.client.inputDidEnd()
        #expect(cut.client.ending == .failed(TLSError(.contentCut)))
    }

    @Test("a goodbye in place of a handshake is no clean end")
    func earlyGoodbye() throws {
        let engine = try #require(try Self.client().connect(to: Array("localhost".utf8), port: 443))
        engine.begin()
        _ = EnginePair.give([0x15, 3, 3, 0, 2, 1, 0], to: engine)
        #expect(engine.ending == .failed(TLSError(.handshakeCut)))
    }

    @Test("the store of the output is lent among connections: an idle one keeps none, the largest goes on")
    func store() throws {
        let pair = try EnginePair(try Self.client(), try Self.server())
        var spare: [UInt8] = []
        spare.reserveCapacity(100)
        pair.shakeHands()
        pair.client.write([UInt8](repeating: 1, count: 50_000).span)
        pair.client.borrowStore(&spare)
        #expect(pair.client.unsentBytes > 50_000 && spare.capacity < 50_000)
        pair.run()
        pair.client.leaveStore(&spare)
        #expect(spare.isEmpty && spare.capacity >= 50_000)
        let largest = spare.capacity
        pair.client.borrowStore(&spare)
        #expect(spare.capacity == 0)
        pair.client.leaveStore(&spare)
        #expect(spare.capacity == largest && pair.received.server.count == 50_000)
    }

    @Test(
        "a certificate that is not in order is refused with its reason",
        arguments: [
            (["DNS:other.example"], 0, 86_400, CertificateFault.Kind.wrongName),
            ([], 0, 86_400, .wrongName),
            (["DNS:l*host"], 0, 86_400, .wrongName),
            (["DNS:localhost"], -7200, -3600, .expired),
            (["DNS:localhost"], 3600, 7200, .notYetValid),
        ]
    )
    func faults(names: [String], begins: Int, ends: Int, kind: CertificateFault.Kind) throws {
        let server = try Self.server(names) {
            $0.begins = begins
            $0.ends = ends
        }
        let pair = try EnginePair(try Self.client(), server)
        pair.shakeHands()
        #expect(Self.fault(pair.client) == kind)
        guard case .failed(let error) = pair.client.ending else { return }
        #expect(error.proxyErrorType == "tls_certificate_error" && error.sentence.contains("certificate"))
    }

    @Test("who is signed by itself, by a stranger or against a constraint is not trusted")
    func strangers() throws {
        let alone = try EnginePair(try Self.client(), try Self.server(issuer: nil))
        alone.shakeHands()
        #expect(Self.fault(alone.client) == .selfSigned)
        let other = IssuedCertificate(Self.authorityContents("Other Root"))
        let strange = try EnginePair(try Self.client(), try Self.server(issuer: other))
        strange.shakeHands()
        #expect(Self.fault(strange.client) == .unknownAuthority)
        if case .failed(let error) = strange.client.ending { #expect(error.sentence.contains("“Other Root”")) }
        var bound = Self.authorityContents("Bound")
        bound.nameConstraints = "permitted;DNS:test.example"
        let middle = IssuedCertificate(bound, issuer: Self.authority)
        let outside = try EnginePair(try Self.client(), try Self.server(["DNS:localhost"], issuer: middle))
        outside.shakeHands()
        #expect(Self.fault(outside.client) == .nameConstraint)
        let inside = try EnginePair(
            try Self.client(),
            try Self.server(["DNS:a.test.example"], issuer: middle),
            host: "a.test.example"
        )
        inside.shakeHands()
        #expect(inside.client.isEstablished)
    }

    @Test(
        "a certificate for *.test.example is good for one label",
        arguments: [("a.test.example", true), ("a.b.test.example", false)]
    )
    func wildcards(host: String, isGood: Bool) throws {
        let pair = try EnginePair(try Self.client(), try Self.server(["DNS:*.test.example"]), host: host)
        pair.shakeHands()
        #expect(pair.client.isEstablished == isGood)
    }

    @Test(
        "an address is verified as one and not named in SNI",
        arguments: [("127.0.0.1", true), ("127.0.0.2", false), ("[::1]", false)]
    )
    func addresses(host: String, isGood: Bool) throws {
        let pair = try EnginePair(try Self.client(), try Self.server(), host: host)
        pair.shakeHands()
        #expect(pair.client.isEstablished == isGood)
        #expect(pair.server.serverName == nil)
        if !isGood { #expect(Self.fault(pair.client) == .wrongName) }
    }

    @Test("the error names the hosts and addresses for which the certificate is, as people write them")
    func namesOfOthers() throws {
        let names = ["DNS:other.example", "IP:192.0.2.7", "IP:2001:db8::7"]
        let pair = try EnginePair(try Self.client(), try Self.server(names))
        pair.shakeHands()
        guard case .failed(let error) = pair.client.ending, case .certificate(let fault) = error.reason else {
            Issue.record("the certificate is accepted")
            return
        }
        #expect(fault.names == ["other.example", "192.0.2.7", "2001:db8:0:0:0:0:0:7"])
        #expect(error.sentence.contains("192.0.2.7"), "\(error.sentence)")
    }

    @Test("without verification any certificate will do")
    func unverified() throws {
        let pair = try EnginePair(try Self.client { $0.verifies = false }, try Self.server(["DNS:x"], issuer: nil))
        pair.shakeHands()
        #expect(pair.client.isEstablished)
    }

    @Test("a second connection resumes the first one's session, once per ticket, and only for the same host and port")
    func resumption() throws {
        let client = try Self.client()
        let server = try Self.server()
        var resumed: [Bool] = []
        for _ in 0..<3 {
            let pair = try EnginePair(client, server)
            pair.shakeHands()
            resumed.append(pair.client.isResumed && pair.server.isResumed)
        }
        #expect(resumed == [false, true, true])
        let address = try EnginePair(client, server, host: "127.0.0.1")
        address.shakeHands()
        #expect(address.client.isEstablished && !address.client.isResumed)
    }

    @Test("after a handshake that came to no end no session is offered", arguments: [true, false])
    func sessionAfterCut(isToldOfEnd: Bool) throws {
        let (client, server) = (try Self.client(), try Self.server())
        try EnginePair(client, server).shakeHands()
        do {
            let cut = try #require(client.connect(to: Array("localhost".utf8), port: 443))
            cut.begin()
            if isToldOfEnd { cut.inputDidEnd() }
        }
        let next = try EnginePair(client, server)
        next.shakeHands()
        #expect(next.client.isEstablished && !next.client.isResumed)
    }

    @Test("what is not TLS is told apart: plain HTTP and anything else")
    func notTLS() throws {
        for (bytes, isHTTP) in [("HTTP/1.1 400 Bad Request\r\n\r\n", true), ("SSH-2.0-x\r\n", false)] {
            let engine = try #require(try Self.client().connect(to: Array("localhost".utf8), port: 443))
            engine.begin()
            #expect(EnginePair.give(Array(bytes.utf8), to: engine) == [])
            #expect(engine.ending == .failed(TLSError(.notTLS(isHTTP: isHTTP))))
        }
    }

    @Test("garbage in place of a server's hello ends the handshake, whatever it is")
    func garbage() throws {
        var generator = SystemRandomNumberGenerator()
        let client = try Self.client()
        for round in 0..<300 {
            let engine = try #require(client.connect(to: Array("localhost".utf8), port: 443))
            engine.begin()
            // Half of them look like a record of a handshake.
            var bytes = (0..<Int.random(in: 1...2000)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if round % 2 == 0 { bytes = [0x16, 3, 3, 0, UInt8(truncatingIfNeeded: round)] + bytes }
            _ = EnginePair.give(bytes, to: engine)
            engine.inputDidEnd()
            guard case .failed(let error) = engine.ending else {
                Issue.record("garbage was taken for a handshake")
                return
            }
            #expect(!engine.isEstablished && !error.sentence.isEmpty)
        }
    }

    @Test("a flipped byte of a handshake or of content never passes")
    func flipped() throws {
        let client = try Self.client()
        let server = try Self.server()
        for position in stride(from: 0, to: 600, by: 37) {
            let pair = try EnginePair(client, server)
            pair.client.begin()
            _ = EnginePair.give(EnginePair.output(of: pair.client), to: pair.server)
            var answer = EnginePair.output(of: pair.server)
            answer[position % answer.count] ^= 0x20
            _ = EnginePair.give(answer, to: pair.client)
            // A record may be waited for in vain: it never ends well.
            #expect(!pair.client.isEstablished)
        }
    }

    @Test("a fatal alert is told by its name")
    func alerts() throws {
        let engine = try #require(try Self.client().connect(to: Array("localhost".utf8), port: 443))
        engine.begin()
        _ = EnginePair.give([0x15, 3, 3, 0, 2, 2, 40], to: engine)
        #expect(engine.ending == .failed(TLSError(.alert(40))))
        #expect(TLSError(.alert(40)).sentence.contains("handshake_failure"))
        #expect(TLSError(.alert(40)).proxyErrorType == "tls_alert_received")
    }

    @Test("a server that wants a client certificate gets it, or says that it misses it")
    func clientCertificate() throws {
        let issued = IssuedCertificate(CertificateContents("server", names: ["DNS:localhost"]), issuer: Self.authority)
        var settings = TLSServerSettings(
            certificate: .init(certificateFile: issued.certificateFile, keyFile: issued.keyFile)
        )
        settings.clientAuthorityFiles = [Self.authority.certificateFile]
        let server = try TLSServerContext(settings)
        let mine = IssuedCertificate(CertificateContents("client"), issuer: Self.authority)
        let known = try EnginePair(
            try Self.client { $0.certificate = .init(certificateFile: mine.certificateFile, keyFile: mine.keyFile) },
            server
        )
        known.shakeHands()
        known.client.write([1].span)
        known.run()
        #expect(known.received.server == [1])
        let unknown = try EnginePair(try Self.client(), server)
        unknown.shakeHands()
        #expect(unknown.client.ending == .failed(TLSError(.alert(116))))
    }

    @Test("files that are missing, empty or do not belong together are named")
    func files() throws {
        #expect(throws: TLSConfigurationError.self) { try Self.client { $0.authorityFiles = ["/nonexistent/ca.pem"] } }
        let one = IssuedCertificate(CertificateContents("one"), issuer: Self.authority)
        let two = IssuedCertificate(CertificateContents("two"), issuer: Self.authority)
        #expect {
            try Self.client { $0.certificate = .init(certificateFile: one.certificateFile, keyFile: two.keyFile) }
        } throws: { error in
            (error as? TLSConfigurationError)?.subject == .keyFile
        }
    }

    @Test("a key that everybody may read, others may write, or another user owns is refused, with what to do")
    func openKeys() throws {
        let issued = IssuedCertificate(CertificateContents("open"), issuer: Self.authority)
        func fault() -> String? {
            do {
                _ = try Self.client {
                    $0.certificate = .init(certificateFile: issued.certificateFile, keyFile: issued.keyFile)
                }
                return nil
            } catch {
                let error = error as? TLSConfigurationError
                return error?.subject == .keyFile ? error?.userMessage : nil
            }
        }
        #expect(fault() == nil)
        for mode in [0o644, 0o604, 0o620, 0o602] as [mode_t] {
            chmod(issued.keyFile, mode)
            #expect(fault()?.contains("`chmod 600`") == true)
        }
        chmod(issued.keyFile, 0o640)
        #expect(fault() == nil)
        guard geteuid() == 0 else { return }
        chown(issued.keyFile, 12345, 12345)
        #expect(fault()?.contains("belongs to user 12345") == true)
    }

    @Test("contexts that trust the same share the store; it goes with the last of them, and other bytes make another")
    func sharedTrust() throws {
        let authority = IssuedCertificate(CertificateContents("authority"))
        let other = IssuedCertificate(CertificateContents("other"))
        let files = [authority.certificateFile]
        func store(_ system: Bool = false) throws -> TrustStore {
            try TrustStore.shared(files: files, system: system, fingerprint: FileDigest.digest(of: files))
        }
        var first: TrustStore? = try store()
        weak let known = first
        #expect(try store() === first)
        #expect(try store(true) !== first)
        #expect(rename(other.certificateFile, authority.certificateFile) == 0)
        #expect(try store() !== first)
        first = nil
        #expect(known == nil)
    }

    @Test("a context with the same files is the same but for its number; other bytes in a file make it another")
    func fingerprints() throws {
        let (one, other) = (
            IssuedCertificate(CertificateContents("one")), IssuedCertificate(CertificateContents("other"))
        )
        var settings = TLSClientSettings()
        settings.authorityFiles = [Self.authority.certificateFile]
        settings.certificate = .init(certificateFile: one.certificateFile, keyFile: one.keyFile)
        let first = try TLSClientContext(settings)
        let second = try TLSClientContext(settings)
        #expect(first.number != second.number && first.isEquivalent(to: second))
        #expect(!first.certificateFingerprint.isEmpty)
        #expect(first.certificateFingerprint == second.certificateFingerprint)
        var stranger = settings
        stranger.certificate = nil
        #expect(try TLSClientContext(stranger).certificateFingerprint.isEmpty)
        #expect(rename(other.certificateFile, one.certificateFile) == 0 && rename(other.keyFile, one.keyFile) == 0)
        let renewed = try TLSClientContext(settings)
        #expect(!first.isEquivalent(to: renewed))
        #expect(first.certificateFingerprint != renewed.certificateFingerprint)
    }
}
