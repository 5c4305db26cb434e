import Exchanges
import HTTPCore
import TestSupport
import Testing

@testable import UpstreamClient

/// What is told of exchanges that fail amid a request or its response.
@Suite struct FailureSentenceTests {
    /// The failure of a GET; nil if there is none.
    private static func failure(
        limits change: @Sendable (inout UpstreamLimits) -> Void = { _ in },
        _ script: @escaping @Sendable (OriginPeer) -> Void
    ) throws -> ExchangeFailure? {
        let origin = TestOrigin { peer, _ in
            if peer.readHead() != nil { script(peer) }
        }
        guard case .failure(let failure) = try TestClient(change).start(.to(origin)).result() else { return nil }
        return failure
    }

    private static func told(_ kind: ExchangeFailure.Kind, _ sentence: String) -> ExchangeFailure {
        ExchangeFailure(kind, sentence, requestMayHaveArrived: true)
    }

    @Test("an origin that is too slow is reported with the setting that gives it more time (H-127)")
    func timeouts() throws {
        let answer = try Self.failure(limits: { $0.firstByteTimeout = .milliseconds(50) }) { _ = $0.readAll() }
        #expect(
            answer
                == Self.told(.responseTimeout, "the origin did not answer in time; see upstream.first-byte-timeout")
        )
        let content = try Self.failure(limits: { $0.idleTimeout = .milliseconds(50) }) { peer in
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
            _ = peer.readAll()
        }
        #expect(
            content
                == Self.told(
                    .connectionReadTimeout,
                    "the origin sent nothing more in time; see upstream.idle-timeout"
                )
        )
    }

    @Test("a connection that ends before an answer is distinguished from one that ends, or breaks, inside it")
    func ends() throws {
        let closed = "the origin closed the connection before it answered"
        #expect(try Self.failure { _ in } == Self.told(.connectionTerminated, closed))
        let begun = try Self.failure { _ = $0.send("HTTP/1.1 200 O") }
        #expect(begun == Self.told(.responseIncomplete, closed))
        let broken = try Self.failure { $0.reset() }
        #expect(broken == Self.told(.connectionTerminated, "the connection to the origin broke before it answered"))
        let short = try Self.failure { _ = $0.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello") }
        #expect(short == Self.told(.responseIncomplete, "the origin ended the connection inside the content"))
    }

    @Test("a connection that breaks inside content is reported as such (H-102)")
    func broken() throws {
        let hasHead = WaitQueue<Bool>()
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello")
            _ = hasHead.pop()
            peer.reset()
        }
        let receiver = try TestClient().start(.to(origin), onHead: { hasHead.push(true) })
        let expected = Self.told(.responseIncomplete, "the connection to the origin broke inside the content")
        #expect(receiver.result() == .failure(expected))
    }

    @Test("as many interim responses are passed on as upstream.interim-responses allows (H-105)", arguments: [2, 3])
    func interim(count: Int) throws {
        let failure = try Self.failure(limits: { $0.interimResponses = 2 }) { peer in
            for _ in 0..<count { peer.send("HTTP/1.1 103 Early Hints\r\n\r\n") }
            peer.send("HTTP/1.1 204 No Content\r\n\r\n")
            _ = peer.readAll()
        }
        let sentence = "more interim responses than upstream.interim-responses allows"
        #expect(failure == (count == 2 ? nil : Self.told(.protocolError, sentence)))
    }

    @Test("an origin that accepts no more of a request is given up")
    func unread() throws {
        let gate = WaitQueue<Bool>()
        let origin = TestOrigin { _, _ in _ = gate.pop() }
        let client = try TestClient { $0.idleTimeout = .milliseconds(100) }
        let receiver = client.start(.to(origin, .post, framing: .chunked))
        let piece = ByteChunk([UInt8](repeating: 0x61, count: 64 << 10))
        var last: TestReceiver.Event?
        while let event = receiver.next() {
            last = event
            guard event == .wants else { break }
            for _ in 0..<4 { receiver.exchange?.send(piece) }
        }
        gate.push(true)
        let sentence = "the origin took nothing of the request; see upstream.idle-timeout"
        #expect(last == .failed(Self.told(.connectionWriteTimeout, sentence)))
    }

    @Test("time runs for an origin only while more of its content may be delivered (H-128)")
    func paused() throws {
        let content = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\naaaaabbbbb"
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send(content)
            _ = peer.readAll()
        }
        let client = try TestClient { $0.idleTimeout = .milliseconds(50) }
        let first = client.start(.to(origin, credit: 5), autoGrant: false)
        #expect(first.next() == .head(200))
        #expect(first.next(withContent: true) == .content("aaaaa"))
        // One that begins later sees its time pass.
        #expect(client.start(.to(origin)).failure == .connectionReadTimeout)
        first.exchange?.grant(100)
        #expect(first.next(withContent: true) == .content("bbbbb"))
        #expect(first.failure == .connectionReadTimeout)
    }

    @Test("a request that can be sent again is, content included, unless its answer has begun (H-089)")
    func sentAgain() throws {
        let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        for begun in ["", "HTTP/1.1 2"] {
            let origin = TestOrigin { peer, number in
                if number == 0 {
                    _ = peer.readHead()
                    peer.send(ok)
                }
                guard peer.readHead() != nil else { return }
                let content = String(decoding: peer.read(3), as: UTF8.self)
                peer.send(number == 0 ? begun : content == "abc" ? ok : "")
                if number > 0 { _ = peer.readAll() }
            }
            let client = try TestClient()
            let get = OriginRequest.to(origin)
            #expect(client.start(get).result() == .success("ok"))
            let post = OriginRequest(
                method: .post,
                uri: get.uri,
                fields: Fields(),
                repeatableContent: ByteChunk("abc")
            )
            let receiver = client.start(post)
            if begun.isEmpty {
                #expect(receiver.result() == .success("ok"))
            } else {
                #expect(receiver.failure == .responseIncomplete)
            }
            #expect(client.statistics().retries == (begun.isEmpty ? 1 : 0))
            #expect(origin.connections == (begun.isEmpty ? 2 : 1))
        }
    }

    @Test("content is asked for as far as there is room, be it for one byte", arguments: [1, 256 << 10])
    func room(ceiling: Int) throws {
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            let content = String(decoding: peer.read(3), as: UTF8.self)
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n\(content)")
            _ = peer.readAll()
        }
        let client = try TestClient { $0.unsentContent = ceiling }
        let receiver = client.start(.to(origin, .post, framing: .length(3)))
        for text in ceiling == 1 ? ["a", "b", "c"] : ["abc"] {
            #expect(receiver.next() == .wants && receiver.wanted.last == ceiling)
            receiver.exchange?.send(ByteChunk(text))
        }
        receiver.exchange?.finish(trailers: nil)
        #expect(receiver.result() == .success("abc"))
    }

    @Test("a 100 that was not asked for is passed on like other interim responses")
    func unaskedContinue() throws {
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
            _ = peer.readAll()
        }
        let receiver = try TestClient().start(.to(origin))
        #expect(receiver.next() == .interim(100))
        #expect(receiver.next() == .head(204))
    }

    @Test("a connection that switches as asked leaves HTTP, its first byte timed; otherwise it fails (H-078)")
    func switching() throws {
        for token in ["echo", "other"] {
            let ended = WaitQueue<Bool>()
            let origin = TestOrigin { peer, _ in
                let head = peer.readHead() ?? ""
                let isAsked = head.contains("\r\nConnection: Upgrade\r\nUpgrade: echo\r\n")
                let answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: \(token)\r\n\r\n"
                peer.send(isAsked ? answer : "")
                _ = peer.readAll()
                ended.push(true)
            }
            let client = try TestClient()
            let stopwatch = Stopwatch()
            var request = OriginRequest.to(origin, client: RequestingClient(address: nil, stopwatch: stopwatch))
            request.upgrade = Array("echo".utf8)
            let receiver = client.start(request)
            let sentence = "the origin switched to a protocol it was not asked for"
            let expected: TestReceiver.Event =
                token == "echo" ? .switched(101) : .failed(Self.told(.upgradeFailed, sentence))
            #expect(receiver.next() == expected)
            #expect(ended.pop() == true)
            #expect((stopwatch.timings.firstByte != nil) == (token == "echo") && stopwatch.timings.connect != nil)
            #expect(client.statistics().idle == 0 && client.limiter.taken(PoolKey(request.uri)) == 0)
        }
    }
}
