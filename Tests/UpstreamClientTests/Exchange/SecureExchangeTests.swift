import Exchanges
import HTTPCore
import Locking
import TestSupport
import Testing
import TransportSecurity
import UpstreamClient

@Suite("Exchanges over TLS")
struct SecureExchangeTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private static func failure(
        _ site: TestSite,
        _ settings: TLSClientSettings,
        host: String = "127.0.0.1",
        _ script: @escaping @Sendable (OriginPeer, Int) -> Void = { peer, _ in _ = peer.readHead() }
    ) throws -> ExchangeFailure? {
        let origin = TestOrigin(site: site, script)
        let client = try TestClient(security: settings)
        guard case .failure(let failure) = client.start(.to(origin, scheme: .https, host: host)).result() else {
            return nil
        }
        return failure
    }

    @Test("a connection is kept, and a later one resumes the session of an earlier one")
    func reuseAndResumption() throws {
        let site = try TestSite()
        let seen = Lock<[(isResumed: Bool, name: String?, protocolName: String?)]>([])
        let origin = TestOrigin(site: site) { peer, number in
            for _ in 0..<(number == 0 ? 2 : 1) {
                guard peer.readHead() != nil else { return }
                if let engine = peer.security?.engine {
                    seen.withLock { $0.append((engine.isResumed, engine.serverName, engine.selectedProtocol)) }
                }
                peer.send(Self.answer)
            }
            peer.security?.close()
        }
        let client = try TestClient(security: site.clientSettings)
        for _ in 0..<3 {
            let request = OriginRequest.to(origin, scheme: .https, host: "localhost")
            #expect(client.start(request).result() == .success("ok"))
        }
        let connections = seen.withLock { $0 }
        #expect(connections.map(\.isResumed) == [false, false, true])
        #expect(connections.allSatisfy { $0.name == "localhost" && $0.protocolName == "http/1.1" })
        #expect(origin.connections == 2)
    }

    @Test("the times of a connection are taken: name, connect, TLS, first byte; on a kept one only the first byte")
    func timings() throws {
        let site = try TestSite()
        let origin = TestOrigin(site: site) { peer, _ in while peer.readHead() != nil { peer.send(Self.answer) } }
        let client = try TestClient(security: site.clientSettings)
        let taken = ["localhost", "localhost", "127.0.0.1"].map { host in
            let stopwatch = Stopwatch()
            let asking = RequestingClient(address: nil, stopwatch: stopwatch)
            let request = OriginRequest.to(origin, scheme: .https, host: host, client: asking)
            #expect(client.start(request).result() == .success("ok"))
            return stopwatch.timings
        }
        for times in taken { #expect(times.queue == nil && (times.firstByte ?? 0) > 0) }
        #expect(taken.map { $0.name == nil } == [false, true, true])
        #expect(taken.map { ($0.connect ?? 0) > 0 } == [true, false, true])
        // A client of TLS always waits for a turn of the server.
        #expect(taken.map { ($0.handshake ?? 0) > 0 } == [true, false, true])
    }

    @Test("a handshake that failed took time until then")
    func failedHandshake() throws {
        let site = try TestSite()
        let origin = TestOrigin(site: site) { peer, _ in _ = peer.readHead() }
        let client = try TestClient(security: TLSClientSettings())
        let stopwatch = Stopwatch()
        let asking = RequestingClient(address: nil, stopwatch: stopwatch)
        #expect(client.start(.to(origin, scheme: .https, client: asking)).failure != nil)
        let times = stopwatch.timings
        #expect((times.connect ?? 0) > 0 && (times.handshake ?? 0) > 0 && times.firstByte == nil)
    }

    @Test("an origin's version, cipher and certificate are known while it has connections, also of a resumed session")
    func facts() throws {
        let site = try TestSite()
        let origin = TestOrigin(site: site) { peer, number in
            for _ in 0..<(number == 0 ? 1 : 9) {
                guard peer.readHead() != nil else { return }
                peer.send(Self.answer)
            }
            peer.security?.close()
        }
        let client = try TestClient(security: site.clientSettings)
        for _ in 0..<3 {
            let request = OriginRequest.to(origin, scheme: .https, host: "localhost")
            #expect(client.start(request).result() == .success("ok"))
        }
        let facts = try #require(client.limiter.origins(limit: 1).first?.security)
        #expect(facts.version == "TLSv1.3" && facts.cipher.hasPrefix("TLS_"))
        #expect(!facts.issuer.isEmpty && facts.ends.map { $0.seconds > 1_600_000_000 } == true)
    }

    @Test(
        "content larger than all buffers goes whole through TLS, up and down",
        arguments: [1, 100_000, 1 << 20]
    )
    func largeContent(count: Int) throws {
        let site = try TestSite()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        let origin = TestOrigin(site: site) { peer, _ in
            guard peer.readHead() != nil else { return }
            let content = peer.read(count)
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n")
            peer.send(content)
            _ = peer.readAll()
        }
        let client = try TestClient(security: site.clientSettings)
        let request = OriginRequest.to(origin, .put, framing: .length(Int64(count)), scheme: .https)
        let receiver = client.start(request)
        var sent = 0
        while sent < count, receiver.next() == .wants {
            let piece = Array(bytes[sent..<min(count, sent + 100_000)])
            sent += piece.count
            receiver.exchange?.send(ByteChunk(piece))
        }
        receiver.exchange?.finish(trailers: nil)
        guard case .success = receiver.result() else {
            Issue.record("the exchange failed")
            return
        }
        #expect(receiver.bytes == bytes)
    }

    @Test("content that ends with the connection needs close_notify to be whole (H-102)", arguments: [true, false])
    func closeDelimited(isSaid: Bool) throws {
        let site = try TestSite()
        let origin = TestOrigin(site: site) { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 200 OK\r\n\r\nwhole")
            if isSaid { peer.security?.close() }
        }
        let result = try TestClient(security: site.clientSettings).start(.to(origin, scheme: .https)).result()
        switch result {
        case .success(let content): #expect(isSaid && content == "whole")
        case .failure(let failure):
            #expect(!isSaid && failure.kind == .responseIncomplete && failure.userMessage.contains("close_notify"))
        }
    }

    @Test("a certificate that is not in order is told with its reason, and the origin hears no request")
    func certificates() throws {
        let site = try TestSite(names: ["DNS:other.example"])
        let heard = Lock(false)
        let wrong = try Self.failure(site, site.clientSettings) { peer, _ in
            if peer.readHead() != nil { heard.withLock { $0 = true } }
        }
        #expect(wrong?.kind == .tlsCertificateError && wrong?.status == 502)
        #expect(wrong?.userMessage.contains("is for other.example, not for this host") == true)
        let expired = try TestSite { ($0.begins, $0.ends) = (-7200, -3600) }
        #expect(try Self.failure(expired, expired.clientSettings)?.userMessage.contains("expired on 20") == true)
        let unknown = try TestSite()
        let stranger = try Self.failure(unknown, site.clientSettings)
        #expect(stranger?.userMessage.contains("“Test Root”") == true)
        #expect(stranger?.userMessage.contains("tls.ca-files") == true)
        #expect(stranger?.requestMayHaveArrived == false)
        #expect(heard.withLock { !$0 })
    }

    @Test("a server that wants a client certificate says so by an alert")
    func missingClientCertificate() throws {
        let site = try TestSite(asksClients: true)
        let failure = try Self.failure(site, site.clientSettings)
        #expect(failure?.kind == .tlsAlertReceived)
        #expect(failure?.userMessage.contains("certificate_required") == true)
    }

    @Test("a server that does not speak TLS is told so")
    func plainHTTP() throws {
        let origin = TestOrigin { peer, _ in
            peer.send("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
            _ = peer.readAll()
        }
        let client = try TestClient(security: TLSClientSettings())
        guard case .failure(let failure) = client.start(.to(origin, scheme: .https)).result() else {
            Issue.record("it must fail")
            return
        }
        #expect(failure.kind == .tlsProtocolError && failure.userMessage.contains("plain HTTP"))
    }

    @Test("a handshake that is cut, reset or never answered ends with 502 or, in time, with 504")
    func cutHandshakes() throws {
        // Nothing, a part of a record, and a whole one that says goodbye.
        for hello in ["", "\u{16}\u{03}\u{03}", "\u{15}\u{03}\u{03}\u{00}\u{02}\u{01}\u{00}"] {
            let origin = TestOrigin { peer, number in
                _ = peer.read(1)
                peer.send(hello)
                if number == 1 { peer.reset() }
            }
            let client = try TestClient(security: TLSClientSettings())
            for _ in 0..<2 {
                #expect(client.start(.to(origin, scheme: .https)).failure == .tlsProtocolError)
            }
        }
        let silent = TestOrigin { peer, _ in _ = peer.readAll() }
        let client = try TestClient(security: TLSClientSettings()) { $0.connectTimeout = .milliseconds(300) }
        guard case .failure(let failure) = client.start(.to(silent, scheme: .https)).result() else {
            Issue.record("it must fail")
            return
        }
        #expect(failure.status == 504 && failure.userMessage.contains("TLS handshake"))
    }

    @Test("a cancelled handshake ends its connection and gives its place back")
    func cancelledHandshake() throws {
        let ended = WaitQueue<Bool>()
        let begun = WaitQueue<Bool>()
        let waiting = TestOrigin { peer, _ in
            _ = peer.read(1)
            begun.push(true)
            _ = peer.readAll()
            ended.push(true)
        }
        let client = try TestClient(security: TLSClientSettings()) { $0.connectionsPerOrigin = 1 }
        let receiver = client.start(.to(waiting, scheme: .https))
        #expect(begun.pop() == true)
        receiver.exchange?.cancel()
        #expect(ended.pop() == true)
        _ = client.start(.to(waiting, scheme: .https))
        #expect(begun.pop() == true)
    }

    @Test("a reload that changes nothing about TLS keeps idle connections; what nothing matches any more is closed")
    func reload() throws {
        let site = try TestSite()
        let origin = TestOrigin(site: site) { peer, _ in while peer.readHead() != nil { peer.send(Self.answer) } }
        let client = try TestClient(security: site.clientSettings)
        #expect(client.start(.to(origin, scheme: .https)).result() == .success("ok"))
        var same = UpstreamSecurity(usual: try TLSClientContext(site.clientSettings))
        same.adopt(client.security)
        #expect(same.usual?.number == client.security.usual?.number)
        client.apply(security: same, renewsConnections: false)
        #expect(client.statistics().idle == 1)
        #expect(client.start(.to(origin, scheme: .https)).result() == .success("ok"))
        #expect(origin.connections == 1)
        let other = UpstreamSecurity(usual: try TLSClientContext(site.clientSettings))
        client.apply(security: other, renewsConnections: false)
        #expect(client.statistics().idle == 0)
        #expect(client.start(.to(origin, scheme: .https)).result() == .success("ok"))
        #expect(origin.connections == 2)
    }

    @Test("requests under different TLS contexts have connections of their own, and each finds its own again")
    func separateContexts() throws {
        let site = try TestSite()
        let origin = TestOrigin(site: site) { peer, number in
            while peer.readHead() != nil { peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)") }
        }
        let client = try TestClient(security: site.clientSettings)
        var security = client.security
        security.named["other"] = try TLSClientContext(site.clientSettings)
        client.apply(security: security, renewsConnections: false)
        let usual = OriginRequest.to(origin, scheme: .https)
        var other = usual
        other.policies.security = "other"
        for _ in 0..<2 {
            #expect(client.start(usual).result() == .success("0"))
            #expect(client.start(other).result() == .success("1"))
        }
        #expect(origin.connections == 2)
    }

    @Test("a connection in use when its context goes is not kept after that")
    func reloadAmidExchange() throws {
        let site = try TestSite()
        let (asked, may) = (WaitQueue<Bool>(), WaitQueue<Bool>())
        let origin = TestOrigin(site: site) { peer, _ in
            _ = peer.readHead()
            asked.push(true)
            _ = may.pop()
            peer.send(Self.answer)
            _ = peer.readHead()
        }
        let client = try TestClient(security: site.clientSettings)
        let receiver = client.start(.to(origin, scheme: .https))
        #expect(asked.pop() == true)
        let other = UpstreamSecurity(usual: try TLSClientContext(site.clientSettings))
        client.apply(security: other, renewsConnections: false)
        may.push(true)
        #expect(receiver.result() == .success("ok"))
        #expect(client.statistics().idle == 0)
    }
}
