import Eventing
import Exchanges
import HTTPCore
import Locking
import Testing
import TestSupport

@testable import UpstreamClient

/// Origins that send more than their responses.
@Suite struct SurplusTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let surplus = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"

    @Test("bytes that come to an idle connection end it, and are no answer to a later request (H-054, H-104)")
    func idle() throws {
        let go = WaitQueue<Bool>()
        let ended = WaitQueue<Bool>()
        let origin = TestOrigin { peer, number in
            _ = peer.readHead()
            peer.send(Self.ok)
            guard number == 0 else { return }
            _ = go.pop()
            peer.send(Self.surplus)
            _ = peer.readAll()
            ended.push(true)
        }
        let client = try TestClient()
        #expect(client.start(.to(origin)).result() == .success("ok"))
        #expect(client.statistics().idle == 1)
        go.push(true)
        // Without any further request.
        #expect(ended.pop() == true)
        #expect(client.statistics().idle == 0)
        #expect(client.start(.to(origin)).result() == .success("ok"))
        #expect(origin.connections == 2)
    }

    /// Sends the surplus once the loop reads the response before it, and before the loop goes on.
    private final class LateSurplus: Sendable {
        private let go = WaitQueue<Bool>()
        private let sent = WaitQueue<Bool>()
        private let isOver = Lock(false)

        /// To be called on the loop, while a response is being handled.
        func letCome() {
            let isFirst = isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
            guard isFirst else { return }
            go.push(true)
            _ = sent.pop()
        }

        func origin(_ surplus: String = SurplusTests.surplus) -> TestOrigin {
            TestOrigin { [self] peer, number in
                while peer.readHead() != nil {
                    peer.send(SurplusTests.ok)
                    if number == 0, go.pop() == true {
                        peer.send(surplus)
                        sent.push(true)
                        _ = peer.readAll()
                    }
                }
            }
        }
    }

    @Test("what has come by the time a kept connection is written to is no answer (H-104)")
    func beforeReuse() throws {
        let late = LateSurplus()
        let origin = late.origin()
        let client = try TestClient()
        let first = client.start(.to(origin), onHead: late.letCome, next: .to(origin))
        #expect(first.result() == .success("ok"))
        // It was begun in the same turn, before the loop could read anything.
        #expect(first.next?.result() == .success("ok"))
        #expect(origin.connections == 2 && client.statistics().reuses == 0)
    }

    @Test("a request on a kept connection leaves at once, before the loop goes on (H-104)")
    func leavesAtOnce() throws {
        let (heads, answers, arrivals) = (WaitQueue<Bool>(), WaitQueue<Bool>(), WaitQueue<Bool>())
        let origin = TestOrigin { peer, _ in
            while peer.readHead() != nil {
                heads.push(true)
                _ = answers.pop()
                peer.send(Self.ok)
            }
        }
        let client = try TestClient()
        let first = client.start(.to(origin), next: .to(origin))
        let begin = first.onEnd
        // Holds the loop until the second request has arrived.
        first.onEnd = {
            begin?()
            arrivals.push(heads.pop() ?? false)
        }
        #expect(heads.pop() == true)
        for _ in 0..<2 { answers.push(true) }
        #expect(first.result() == .success("ok") && arrivals.pop() == true)
        #expect(first.next?.result() == .success("ok"))
        #expect(origin.connections == 1 && client.statistics().reuses == 1)
    }

    @Test("a connection is not handed to the next in the queue with bytes in it that nobody asked for (H-104)")
    func handedOver() throws {
        let late = LateSurplus()
        let origin = late.origin()
        let client = try TestClient { $0.connectionsPerOrigin = 1 }
        let first = client.start(.to(origin), onHead: late.letCome)
        let second = client.start(.to(origin))
        #expect(first.result() == .success("ok"))
        #expect(second.result() == .success("ok"))
        #expect(origin.connections == 2 && client.statistics().reuses == 0)
        #expect(client.limiter.taken(PoolKey(OriginRequest.to(origin).uri)) <= 1)
    }

    @Test("a response that comes in pieces is no surplus to who takes its connection over (H-054)")
    func pieces() throws {
        let hinted = WaitQueue<Bool>()
        let origin = TestOrigin { peer, _ in
            while peer.readHead() != nil {
                // The head's beginning is left unread until the rest of it comes.
                peer.send("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Le")
                _ = hinted.pop()
                peer.send("ngth: 2\r\n\r\nok")
            }
        }
        let client = try TestClient { $0.connectionsPerOrigin = 1 }
        let first = client.start(.to(origin))
        let second = client.start(.to(origin))
        for receiver in [first, second] {
            #expect(receiver.next() == .interim(103))
            hinted.push(true)
            #expect(receiver.result() == .success("ok"))
        }
        #expect(origin.connections == 1 && client.bans.origins.isEmpty)
    }

    @Test("an origin caught once gets a new connection for each request, on all loops, for ten minutes (H-104)")
    func banned() throws {
        let ended = WaitQueue<Bool>()
        let origin = TestOrigin { peer, number in
            while peer.readHead() != nil {
                peer.send(number == 0 ? Self.ok + Self.surplus : Self.ok)
                if number == 0 { break }
            }
            _ = peer.readAll()
            ended.push(true)
        }
        let other = TestOrigin { peer, _ in while peer.readHead() != nil { peer.send(Self.ok) } }
        let client = try TestClient(loops: 2)
        for number in 0..<4 {
            #expect(client.start(.to(origin), on: number % 2).result() == .success("ok"))
            #expect(client.start(.to(other)).result() == .success("ok"))
            // Each is closed when its response has come.
            #expect(ended.pop() == true)
        }
        #expect(origin.connections == 4 && other.connections == 1)
        let name = "http://127.0.0.1:\(origin.port)"
        #expect(client.bans.origins == [name])
        let now = MonotonicTime.now
        let statistics = client.limiter.statistics(at: now)
        #expect(statistics.bans.map(\.origin) == [name] && statistics.connections == 1 && statistics.idle == 1)
        #expect(client.limiter.statistics(at: now + ReuseBans.time + .seconds(1)).bans.isEmpty)
    }

    @Test("with a queue the connections of a caught origin go one by one, and nobody is left waiting (H-104, H-132)")
    func bannedQueue() throws {
        let origin = TestOrigin { peer, number in
            while peer.readHead() != nil { peer.send(number == 0 ? Self.ok + Self.surplus : Self.ok) }
        }
        let client = try TestClient { $0.connectionsPerOrigin = 2 }
        let receivers = (0..<20).map { _ in client.start(.to(origin)) }
        for receiver in receivers { #expect(receiver.result() == .success("ok")) }
        #expect(client.limiter.statistics(at: MonotonicTime.now).waiting == 0)
    }

    @Test("a 408 that ends an idle connection, and its end alone, are no fault of the origin's (RFC 9110 §15.5.9)")
    func goodbye() throws {
        for goodbye in ["HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", ""] {
            let go = WaitQueue<Bool>()
            let ended = WaitQueue<Bool>()
            let origin = TestOrigin { peer, number in
                while peer.readHead() != nil {
                    peer.send(Self.ok)
                    guard number == 0 else { continue }
                    _ = go.pop()
                    peer.send(goodbye)
                    peer.shutdownWrite()
                    _ = peer.readAll()
                    ended.push(true)
                }
            }
            let client = try TestClient()
            #expect(client.start(.to(origin)).result() == .success("ok"))
            go.push(true)
            #expect(ended.pop() == true)
            for _ in 0..<2 { #expect(client.start(.to(origin)).result() == .success("ok")) }
            #expect(origin.connections == 2)
            #expect(client.limiter.statistics(at: MonotonicTime.now).bans.isEmpty)
        }
    }

    @Test(
        "of what comes to an idle connection only a 408 is no fault of the origin's (H-104, RFC 9110 §15.5.9)",
        arguments: [
            ("HTTP/1.0 408 Request Timeout\r\n\r\n", false), ("HTTP/1.1 408", false), ("HTTP/1.1 40", true),
            ("HTTP/1.1 409 Conflict\r\n\r\n", true), ("HTTP/1.1 200 OK\r\n\r\n", true),
            ("HTTP/2.0 408 Request Timeout\r\n\r\n", true), ("x", true),
        ]
    )
    func faults(goodbye: String, isFault: Bool) throws {
        let go = WaitQueue<Bool>()
        let ended = WaitQueue<Bool>()
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send(Self.ok)
            _ = go.pop()
            peer.send(goodbye)
            // The client closes it.
            _ = peer.readAll()
            ended.push(true)
        }
        let client = try TestClient()
        #expect(client.start(.to(origin)).result() == .success("ok"))
        // Asked on the loop, so that the connection is idle.
        #expect(client.statistics().idle == 1)
        go.push(true)
        #expect(ended.pop() == true && client.statistics().idle == 0)
        #expect(client.bans.origins == (isFault ? ["http://127.0.0.1:\(origin.port)"] : []))
    }

    @Test("of more origins than are remembered the one caught first is forgotten, and each is told once while it lasts")
    func bounds() throws {
        var bans = ReuseBans()
        let start = MonotonicTime(nanoseconds: 0)
        func origin(_ number: Int) throws -> PoolKey { PoolKey(try TargetURI(parsing: "http://h\(number).test/")) }
        for number in 0...ReuseBans.limit {
            #expect(try bans.add(origin(number), at: start + .milliseconds(number)))
            #expect(try !bans.add(origin(number), at: start + .milliseconds(number)))
        }
        let later = start + .seconds(2)
        #expect(bans.current(at: later).count == ReuseBans.limit)
        #expect(try !bans.contains(origin(0), at: later) && bans.contains(origin(1), at: later))
        let end = start + ReuseBans.time + .seconds(2)
        #expect(try bans.current(at: end).isEmpty && bans.add(origin(1), at: end))
    }
}
