import HTTPServer
import Testing
import TestSupport

/// What the origin sends in one piece goes to the client in one piece.
@Suite struct WholeAnswerTests {
    private static func withoutDate(_ reply: Reply) -> String {
        reply.description.split(separator: "\r\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("Date:") }.joined(separator: "\r\n")
    }

    @Test(
        "a client gets the same bytes whether content comes with its head or after it",
        arguments: [
            "Cache-Control: no-store", "Cache-Control: max-age=60", "Cache-Control: private", "ETag: \"a\"",
            "Set-Cookie: a=b",
        ]
    )
    func sameBytes(field: String) throws {
        let seen = WaitQueue<Bool>()
        let head = "HTTP/1.1 200 Fine\r\n\(field)\r\nWarning: 1\r\nContent-Length: 5\r\n\r\n"
        let origin = TestOrigin { peer, _ in
            while let request = peer.readHead() {
                if request.hasPrefix("GET /whole") {
                    peer.send(head + "hello")
                } else {
                    peer.send(head)
                    _ = seen.pop()
                    peer.send("hello")
                }
            }
        }
        let proxy = try TestProxy()
        let url = "http://127.0.0.1:\(origin.port)"
        let whole = try #require(proxy.ask("\(url)/whole"))
        let client = proxy.client()
        client.send(proxy.request("GET", "\(url)/parts"))
        let first = client.receive(until: "\r\n\r\n")
        seen.push(true)
        let parts = Reply(head: first, content: client.receive(until: "hello"))
        #expect(whole.content == "hello" && whole.status == 200)
        #expect(Self.withoutDate(whole) == Self.withoutDate(parts))
    }

    @Test("a client that takes nothing for a while gets all of many whole answers, in order (H-128)")
    func slowClient() throws {
        let (count, size) = (64, 32 * 1024)
        let origin = TestOrigin.answering { request in
            response("200 OK", "Cache-Control: no-store", content: request.target.padded(to: size))
        }
        let proxy = try TestProxy { setup in setup.server.unsentPerExchange = 64 * 1024 }
        let client = proxy.client(receiveBuffer: 4096)
        let reader = ReplyReader(client)
        client.send((0..<count).map { proxy.request("GET", origin.url("/\($0)")) }.joined())
        for number in 0..<count { #expect(reader.next()?.content == "/\(number)".padded(to: size)) }
        #expect(origin.requests.count == count)
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String { self + String(repeating: "x", count: count - utf8.count) }
}
