import Eventing
import Exchanges
import HTTPCore
import Testing
import TestSupport

@testable import UpstreamClient

@Suite struct ExchangeTests {
    @Test("a request goes out in strict grammar, and its response comes back whole")
    func simple() throws {
        let heads = WaitQueue<String>()
        let origin = TestOrigin { peer, _ in
            heads.push(peer.readHead() ?? "")
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            _ = peer.readAll()
        }
        let receiver = try TestClient().start(.to(origin, path: "/a?b"))
        #expect(receiver.next() == .head(200))
        #expect(receiver.result() == .success("hello"))
        #expect(heads.pop() == "GET /a?b HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)\r\n\r\n")
    }

    @Test(
        "content ends where its framing says, however bytes arrive",
        arguments: [
            "Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;a=b\r\nllo\r\n0\r\n\r\n",
            "Connection: close\r\n\r\nhello",
        ]
    )
    func framings(rest: String) throws {
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            for byte in ("HTTP/1.1 200 OK\r\n" + rest).utf8 { peer.send([byte]) }
        }
        #expect(try TestClient().start(.to(origin)).result() == .success("hello"))
    }

    @Test("trailers come with the end, not with the head")
    func trailers() throws {
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-A: 1\r\nX-B: 2\r\n\r\n")
            _ = peer.readAll()
        }
        let receiver = try TestClient().start(.to(origin))
        #expect(receiver.next() == .head(200))
        #expect(receiver.next() == .end(trailers: 2))
    }

    @Test(
        "content that stops before its end is a failure (H-101)",
        arguments: [
            "Content-Length: 9\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
            "Transfer-Encoding: chunked\r\n\r\n9\r\nhello",
        ]
    )
    func truncated(rest: String) throws {
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 200 OK\r\n" + rest)
        }
        #expect(try TestClient().start(.to(origin)).failure == .responseIncomplete)
    }

    @Test("content to the end of the connection is incomplete when that is a reset (H-102)")
    func reset() throws {
        let reset = WaitQueue<Bool>()
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 200 OK\r\n\r\nhello")
            _ = reset.pop()
            peer.reset()
        }
        let receiver = try TestClient().start(.to(origin))
        #expect(receiver.next() == .head(200))
        #expect(receiver.next(withContent: true) == .content("hello"))
        reset.push(true)
        #expect(receiver.failure == .responseIncomplete)
    }

    @Test(
        "an unusable response is a failure that names the kind",
        arguments: [
            ("HTTP/1.1 2000 OK\r\n\r\n", .protocolError), ("SSH-2.0-x\r\n", .protocolError),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", .protocolError),
            ("HTTP/1.1 200 OK\r\nA: " + String(repeating: "a", count: 70_000) + "\r\n\r\n", .responseHeadSize),
            ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", .upgradeFailed),
        ] as [(String, ExchangeFailure.Kind)]
    )
    func unusable(response: String, kind: ExchangeFailure.Kind) throws {
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send(response)
            _ = peer.readAll()
        }
        #expect(try TestClient().start(.to(origin)).failure == kind)
    }

    @Test("interim responses come before the final one, up to a bound (H-105)")
    func interim() throws {
        let origin = TestOrigin { peer, number in
            _ = peer.readHead()
            for _ in 0..<(number == 0 ? 2 : 17) { peer.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n") }
            peer.send("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
            _ = peer.readAll()
        }
        let client = try TestClient()
        let receiver = client.start(.to(origin))
        #expect(receiver.next() == .interim(103))
        #expect(receiver.next() == .interim(103))
        #expect(receiver.next() == .head(204))
        #expect(receiver.next() == .end(trailers: 0))
        #expect(client.start(.to(origin)).failure == .protocolError)
    }

    @Test("no more content is delivered than was granted, and reading goes on with the next grant (H-128)")
    func credit() throws {
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n")
            peer.send([UInt8](repeating: 0x61, count: 300_000))
            _ = peer.readAll()
        }
        let receiver = try TestClient().start(.to(origin, credit: 1000), autoGrant: false)
        var count = 0
        #expect(receiver.next() == .head(200))
        while count < 1000, case .content(let text) = receiver.next(withContent: true) { count += text.utf8.count }
        #expect(count == 1000 && receiver.contentCount == 1000)
        receiver.exchange?.grant(1 << 20)
        #expect(receiver.next() == .end(trailers: 0))
        #expect(receiver.contentCount == 300_000)
    }

    @Test("bytes before the end of a connection are delivered by later grants, then the end")
    func creditToClose() throws {
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 200 OK\r\n\r\n")
            peer.send([UInt8](repeating: 0x61, count: 100_000))
        }
        let receiver = try TestClient().start(.to(origin, credit: 10), autoGrant: false)
        #expect(receiver.next() == .head(200))
        #expect(receiver.next(withContent: true) == .content("aaaaaaaaaa"))
        for _ in 0..<10 {
            receiver.exchange?.grant(7)
            #expect(receiver.next(withContent: true) == .content("aaaaaaa"))
        }
        receiver.exchange?.grant(1 << 20)
        #expect(receiver.next() == .end(trailers: 0))
        #expect(receiver.contentCount == 100_000)
    }

    @Test("an end of the connection that comes together with a grant ends the content behind its last byte")
    func endWithGrant() throws {
        let (mayEnd, hasEnded) = (WaitQueue<Bool>(), WaitQueue<Bool>())
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 200 OK\r\n\r\naaaaabbbbb")
            _ = mayEnd.pop()
            peer.shutdownWrite()
            hasEnded.push(true)
            _ = peer.readAll()
        }
        let client = try TestClient()
        let receiver = client.start(.to(origin, credit: 5), autoGrant: false)
        #expect(receiver.next() == .head(200))
        #expect(receiver.next(withContent: true) == .content("aaaaa"))
        // The loop waits, so that its next turn has both.
        let (isWaiting, mayGoOn) = (WaitQueue<Bool>(), WaitQueue<Bool>())
        client.group.handles[0].submit { _ in
            isWaiting.push(true)
            _ = mayGoOn.pop()
        }
        #expect(isWaiting.pop() == true)
        receiver.exchange?.grant(100)
        mayEnd.push(true)
        #expect(hasEnded.pop() == true)
        mayGoOn.push(true)
        #expect(receiver.next(withContent: true) == .content("bbbbb"))
        #expect(receiver.next() == .end(trailers: 0))
    }

    @Test("an origin that does not answer in time, or stalls inside the content, is given up (H-127)")
    func timeouts() throws {
        let origin = TestOrigin { peer, number in
            _ = peer.readHead()
            if number == 1 { peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe") }
            _ = peer.readAll()
        }
        let client = try TestClient {
            $0.firstByteTimeout = .milliseconds(100)
            $0.idleTimeout = .milliseconds(100)
        }
        #expect(client.start(.to(origin)).failure == .responseTimeout)
        #expect(client.start(.to(origin)).failure == .connectionReadTimeout)
    }

    @Test(
        "an origin whose content trickles is given up by upstream.minimum-rate; an event stream may be as slow (H-127)",
        arguments: [("text/plain", 1000, true), ("text/event-stream", 1000, false), ("text/plain", 0, false)]
    )
    func trickle(type: String, minimum: Int, isGivenUp: Bool) throws {
        let isWanted = WaitQueue<Bool>()
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: 30\r\n\r\n")
            // Each byte is read by itself.
            for _ in 0..<30 {
                peer.send("x")
                guard isWanted.pop() == true else { return }
            }
            _ = peer.readAll()
        }
        // A period is over with each byte that comes.
        let client = try TestClient { ($0.minimumRate, $0.ratePeriod) = (minimum, .zero) }
        let receiver = client.start(.to(origin))
        var failure: ExchangeFailure?
        reading: while let event = receiver.next(withContent: true) {
            switch event {
            case .content: isWanted.push(true)
            case .failed(let reason):
                failure = reason
                break reading
            case .end: break reading
            case .interim, .head, .whole, .switched, .wants: continue
            }
        }
        isWanted.push(false)
        if isGivenUp {
            #expect(failure?.kind == .connectionReadTimeout)
            #expect(failure?.userMessage.contains("upstream.minimum-rate") == true)
        } else {
            #expect(failure == nil && receiver.contentCount == 30)
        }
        #expect(client.limiter.slowContents == (isGivenUp ? 1 : 0))
    }

    @Test("no connection is a failure, never a retry for ever")
    func refused() throws {
        let origin = TestOrigin { _, _ in }
        origin.close()
        let kind = try TestClient().start(.to(origin)).failure
        #expect(kind == .connectionRefused || kind == .connectionTerminated)
    }

    @Test("a client without a TLS context refuses https targets with a sentence")
    func tls() throws {
        let uri = TargetURI(scheme: .https, host: Array("127.0.0.1".utf8), port: 443, path: [])
        let request = OriginRequest(method: .get, uri: uri, fields: Fields())
        guard case .failure(let failure) = try TestClient().start(request).result() else {
            Issue.record("it must fail")
            return
        }
        #expect(failure.kind == .notSupported && failure.status == 501 && failure.userMessage.contains("TLS"))
    }

    @Test("a cancelled exchange says nothing more, and its connection ends")
    func cancel() throws {
        let ended = WaitQueue<String>()
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
            ended.push(peer.readAll())
        }
        let client = try TestClient()
        let receiver = client.start(.to(origin))
        #expect(receiver.next() == .head(200))
        receiver.exchange?.cancel()
        #expect(ended.pop() == "")
        #expect(client.statistics().idle == 0)
        #expect(client.limiter.taken(PoolKey(OriginRequest.to(origin).uri)) == 0)
    }

    @Test("HEAD ends with the head, whatever its fields say (C-0.6)")
    func head() throws {
        let origin = TestOrigin { peer, _ in
            while peer.readHead() != nil { peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n") }
        }
        let client = try TestClient()
        for _ in 0..<2 {
            let receiver = client.start(.to(origin, .head))
            #expect(receiver.next() == .head(200))
            #expect(receiver.next() == .end(trailers: 0))
        }
        #expect(origin.connections == 1)
    }
}
