import Eventing
import HTTPCore
import TestSupport
import Testing
import TransportSecurity

@Suite("Streams that speak TLS")
struct SecureStreamTests {
    /// Two ends of one connection whose handshake is done.
    private static func secure(
        _ loop: EventLoop,
        _ outcome: Outcome<[UInt8]>,
        then run: @escaping (_ client: Stream, _ server: Stream) -> Void
    ) throws {
        let site = try TestSite()
        let (client, server) = try makePair(loop)
        guard let near = try TLSClientContext(site.clientSettings).connect(to: Array("localhost".utf8), port: 443),
            let far = site.context.accept()
        else { throw StreamError.reset }
        var waiting = 2
        func didShake(_ result: Result<Void, StreamError>) {
            if case .failure(let error) = result { return outcome.finish(.failure(error)) }
            waiting -= 1
            if waiting == 0 { run(client, server) }
        }
        client.secure(by: near, didShake)
        server.secure(by: far, didShake)
    }

    @Test("who says that no more comes still reads; the peer is told by TLS, so that it is no cut (H-102, H-081)")
    func halfClose() async throws {
        let answer: [UInt8] = try await onLoop { loop, outcome in
            try Self.secure(loop, outcome) { client, server in
                var got: [UInt8] = []
                let near = Scripted()
                near.onRead = { _, bytes in
                    got += bytes
                    return bytes.count
                }
                near.onEnd = { _ in outcome.succeed(got) }
                near.onFail = { _, error in outcome.finish(.failure(error)) }
                client.delegate = near
                let far = Scripted()
                far.onEnd = { stream in
                    stream.append { $0 += [1, 2, 3] }
                    stream.closeAfterSending()
                }
                far.onFail = { _, error in outcome.finish(.failure(error)) }
                server.delegate = far
                // Nothing is unsent: the goodbye is all there is to say.
                client.closeWrite()
            }
        }
        #expect(answer == [1, 2, 3])
    }
}
