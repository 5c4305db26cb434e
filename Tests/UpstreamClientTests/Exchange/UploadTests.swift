import Eventing
import Exchanges
import HTTPCore
import Testing
import TestSupport

@testable import UpstreamClient

@Suite struct UploadTests {
    @Test("request content goes out in one framing: a length, or chunks with trailers")
    func framings() throws {
        let received = WaitQueue<String>()
        let isFinished = WaitQueue<Bool>()
        let origin = TestOrigin { peer, _ in
            received.push(peer.readHead() ?? "")
            received.push(String(decoding: peer.read(5), as: UTF8.self))
            // An answer before the end of the content would end the connection.
            _ = isFinished.pop()
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            received.push(peer.readHead() ?? "")
            received.push(peer.read(through: "\r\n\r\n") ?? "")
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            _ = peer.readAll()
        }
        let client = try TestClient()
        let sized = client.start(.to(origin, .post, framing: .length(5)))
        #expect(sized.next() == .wants)
        sized.exchange?.send(ByteChunk("he"))
        sized.exchange?.send(ByteChunk("llo"))
        sized.exchange?.finish(trailers: nil)
        isFinished.push(true)
        #expect(sized.result() == .success(""))
        #expect(received.pop()?.contains("\r\nContent-Length: 5\r\n") == true)
        #expect(received.pop() == "hello")
        let chunked = client.start(.to(origin, .put, framing: .chunked))
        #expect(chunked.next() == .wants)
        chunked.exchange?.send(ByteChunk("hello world, hello"))
        var trailers = Fields()
        trailers.append(name: "X-Sum", value: "1")
        chunked.exchange?.finish(trailers: trailers)
        #expect(chunked.result() == .success(""))
        #expect(received.pop()?.contains("\r\nTransfer-Encoding: chunked\r\n") == true)
        #expect(received.pop() == "12\r\nhello world, hello\r\n0\r\nX-Sum: 1\r\n\r\n")
        #expect(origin.connections == 1)
    }

    @Test("content that is given up is never complete at the origin (H-049)")
    func givenUp() throws {
        let received = WaitQueue<String>()
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            received.push(peer.readAll())
        }
        let receiver = try TestClient().start(.to(origin, .post, framing: .chunked))
        #expect(receiver.next() == .wants)
        receiver.exchange?.send(ByteChunk("abc"))
        receiver.exchange?.cancel()
        #expect(received.pop()?.hasSuffix("0\r\n\r\n") == false)
    }

    @Test(
        "content shorter or longer than announced is a failure, and nothing complete goes out",
        arguments: [("abc", "less"), ("abcdef", "more")]
    )
    func wrongLength(content: String, amount: String) throws {
        let received = WaitQueue<String>()
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            received.push(peer.readAll())
        }
        let receiver = try TestClient().start(.to(origin, .post, framing: .length(5)))
        #expect(receiver.next() == .wants)
        receiver.exchange?.send(ByteChunk(content))
        receiver.exchange?.finish(trailers: nil)
        let failure = ExchangeFailure(.internalError, "\(amount) request content than was announced")
        #expect(receiver.result() == .failure(failure))
        #expect((received.pop()?.utf8.count ?? 5) < 5)
    }

    @Test("an origin that does not read holds the content back (H-129)")
    func backPressure() throws {
        let go = WaitQueue<Bool>()
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            _ = go.pop()
            let count = peer.read(40 << 20).count
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n\(count)")
            _ = peer.readAll()
        }
        let piece = ByteChunk([UInt8](repeating: 0x61, count: 64 << 10))
        let receiver = try TestClient().start(.to(origin, .post, framing: .length(40 << 20)))
        var sent = 0
        // What is asked for is at most the ceiling beyond what the system has taken.
        while sent < 40 << 20, receiver.next() == .wants {
            for _ in 0..<4 where sent < 40 << 20 {
                receiver.exchange?.send(piece)
                sent += piece.count
            }
            if sent == 1 << 20 { go.push(true) }
        }
        receiver.exchange?.finish(trailers: nil)
        #expect(receiver.result() == .success("\(40 << 20)"))
    }

    @Test("a loop rests while request content is awaited")
    func rests() throws {
        let origin = TestOrigin { peer, _ in _ = peer.readAll() }
        let client = try TestClient()
        let receiver = client.start(.to(origin, .post, framing: .chunked))
        #expect(receiver.next() == .wants)
        receiver.exchange?.send(ByteChunk("abc"))
        let loop = client.group.handles[0]
        let before = TestClient.onLoop(loop) { $0.handle.turns }
        for _ in 0..<100 { TestClient.onLoop(loop) { _ in } }
        #expect(TestClient.onLoop(loop) { $0.handle.turns } - before < 200)
        receiver.exchange?.cancel()
    }

    @Test("content waits for 100 Continue, which is not relayed (H-073)")
    func expectation() throws {
        let origin = TestOrigin { peer, _ in
            let head = peer.readHead() ?? ""
            peer.send("HTTP/1.1 100 Continue\r\n\r\n")
            let content = String(decoding: peer.read(2), as: UTF8.self)
            peer.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n\(content)\(head.contains("Expect: 100-continue") ? 1 : 0)"
            )
            _ = peer.readAll()
        }
        let receiver = try TestClient { $0.continueTimeout = .seconds(60) }
            .start(.to(origin, .post, framing: .length(2), expects: true))
        #expect(receiver.next() == .wants)
        receiver.exchange?.send(ByteChunk("ab"))
        receiver.exchange?.finish(trailers: nil)
        #expect(receiver.next() == .head(200))
        #expect(receiver.result() == .success("ab1"))
    }

    @Test("content is sent after a bound if 100 Continue never comes (H-074)")
    func noContinue() throws {
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            _ = peer.read(2)
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            _ = peer.readAll()
        }
        let receiver = try TestClient { $0.continueTimeout = .milliseconds(50) }
            .start(.to(origin, .post, framing: .length(2), expects: true))
        #expect(receiver.next() == .wants)
        receiver.exchange?.send(ByteChunk("ab"))
        receiver.exchange?.finish(trailers: nil)
        #expect(receiver.result() == .success(""))
    }

    @Test("a final response instead of 100 Continue is delivered, and the connection not used again (H-073)")
    func earlyFinal() throws {
        let origin = TestOrigin { peer, number in
            _ = peer.readHead()
            peer.send("HTTP/1.1 \(number == 0 ? 417 : 200) X\r\nContent-Length: 2\r\n\r\nno")
            _ = peer.readAll()
        }
        let client = try TestClient()
        let receiver = client.start(.to(origin, .post, framing: .length(2), expects: true))
        #expect(receiver.next() == .head(417))
        #expect(receiver.result() == .success("no"))
        #expect(client.start(.to(origin)).next() == .head(200))
        #expect(origin.connections == 2)
    }

    @Test("the answer of an origin that closes amid the content still comes")
    func earlyRefusal() throws {
        let sent = WaitQueue<Bool>()
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send("HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno")
            sent.push(true)
        }
        let receiver = try TestClient().start(.to(origin, .post, framing: .length(1 << 30)))
        #expect(receiver.next() == .wants)
        _ = sent.pop()
        for _ in 0..<8 { receiver.exchange?.send(ByteChunk([UInt8](repeating: 0x61, count: 65536))) }
        while let event = receiver.next() {
            if event == .wants { continue }
            #expect(event == .head(413))
            break
        }
        #expect(receiver.result() == .success("no"))
    }
}
