import Eventing
import HTTPCore
import HTTPServer
import Observability
import TestSupport
import Testing
import TransportSecurity

@testable import Proxying

/// TLS that ends here, on a connection that was used before.
@Suite struct InterceptedHandshakeTests {
    /// The client's end of TLS to a host below `example`.
    private static func engine(_ host: String, trusting authority: CertificateAuthority) throws -> TLSEngine {
        let directory = TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        var settings = TLSClientSettings()
        settings.trustsSystem = false
        settings.authorityFiles = [try directory.write(authority.certificate.pem, to: "ca.pem")]
        return try #require(try TLSClientContext(settings).connect(to: Array(host.utf8), port: 8443))
    }

    @Test("behind responses that the client has yet to read, the handshake waits for these, and then goes on")
    func backlog() throws {
        let count = 12
        let content = String(repeating: "0123456789abcdef", count: 1 << 16)
        let origin = TestOrigin.answering { _ in response("200 OK", "Cache-Control: max-age=600", content: content) }
        let authority = try CertificateAuthority.make(name: "Lab", days: 2, at: HTTPDate.now)
        let interception = Interception(
            hosts: [try HostPattern("a.example:8443")],
            context: try TLSMintingContext(try CertificateMint(authority)),
            refusals: CertificateRefusals()
        )
        let proxy = try TestProxy {
            $0.server.unsentPerExchange = 64 << 20
            $0.options.interception = interception
        }
        let url = origin.url("/x")
        try #require(proxy.ask(url)?.status == 200)
        let engine = try Self.engine("a.example", trusting: authority)
        engine.begin()
        var hello: [UInt8] = []
        engine.sendOutput { bytes in
            for index in bytes.indices { hello.append(bytes[index]) }
            return bytes.count
        }
        // A small buffer, and a client that has not read yet: the responses wait in the proxy.
        let reader = ReplyReader(proxy.client(receiveBuffer: 65_536))
        let connect = proxy.request("CONNECT", "a.example:8443", ["Host: a.example:8443"])
        let requests = String(repeating: proxy.request("GET", url), count: count) + connect
        reader.client.send(Array(requests.utf8) + hello)
        for _ in 0..<count {
            let reply = try #require(reader.next())
            #expect(reply.isHit && reply.content == content)
        }
        #expect(reader.next(hasContent: false)?.status == 200)
        let security = BlockingTLS(engine, over: reader.client.descriptor)
        try #require(security.shakeHands(received: reader.takeReceived()))
        // What follows is read, and answered from here.
        let lines = ["GET /y HTTP/1.1", "Host: a.example:8443", "Cache-Control: only-if-cached"]
        security.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
        let text = String(decoding: security.receive(), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 504 "), "\(text)")
        #expect(proxy.metrics.interceptions.value == 1 && proxy.metrics.failedInterceptions.value == 0)
        #expect(origin.requests.count == 1)
    }
}
