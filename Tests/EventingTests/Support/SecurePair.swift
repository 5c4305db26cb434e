import HTTPCore
import TestSupport
import Testing
import TransportSecurity

@testable import Eventing

extension ManualLoop {
    /// Runs turns until `isDone`, two thousand at most.
    func turn(until isDone: () -> Bool) {
        var turns = 0
        while !isDone(), turns < 2000 {
            turn()
            turns += 1
        }
    }
}

/// Two connected streams of a loop by hand, and what both need for TLS.
final class SecurePair {
    let manual: ManualLoop
    let client: Stream
    let server: Stream
    /// How the handshakes have ended, in this order; nil: well.
    private(set) var ends: [StreamError?] = []
    private let site: TestSite
    private let context: TLSClientContext

    init() throws {
        manual = try ManualLoop()
        (client, server) = try makePair(manual.loop)
        site = try TestSite()
        context = try TLSClientContext(site.clientSettings)
    }

    func makeClientEngine() throws -> TLSEngine {
        try #require(context.connect(to: Array("localhost".utf8), port: 443))
    }

    func makeServerEngine() throws -> TLSEngine { try #require(site.context.accept()) }

    func note(_ result: Result<Void, StreamError>) {
        switch result {
        case .success: ends.append(nil)
        case .failure(let error): ends.append(error)
        }
    }

    /// Makes both ends speak TLS, inside of what they speak so far.
    func shakeHands(within time: Duration? = nil) throws {
        let count = ends.count + 2
        client.secure(by: try makeClientEngine(), within: time, note)
        server.secure(by: try makeServerEngine(), within: time, note)
        manual.turn(until: { ends.count == count })
        manual.turn()
        try #require(ends.count == count && ends.allSatisfy { $0 == nil })
    }

    /// Gives both streams a delegate, which reads the messages of TLS itself, too.
    func settle() {
        for stream in [client, server] { stream.delegate = Scripted() }
        for _ in 0..<3 { manual.turn() }
    }
}
