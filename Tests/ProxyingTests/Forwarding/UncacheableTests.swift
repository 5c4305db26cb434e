import Locking
import Proxying
import ResourceCore
import Testing
import UpstreamClient
import TestSupport

/// What nobody may share never makes requests wait for each other.
@Suite struct UncacheableTests {
    /// An origin that holds requests back until enough are there at once.
    private final class Barrier: Sendable {
        private struct State {
            var total = 0
            var most = 0
            var held: [OriginPeer] = []
            var isOpen = false
        }

        private let state = Lock(State())
        private let width: Int
        /// Told the first request of a burst.
        let first = WaitQueue<OriginPeer>()

        init(width: Int) { self.width = width }

        /// Requests of this burst, and how many of them were there at once.
        var counts: (total: Int, most: Int) { state.withLock { ($0.total, $0.most) } }

        func begin() { state.withLock { $0 = State() } }

        func arrive(_ peer: OriginPeer) {
            let (isFirst, answered) = state.withLock { state -> (Bool, [OriginPeer]) in
                state.total += 1
                if state.total == 1 { return (true, []) }
                state.held.append(peer)
                state.most = max(state.most, state.held.count)
                if state.held.count >= width { state.isOpen = true }
                guard state.isOpen else { return (false, []) }
                defer { state.held = [] }
                return (false, state.held)
            }
            if isFirst { first.push(peer) }
            for peer in answered { Self.answer(peer) }
        }

        static func answer(_ peer: OriginPeer) {
            peer.send(response("200 OK", "Cache-Control: no-store", content: "x"))
        }
    }

    @Test("of 200 requests at once for what nobody may share the origin sees a hundred together, twice (C-23.4, C-0.5)")
    func bursts() throws {
        let barrier = Barrier(width: 100)
        let origin = TestOrigin { peer, _ in
            while let head = peer.readHead() {
                if head.hasPrefix("GET /warm") {
                    peer.send(response("200 OK", "Cache-Control: max-age=600", content: "warm"))
                } else {
                    barrier.arrive(peer)
                }
            }
        }
        let proxy = try TestProxy { setup in setup.service.hitForMissTime = .seconds(600) }
        let (warm, cold) = ("http://127.0.0.1:\(origin.port)/warm", "http://127.0.0.1:\(origin.port)/cold")
        let clients = (0..<200).map { _ in proxy.client() }
        let readers = clients.map { ReplyReader($0) }
        for reader in readers { #expect(reader.ask(proxy.request("GET", warm))?.content == "warm") }
        for _ in 0..<2 {
            barrier.begin()
            for client in clients { client.send(proxy.request("GET", cold)) }
            // All have asked: of a cold URL one alone goes ahead, and its head tells that nobody may share it.
            Barrier.answer(try #require(barrier.first.pop()))
            for reader in readers { #expect(reader.next()?.content == "x") }
            #expect(barrier.counts.total == 200)
            #expect(barrier.counts.most >= 100)
        }
    }
}
