import Testing

@testable import TransportSecurity

@Suite("Sessions of TLS that a client keeps") struct SessionStoreTests {
    /// So many sessions that may be resumed once each, the oldest first.
    private static func sessions(_ count: Int) throws -> [Session] {
        let (client, server) = (try EngineTests.client(), try EngineTests.server())
        let key = Array("localhost".utf8) + [0x3A, 0x01, 0xBB]
        var all: [Session] = []
        for _ in 0..<count where all.count < count {
            try EnginePair(client, server).shakeHands()
            while all.count < count, let session = client.sessions.take(key) { all.append(session) }
        }
        try #require(all.count == count && all.allSatisfy(\.isSingleUse))
        return all
    }

    @Test("of one host the four latest are kept, and each is given once, the latest first")
    func perHost() throws {
        let (store, sessions) = (SessionStore(), try Self.sessions(5))
        for session in sessions { store.keep(session, for: [1]) }
        #expect(store.take([2]) == nil)
        let taken = (0..<5).map { _ in store.take([1]) }
        #expect(zip(taken, sessions.reversed()).dropLast().allSatisfy { $0 === $1 } && taken[4] == nil)
        store.keep(sessions[0], for: [1])
        store.forget([1])
        #expect(store.take([1]) == nil)
    }

    @Test("beyond 1024 hosts the quarter goes whose sessions are the oldest")
    func hosts() throws {
        let (store, session) = (SessionStore(), try Self.sessions(1)[0])
        func key(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
        for number in 0..<1024 { store.keep(session, for: key(number)) }
        // One more of the first host is the latest of all.
        store.keep(session, for: key(0))
        #expect(store.take(key(1)) != nil)
        store.keep(session, for: key(1))
        store.keep(session, for: key(1024))
        let kept = [0, 1, 2, 257, 258, 259, 1023, 1024].map { store.take(key($0)) != nil }
        #expect(kept == [true, true, false, false, true, true, true, true])
    }
}
