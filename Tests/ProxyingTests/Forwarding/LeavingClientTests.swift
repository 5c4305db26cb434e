import HTTPServer
import Testing
import TestSupport

/// Clients that leave by an ordinary close while the origin has not answered.
@Suite struct LeavingClientTests {
    /// An origin that answers when it is let, and tells how the connection ended.
    private struct Origin {
        let asked = WaitQueue<Bool>()
        let go = WaitQueue<Bool>()
        let ended = WaitQueue<Bool>()
        let origin: TestOrigin

        init(answers: Bool) {
            origin = TestOrigin { [asked, go, ended] peer, _ in
                _ = peer.readHead()
                asked.push(true)
                if answers {
                    _ = go.pop()
                    peer.send(response("200 OK", "Cache-Control: max-age=60", content: "hello"))
                }
                _ = peer.readAll()
                ended.push(true)
            }
        }

        var url: String { "http://127.0.0.1:\(origin.port)/x" }
    }

    @Test(
        "the fetch ends when the last client that waits for it ends its side before the head has come (S-105, H-150)",
        arguments: ["GET", "HEAD", "POST"]
    )
    func lastOneLeaves(method: String) throws {
        let origin = Origin(answers: false)
        let proxy = try TestProxy()
        let client = proxy.client()
        client.send(proxy.request(method, origin.url))
        #expect(origin.asked.pop() == true)
        client.shutdownWrite()
        // The time-out for the first byte is half a minute.
        #expect(origin.ended.pop() == true)
        let text = client.receiveAll().text
        #expect(text.hasPrefix("HTTP/1.1 408 "))
        if method != "HEAD" { #expect(text.contains("limits.half-close")) }
    }

    @Test("the fetch goes on for another client that waits, which gets the whole answer (S-105, H-150)")
    func anotherWaits() throws {
        let origin = Origin(answers: true)
        let proxy = try TestProxy()
        let first = proxy.client()
        first.send(proxy.request("GET", origin.url))
        #expect(origin.asked.pop() == true)
        let second = proxy.client()
        second.send(proxy.request("GET", origin.url))
        // What is ready in one turn of the loop has been read by the end of the next one.
        for _ in 0..<2 { #expect(proxy.ask("/")?.status == 200) }
        first.shutdownWrite()
        #expect(first.receiveAll().text.hasPrefix("HTTP/1.1 408 "))
        origin.go.push(true)
        let reply = try #require(ReplyReader(second).next())
        #expect(reply.status == 200 && reply.content == "hello")
        #expect(origin.origin.connections == 1)
    }

    @Test("with limits.half-close a client that has ended its side gets its answer")
    func waits() throws {
        let origin = Origin(answers: true)
        let proxy = try TestProxy { $0.server.halfCloseTime = .seconds(3600) }
        let client = proxy.client()
        client.send(proxy.request("GET", origin.url))
        client.shutdownWrite()
        #expect(origin.asked.pop() == true)
        origin.go.push(true)
        #expect(client.receiveAll().text.hasSuffix("hello"))
    }
}
