import Exchanges
import HTTPCore
import Testing
import UpstreamClient
import TestSupport

/// A receiver that takes responses in one piece is told by one call, once the end is proven.
@Suite struct WholeResponseTests {
    /// Begins a request at a server that answers each by these bytes, sent at once.
    private static func receiver(
        _ response: String,
        _ change: (inout OriginRequest) -> Void = { _ in }
    ) throws -> (TestReceiver, TestClient, TestOrigin) {
        let origin = TestOrigin { peer, _ in while peer.readHead() != nil { peer.send(response) } }
        let client = try TestClient()
        var request = OriginRequest.to(origin)
        change(&request)
        return (client.start(request, acceptsWholeResponses: true), client, origin)
    }

    @Test(
        "head and content that are there together are told together",
        arguments: [
            ("200 OK\r\nContent-Length: 5\r\n\r\nhello", .whole(200, "hello")),
            ("200 OK\r\nContent-Length: 0\r\n\r\n", .whole(200, "")),
            ("204 No Content\r\n\r\n", .whole(204, "")),
            ("304 Not Modified\r\nContent-Length: 5\r\n\r\n", .whole(304, "")),
            ("103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", .interim(103)),
        ] as [(String, TestReceiver.Event)]
    )
    func together(response: String, event: TestReceiver.Event) throws {
        let (receiver, client, origin) = try Self.receiver("HTTP/1.1 " + response)
        #expect(receiver.next() == event)
        if case .interim = event { #expect(receiver.next() == .whole(200, "a")) }
        // The connection was given back before that was told.
        let again = client.start(.to(origin), acceptsWholeResponses: true)
        #expect(again.next() == event)
        #expect(origin.connections == 1 && client.statistics().reuses == 1)
    }

    @Test("content beyond the credit comes step by step (H-128)")
    func credit() throws {
        let (receiver, _, _) = try Self.receiver("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello") { request in
            request.initialCredit = 4
        }
        #expect(receiver.next() == .head(200))
        #expect(receiver.result() == .success("hello"))
    }

    @Test(
        "what proves its end otherwise than by a length comes step by step",
        arguments: [
            "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "Connection: close\r\n\r\nhello",
        ]
    )
    func otherFraming(rest: String) throws {
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 200 OK\r\n" + rest)
        }
        let receiver = try TestClient().start(.to(origin), acceptsWholeResponses: true)
        #expect(receiver.next() == .head(200))
        #expect(receiver.result() == .success("hello"))
    }

    @Test("content that stops before its end is a failure behind a head (H-101)")
    func truncated() throws {
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello")
        }
        let receiver = try TestClient().start(.to(origin), acceptsWholeResponses: true)
        #expect(receiver.next() == .head(200))
        #expect(receiver.failure == .responseIncomplete)
    }

    @Test("bytes behind a whole response end the connection, and belong to no response (H-104)")
    func surplus() throws {
        let (receiver, client, origin) = try Self.receiver(
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK"
        )
        #expect(receiver.next() == .whole(200, "a"))
        #expect(client.start(.to(origin), acceptsWholeResponses: true).next() == .whole(200, "a"))
        #expect(origin.connections == 2)
    }

    @Test("content that is kept stays as it is while others come, smaller, as large and larger")
    func kept() throws {
        let lengths = [1, 900, 0, 1024, 1024, 3, 1025, 700, 0, 900, 5000]
        let texts = lengths.enumerated().map { index, length in
            String(repeating: Character(Unicode.Scalar(UInt8(0x61 + index))), count: length)
        }
        let origin = TestOrigin { peer, _ in
            for text in texts where peer.readHead() != nil {
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
            }
        }
        let client = try TestClient()
        let receivers = texts.map { text in
            let receiver = client.start(.to(origin), acceptsWholeResponses: true)
            #expect(receiver.next() == .whole(200, text))
            return receiver
        }
        let kept = receivers.map { $0.whole.map { String(decoding: $0.bytes, as: UTF8.self) } }
        #expect(kept == texts && origin.connections == 1)
    }

    @Test("who does not ask for it gets head, content and end")
    func stepByStep() throws {
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            _ = peer.readAll()
        }
        let receiver = try TestClient().start(.to(origin))
        #expect(receiver.next() == .head(200))
        #expect(receiver.next(withContent: true) == .content("hello"))
        #expect(receiver.next() == .end(trailers: 0))
    }
}
