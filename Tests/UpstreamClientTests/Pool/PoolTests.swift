import Eventing
import Exchanges
import HTTPCore
import Locking
import Testing
import TestSupport

@testable import UpstreamClient

@Suite struct PoolTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test("a connection is used again after a proven end, and kept idle between")
    func reuse() throws {
        let origin = TestOrigin { peer, _ in while peer.readHead() != nil { peer.send(Self.ok) } }
        let client = try TestClient()
        for _ in 0..<5 { #expect(client.start(.to(origin)).result() == .success("ok")) }
        #expect(origin.connections == 1)
        #expect(client.statistics().idle == 1 && client.statistics().reuses == 4)
    }

    @Test("of idle connections the one used last comes first, and all of them go when they are renewed")
    func lastUsedFirst() throws {
        let first = (0..<3).map { _ in WaitQueue<Bool>() }
        let later = WaitQueue<Bool>()
        let origin = TestOrigin { peer, _ in
            // Answers by the number in the first request's path.
            guard let number = (peer.readHead()?.dropFirst(5).first).flatMap({ Int(String($0)) }) else { return }
            var gate = first[number]
            repeat {
                _ = gate.pop()
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)")
                gate = later
            } while peer.readHead() != nil
        }
        let client = try TestClient()
        let receivers = (0..<3).map { client.start(.to(origin, path: "/\($0)")) }
        for number in 0..<3 {
            first[number].push(true)
            #expect(receivers[number].result() == .success("\(number)"))
        }
        for expected in [["2"], ["2", "1"], ["0", "1", "2"]] {
            let started = expected.map { _ in client.start(.to(origin)) }
            for _ in started { later.push(true) }
            let answers = started.compactMap { try? $0.result().get() }
            #expect(answers.sorted() == expected.sorted())
        }
        #expect(client.statistics().idle == 3 && origin.connections == 3)
        client.apply()
        #expect(client.statistics().idle == 0)
    }

    @Test(
        "a connection is not used again when anything speaks against it (H-054)",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
            "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
            "HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nevil",
        ]
    )
    func noReuse(response: String) throws {
        let origin = TestOrigin { peer, number in
            _ = peer.readHead()
            peer.send(number == 0 ? response : Self.ok)
            _ = peer.readAll()
        }
        let client = try TestClient()
        #expect(client.start(.to(origin)).failure == nil)
        #expect(client.start(.to(origin)).result() == .success("ok"))
        #expect(origin.connections == 2)
    }

    @Test("an idempotent request is sent once more when a reused connection dies without an answer (H-089, C-0.5)")
    func retry() throws {
        let origin = TestOrigin { peer, number in
            _ = peer.readHead()
            peer.send(Self.ok)
            // The second request on the first connection gets no answer.
            _ = peer.readHead()
            if number > 0 { peer.send(Self.ok) }
        }
        let client = try TestClient()
        #expect(client.start(.to(origin)).result() == .success("ok"))
        #expect(client.start(.to(origin)).result() == .success("ok"))
        #expect(origin.connections == 2 && client.statistics().retries == 1)
    }

    @Test("of a request that is sent once more only the times of the last attempt are told")
    func timesOfTheLastAttempt() throws {
        let origin = TestOrigin { peer, number in
            _ = peer.readHead()
            peer.send(Self.ok)
            _ = peer.readHead()
            if number > 0 { peer.send(Self.ok) }
        }
        let client = try TestClient()
        let stopwatch = Stopwatch()
        let request = OriginRequest.to(origin, client: RequestingClient(address: nil, stopwatch: stopwatch))
        #expect(client.start(request).result() == .success("ok"))
        #expect(stopwatch.timings.connect != nil)
        stopwatch.change { $0.handshake = 1 }
        // The kept connection dies, and a new one takes its place.
        #expect(client.start(request).result() == .success("ok"))
        #expect(origin.connections == 2)
        #expect(stopwatch.timings.connect != nil && stopwatch.timings.handshake == nil)
        // That one is used again.
        #expect(client.start(request).result() == .success("ok"))
        #expect(stopwatch.timings.connect == nil && stopwatch.timings.firstByte != nil)
    }

    @Test("the wait for a place is taken, whether a connection is handed over, a place becomes free, or time runs out")
    func timesOfWaiting() throws {
        let gate = WaitQueue<Bool>()
        for (isKept, mayWait) in [(true, true), (false, true), (true, false)] {
            let client = try TestClient {
                $0.connectionsPerOrigin = 1
                if !mayWait { $0.connectTimeout = .milliseconds(100) }
            }
            let option = isKept ? "" : "Connection: close\r\n"
            let origin = TestOrigin { peer, _ in
                while peer.readHead() != nil {
                    _ = gate.pop()
                    peer.send("HTTP/1.1 200 OK\r\n\(option)Content-Length: 2\r\n\r\nok")
                }
            }
            let stopwatch = Stopwatch()
            let waiting = RequestingClient(address: nil, stopwatch: stopwatch)
            let first = client.start(.to(origin))
            let second = client.start(.to(origin, client: waiting))
            if mayWait {
                for receiver in [first, second] {
                    gate.push(true)
                    #expect(receiver.result() == .success("ok"))
                }
                #expect(stopwatch.timings.connect == nil || !isKept)
            } else {
                #expect(second.failure == .connectionLimitReached)
                gate.push(true)
                #expect(first.result() == .success("ok"))
            }
            #expect(stopwatch.timings.queue != nil, "kept: \(isKept), waits: \(mayWait)")
        }
    }

    @Test("a POST is never sent twice, and a second failure is not retried (H-089, C-0.5)")
    func noRetry() throws {
        let requests = Lock(0)
        let origin = TestOrigin { peer, number in
            _ = peer.readHead()
            if number == 0 { peer.send(Self.ok) }
            if peer.readHead() != nil { requests.withLock { $0 += 1 } }
        }
        let client = try TestClient()
        #expect(client.start(.to(origin)).result() == .success("ok"))
        #expect(client.start(.to(origin, .post)).failure == .connectionTerminated)
        #expect(requests.withLock { $0 } == 1)
    }

    @Test("an idle connection ends after its time, and one the origin closes is forgotten")
    func idleTimeout() throws {
        let ended = WaitQueue<Bool>()
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send(Self.ok)
            _ = peer.readAll()
            ended.push(true)
        }
        let client = try TestClient {
            $0.keepAliveTimeout = .milliseconds(50)
            // Nothing else ends it.
            ($0.firstByteTimeout, $0.idleTimeout) = (.seconds(600), .seconds(600))
        }
        #expect(client.start(.to(origin)).result() == .success("ok"))
        #expect(ended.pop() == true)
        #expect(client.statistics().idle == 0)
        #expect(client.limiter.taken(PoolKey(OriginRequest.to(origin).uri)) == 0)
    }

    @Test("connections to an origin are bounded over all loops, and those that wait are served in turn (H-132)")
    func limit() throws {
        let most = Lock(0)
        let atOrigin = Lock((open: 0, most: 0))
        let taken = Lock<(@Sendable () -> Int)?>(nil)
        let origin = TestOrigin { peer, _ in
            atOrigin.withLock {
                $0.open += 1
                $0.most = max($0.most, $0.open)
            }
            defer { atOrigin.withLock { $0.open -= 1 } }
            while peer.readHead() != nil {
                let count = taken.withLock { $0 }?() ?? 0
                most.withLock { $0 = max($0, count) }
                peer.send(Self.ok)
            }
        }
        let client = try TestClient(loops: 2) { $0.connectionsPerOrigin = 3 }
        let (limiter, key) = (client.limiter, PoolKey(OriginRequest.to(origin).uri))
        taken.withLock { $0 = { limiter.taken(key) } }
        let receivers = (0..<200).map { client.start(.to(origin), on: $0 % 2) }
        for receiver in receivers { #expect(receiver.result() == .success("ok")) }
        // Asked with each request; the origin learns of a close a moment later than we.
        #expect((1...3).contains(most.withLock { $0 }))
        #expect(atOrigin.withLock { $0.most } < 30)
    }

    @Test("nothing is kept of an origin whose connection ended after it had been used again")
    func forgotten() throws {
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send(Self.ok)
            _ = peer.readHead()
            peer.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
        }
        let client = try TestClient()
        #expect(client.start(.to(origin)).result() == .success("ok"))
        #expect(client.origins() == 1)
        #expect(client.start(.to(origin)).result() == .success("ok"))
        #expect(client.statistics().reuses == 1 && client.origins() == 0)
    }

    @Test("who comes to a full queue is refused at once, and those in it are served (H-132)")
    func fullQueue() throws {
        let gate = WaitQueue<Bool>()
        let origin = TestOrigin { peer, _ in
            while peer.readHead() != nil {
                _ = gate.pop()
                peer.send(Self.ok)
            }
        }
        let client = try TestClient {
            $0.connectionsPerOrigin = 1
            $0.queuePerOrigin = 1
        }
        let first = client.start(.to(origin))
        let second = client.start(.to(origin))
        let third = client.start(.to(origin))
        guard case .failure(let failure) = third.result() else { throw Unexpected() }
        #expect(failure.kind == .connectionLimitReached && failure.status == 503)
        let message = "the queue for connections to 127.0.0.1:\(origin.port) is full; see upstream.queue-per-origin"
        #expect(failure == .connectionLimit(message))
        for receiver in [first, second] {
            gate.push(true)
            #expect(receiver.result() == .success("ok"))
        }
        #expect(origin.connections == 1)
    }

    private struct Unexpected: Error {}

    @Test("who finds no connection in time is told so (H-132)")
    func queueTimeout() throws {
        let origin = TestOrigin { peer, _ in _ = peer.readAll() }
        let client = try TestClient {
            $0.connectionsPerOrigin = 1
            $0.connectTimeout = .milliseconds(100)
        }
        let first = client.start(.to(origin))
        let second = client.start(.to(origin))
        let message = "no connection to 127.0.0.1:\(origin.port) became free in time"
        #expect(second.result() == .failure(.connectionLimit(message)))
        first.exchange?.cancel()
    }

    @Test("a place that is given up goes to the next in the queue")
    func cancelHandsOver() throws {
        let origin = TestOrigin { peer, number in
            _ = peer.readHead()
            if number > 0 { peer.send(Self.ok) }
            _ = peer.readAll()
        }
        let client = try TestClient { $0.connectionsPerOrigin = 1 }
        let first = client.start(.to(origin))
        let second = client.start(.to(origin))
        let third = client.start(.to(origin))
        second.exchange?.cancel()
        first.exchange?.cancel()
        #expect(third.result() == .success("ok"))
    }

    @Test("a connection in use when addresses change is not used again")
    func renewsBusyConnections() throws {
        let gate = WaitQueue<Bool>()
        let origin = TestOrigin { peer, number in
            while peer.readHead() != nil {
                if number == 0 { _ = gate.pop() }
                peer.send(Self.ok)
            }
        }
        let client = try TestClient()
        let first = client.start(.to(origin))
        let second = client.start(.to(origin))
        #expect(second.result() == .success("ok"))
        client.apply()
        gate.push(true)
        #expect(first.result() == .success("ok"))
        #expect(client.statistics().idle == 0)
        #expect(client.start(.to(origin)).result() == .success("ok"))
        #expect(origin.connections == 3)
    }

    @Test("a connection whose connect began before addresses changed is not used again")
    func renewsConnectsUnderWay() throws {
        let origin = TestOrigin { peer, _ in
            while peer.readHead() != nil { peer.send(Self.ok) }
        }
        let client = try TestClient()
        // On the loop, so that nothing of the connect can happen in between.
        let receiver = client.startThenApply(.to(origin))
        #expect(receiver.result() == .success("ok"))
        #expect(client.statistics().idle == 0)
    }

    @Test("connections go when other proxies are on the way, and stay while they are the same")
    func otherProxies() throws {
        let origin = TestOrigin { peer, _ in
            while peer.readHead() != nil { peer.send(Self.ok) }
        }
        let client = try TestClient()
        var parents = ParentSelection()
        #expect(client.start(.to(origin)).result() == .success("ok"))
        client.apply(parents: parents, renewsConnections: false)
        #expect(client.statistics().idle == 1)
        parents.named["api"] = .some(nil)
        client.apply(parents: parents, renewsConnections: false)
        #expect(client.statistics().idle == 0)
    }

    @Test("limits change and connections stay where a reload does not concern their addresses")
    func keepsConnections() throws {
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            peer.send(Self.ok)
            _ = peer.readHead()
            _ = peer.readAll()
        }
        let client = try TestClient()
        #expect(client.start(.to(origin)).result() == .success("ok"))
        var limits = UpstreamLimits()
        limits.firstByteTimeout = .milliseconds(50)
        client.apply(limits, renewsConnections: false)
        #expect(client.start(.to(origin)).failure == .responseTimeout)
        #expect(origin.connections == 1)
    }

    @Test("a lowered limit holds for places that are given back, a raised one serves who waits (H-132)")
    func changedLimit() throws {
        let gate = WaitQueue<Bool>()
        let origin = TestOrigin { peer, _ in
            _ = peer.readHead()
            _ = gate.pop()
            peer.send(Self.ok)
            _ = peer.readAll()
        }
        var limits = UpstreamLimits()
        limits.connectionsPerOrigin = 2
        let client = try TestClient { $0.connectionsPerOrigin = 2 }
        let name = PoolKey(OriginRequest.to(origin).uri)
        let both = (0..<2).map { _ in client.start(.to(origin)) }
        let waiting = client.start(.to(origin))
        limits.connectionsPerOrigin = 1
        client.limiter.apply(limits)
        both[0].exchange?.cancel()
        // Asked on the loop, thus after the cancellation.
        _ = client.statistics()
        #expect(client.limiter.taken(name) == 1)
        limits.connectionsPerOrigin = 2
        client.limiter.apply(limits)
        #expect(client.limiter.taken(name) == 2)
        for _ in 0..<3 { gate.push(true) }
        #expect(both[1].result() == .success("ok"))
        #expect(waiting.result() == .success("ok"))
    }
}

@Suite struct WaitingQueueTests {
    @Test("members leave in order, or from the middle")
    func order() {
        var queue = WaitingQueue<String>()
        for id in 1...200 { queue.append("\(id)", id: UInt64(id)) }
        #expect(queue.remove(3) == "3")
        #expect(queue.remove(3) == nil)
        #expect(queue.remove(500) == nil)
        #expect((0..<3).map { _ in queue.popFirst()?.element } == ["1", "2", "4"])
        #expect(queue.count == 196)
        for _ in 0..<196 { _ = queue.popFirst() }
        #expect(queue.isEmpty && queue.popFirst() == nil)
    }
}
