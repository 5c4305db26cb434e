import HTTPCore
import TestSupport
import Testing

@testable import TransportSecurity

@Suite("What is known of a connection with TLS") struct EngineFactsTests {
    @Test("the client knows the server's certificate; the server knows none")
    func facts() throws {
        let pair = try EnginePair(try EngineTests.client(), try EngineTests.server())
        #expect(!pair.server.hasAnswered)
        pair.shakeHands()
        let facts = pair.client.facts
        #expect(facts.version == "TLSv1.3" && facts.cipher.hasPrefix("TLS_"))
        #expect(facts.subject == "leaf" && facts.issuer == "Test Root")
        let seconds = try #require(facts.ends).seconds - currentDate.seconds
        #expect((86_300...86_400).contains(seconds))
        #expect(pair.server.facts == TLSFacts(version: "TLSv1.3", cipher: facts.cipher))
        #expect(pair.server.hasAnswered && pair.server.isServer && !pair.client.isServer)
    }

    @Test("a fault has subject, issuer and date of the certificate, without what could deceive a reader")
    func fault() throws {
        let server = try EngineTests.server(["DNS:localhost"]) {
            $0.commonName = "a\"b\u{7F}\u{1F}~ " + String(repeating: "x", count: 57)
            $0.begins = -7200
            $0.ends = -3600
        }
        let pair = try EnginePair(try EngineTests.client(), server)
        pair.shakeHands()
        guard case .failed(let error) = pair.client.ending, case .certificate(let fault) = error.reason else {
            Issue.record("the certificate is accepted")
            return
        }
        let subject = "a?b??~ " + String(repeating: "x", count: 57)
        let days = [HTTPDate(seconds: currentDate.seconds - 3600), HTTPDate(seconds: currentDate.seconds - 3700)]
        #expect(days.map(\.day).contains(fault.date))
        #expect(fault == CertificateFault(.expired, subject: subject, issuer: "Test Root", date: fault.date))
    }

    @Test("of the names of a certificate five are told, and of each 64 bytes", arguments: [(5, false), (6, true)])
    func names(count: Int, hasMore: Bool) throws {
        let long = String(repeating: "n", count: 70)
        let names = [long] + (1..<count).map { "h\($0).example" }
        let pair = try EnginePair(try EngineTests.client(), try EngineTests.server(names.map { "DNS:" + $0 }))
        pair.shakeHands()
        let told = [String(long.prefix(64))] + names[1..<5] + (hasMore ? ["…"] : [])
        let fault = CertificateFault(.wrongName, subject: "leaf", issuer: "Test Root", names: told)
        #expect(pair.client.ending == .failed(TLSError(.certificate(fault))))
    }

    @Test("without a protocol in common none is chosen; names that do not fit are not offered")
    func protocols() throws {
        let pair = try EnginePair(try EngineTests.client(), try EngineTests.server(protocols: ["h2"]))
        pair.shakeHands()
        #expect(pair.client.isEstablished && pair.client.selectedProtocol == nil)
        let long = String(repeating: "x", count: 255)
        #expect(encodedProtocols(["", "h2", long + "x", "a"]) == [2, 0x68, 0x32, 1, 0x61])
        #expect(encodedProtocols([long]) == [255] + Array(long.utf8))
    }

    @Test("a server tells plain HTTP by a method's first letter", arguments: [("A", true), ("Z", true), ("@", false)])
    func plainRequests(text: String, isHTTP: Bool) throws {
        let engine = try #require(try EngineTests.server().accept())
        engine.begin()
        #expect(EnginePair.give(Array(text.utf8), to: engine) == [])
        #expect(engine.ending == .failed(TLSError(.notTLS(isHTTP: isHTTP))))
        engine.inputDidEnd()
        #expect(engine.ending == .failed(TLSError(.notTLS(isHTTP: isHTTP))))
    }

    @Test("the end of the connection before the end of the handshake is a cut of that")
    func cutHandshake() throws {
        let engine = try #require(try EngineTests.server().accept())
        engine.begin()
        engine.inputDidEnd()
        #expect(engine.ending == .failed(TLSError(.handshakeCut)) && !engine.isEstablished)
        engine.write(([1, 2] as [UInt8]).span)
        engine.close()
        #expect(engine.unsentBytes == 0)
    }

    @Test("output is sent in the pieces that the socket takes, and nothing is written after the goodbye")
    func pieces() throws {
        let pair = try EnginePair(try EngineTests.client(), try EngineTests.server())
        pair.shakeHands()
        pair.client.write(([1, 2, 3] as [UInt8]).span)
        let all = pair.client.unsentBytes
        var taken: [UInt8] = []
        for count in [0, 1, 5] {
            pair.client.sendOutput { span in
                for index in 0..<count { taken.append(span[index]) }
                return count
            }
        }
        #expect(pair.client.unsentBytes == all - 6)
        pair.client.write(([4] as [UInt8]).span)
        pair.client.close()
        let rest = pair.client.unsentBytes
        pair.client.write(([5] as [UInt8]).span)
        pair.client.close()
        #expect(pair.client.unsentBytes == rest)
        #expect(EnginePair.give(taken + EnginePair.output(of: pair.client), to: pair.server) == [1, 2, 3, 4])
        #expect(pair.server.ending == .closed)
        pair.server.inputDidEnd()
        #expect(pair.server.ending == .closed)
    }

    @Test("an engine needs room for one record beyond its input, and inside another engine for two")
    func slack() throws {
        let outer = try EnginePair(try EngineTests.client(), try EngineTests.server())
        let inner = try EnginePair(try EngineTests.client(), try EngineTests.server())
        inner.client.travel(through: outer.client)
        #expect(outer.client.slack == 17_408 && !outer.client.isCarried)
        #expect(inner.client.slack == 34_816 && inner.client.isCarried)
    }

    @Test("a file that is of no use is named with what it should have been")
    func files() throws {
        let (one, two) = (IssuedCertificate(CertificateContents("one")), IssuedCertificate(CertificateContents("two")))
        let none = "\(one.certificateFile).none"
        func refusal(_ change: (inout TLSClientSettings) -> Void) -> TLSConfigurationError? {
            do {
                _ = try EngineTests.client(change)
                return nil
            } catch {
                return error as? TLSConfigurationError
            }
        }
        let authority = try #require(refusal { $0.authorityFiles = [none] })
        #expect(authority.subject == .authorityFile(none))
        #expect(authority.userMessage.hasPrefix("cannot read certificates from \(none): "))
        let certificate = try #require(refusal { $0.certificate = .init(certificateFile: none, keyFile: one.keyFile) })
        #expect(certificate.subject == .certificateFile)
        #expect(certificate.userMessage.hasPrefix("cannot read a certificate from \(none): "))
        let key = try #require(
            refusal { $0.certificate = .init(certificateFile: one.certificateFile, keyFile: two.keyFile) }
        )
        #expect(key.subject == .keyFile)
        #expect(key.userMessage.hasPrefix("cannot use the key in \(two.keyFile) for that certificate: "))
    }

    @Test("an alert is told by its number, whatever that is", arguments: [1, 40, 255] as [UInt8])
    func alerts(number: UInt8) throws {
        let engine = try #require(try EngineTests.client().connect(to: Array("localhost".utf8), port: 443))
        engine.begin()
        _ = EnginePair.give([0x15, 3, 3, 0, 2, 2, number], to: engine)
        #expect(engine.ending == .failed(TLSError(.alert(number))))
    }

    @Test(
        "a server's certificate has whole days left, and -1 after its end",
        arguments: [(-3600, -1), (3600, 0), (86_400 + 3600, 1), (10 * 86_400 + 3600, 10), (-86_400 - 3600, -1)]
    )
    func end(seconds: Int, days: Int) throws {
        let server = try EngineTests.server {
            $0.begins = -20 * 86_400
            $0.ends = seconds
        }
        let dates = [0, -60].map { HTTPDate(seconds: currentDate.seconds + Int64(seconds) + $0).day }
        let end = try #require(server.end)
        #expect(end.daysLeft == days && dates.contains(end.date))
    }

    @Test("a session belongs to one port; a name with a dot at its end is the same host")
    func sessions() throws {
        let (client, server) = (try EngineTests.client(), try EngineTests.server())
        try EnginePair(client, server).shakeHands()
        for port in [444, 443 + 256] as [UInt16] {
            let engine = try #require(client.connect(to: Array("localhost".utf8), port: port))
            let peer = try #require(server.accept())
            engine.begin()
            while engine.unsentBytes + peer.unsentBytes > 0 {
                _ = EnginePair.give(EnginePair.output(of: engine), to: peer)
                _ = EnginePair.give(EnginePair.output(of: peer), to: engine)
            }
            #expect(engine.isEstablished && !engine.isResumed)
        }
        let dotted = try EnginePair(client, server, host: "localhost.")
        dotted.shakeHands()
        #expect(dotted.client.isEstablished && dotted.client.isResumed)
        #expect(dotted.server.serverName == "localhost")
    }
}
