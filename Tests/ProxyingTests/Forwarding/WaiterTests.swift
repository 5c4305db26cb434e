import ResourceCore
import Testing
import TestSupport

/// What requests get that wait for one answer, where they are many or the answer is none for them.
@Suite struct WaiterTests {
    /// An origin that answers each request once it is told.
    private final class HeldOrigin: Sendable {
        let asked = WaitQueue<OriginPeer>()
        let origin: TestOrigin

        init() {
            origin = TestOrigin { [asked] peer, _ in
                while peer.readHead() != nil { asked.push(peer) }
            }
        }

        var url: String { "http://127.0.0.1:\(origin.port)/one" }
    }

    @Test("beyond limits.waiters-per-load a request gets 503 that names the setting, and causes no load (H-134)")
    func limit() throws {
        let origin = HeldOrigin()
        let proxy = try TestProxy { setup in setup.service.waiterLimit = 2 }
        let waiting = (0..<2).map { _ in proxy.client() }
        waiting[0].send(proxy.request("GET", origin.url))
        let peer = try #require(origin.asked.pop())
        waiting[1].send(proxy.request("GET", origin.url))
        // One loop reads them in the order they came.
        for _ in 0..<3 {
            let reply = try #require(proxy.ask(origin.url))
            #expect(reply.status == 503 && reply["Retry-After"] == ["1"])
            #expect(reply["Cache-Status"] == ["respite; detail=too-many-waiters"])
            #expect(reply["Proxy-Status"].first?.contains("error=connection_limit_reached") == true)
            #expect(reply.content.contains("limits.waiters-per-load"))
        }
        // A request whose answer is nobody else's goes to the origin all the same.
        let own = proxy.client()
        own.send(proxy.request("GET", origin.url, ["Cache-Control: no-store"]))
        let other = try #require(origin.asked.pop())
        other.send(response("200 OK", content: "own"))
        #expect(ReplyReader(own).next()?.content == "own")
        peer.send(response("200 OK", "Cache-Control: max-age=60", content: "abc"))
        for client in waiting { #expect(ReplyReader(client).next()?.content == "abc") }
        #expect(proxy.ask(origin.url)?.isHit == true)
    }

    @Test("a hundred clients that wait for a 503 with no-store cause one load, and get 503 (H-151, C-23.0)")
    func failure() throws {
        let origin = HeldOrigin()
        let proxy = try TestProxy()
        let clients = (0..<100).map { _ in proxy.client() }
        clients[0].send(proxy.request("GET", origin.url))
        let peer = try #require(origin.asked.pop())
        for client in clients.dropFirst() { client.send(proxy.request("GET", origin.url)) }
        // The loop reads in the order in which bytes came: it has them all once it answers one behind them.
        for _ in 0..<2 { #expect(proxy.ask("/")?.status == 200) }
        peer.send(response("503 Service Unavailable", "Cache-Control: no-store", content: "for one"))
        let replies = clients.map { ReplyReader($0).next() }
        #expect(replies[0]?.status == 503 && replies[0]?.content == "for one")
        for reply in replies.dropFirst() {
            #expect(reply?.status == 503 && reply?["Retry-After"] == ["1"])
            #expect(reply?["Cache-Status"] == ["respite; fwd=miss; fwd-status=503; collapsed; detail=unshared-failure"])
            #expect(reply?.content.contains("for one") == false)
        }
        #expect(origin.origin.connections == 1)
    }
}
