import Eventing
import Exchanges
import HTTPCore
import Platform
import TestSupport
import Testing

@testable import UpstreamClient

/// Connections between their exchanges.
@Suite struct IdleConnectionTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private static func answer(_ number: Int) -> String { "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)" }

    @Test("an idle connection that its origin closes is forgotten, and no other one", arguments: [0, 1, 2])
    func closedByOrigin(closing: Int) throws {
        let gates = (0..<3).map { _ in WaitQueue<Bool>() }
        let (end, ended, asked) = (WaitQueue<Bool>(), WaitQueue<Bool>(), WaitQueue<Int>())
        let origin = TestOrigin { peer, _ in
            // Connections are accepted in any order: the first request of each says which one it is.
            guard let target = peer.readHead()?.split(separator: " ").dropFirst().first,
                let number = Int(target.dropFirst())
            else { return }
            _ = gates[number].pop()
            peer.send(Self.answer(number))
            if number == closing {
                _ = end.pop()
                peer.shutdownWrite()
                _ = peer.readAll()
                ended.push(true)
            } else if peer.readHead() != nil {
                asked.push(number)
                _ = gates[number].pop()
                peer.send(Self.answer(number))
                _ = peer.readAll()
            }
        }
        let client = try TestClient()
        let receivers = (0..<3).map { client.start(.to(origin, path: "/\($0)")) }
        // They become idle in the order of their numbers.
        for number in 0..<3 {
            gates[number].push(true)
            #expect(receivers[number].result() == .success("\(number)"))
        }
        #expect(client.statistics().idle == 3)
        end.push(true)
        #expect(ended.pop() == true)
        #expect(client.statistics().idle == 2)
        let known = client.limiter.statistics(at: MonotonicTime.now)
        #expect(known.connections == 2 && known.idle == 2)
        let again = (0..<2).map { _ in client.start(.to(origin)) }
        // Each has a connection of its own before one of them is answered.
        for number in [asked.pop(), asked.pop()].compactMap(\.self) { gates[number].push(true) }
        let answers = again.compactMap { try? $0.result().get() }
        #expect(answers.sorted() == (0..<3).filter { $0 != closing }.map { "\($0)" })
        #expect(origin.connections == 3)
    }

    @Test("a client that drains closes idle connections at once, and others behind their exchange")
    func drain() throws {
        let (gate, ended) = (WaitQueue<Bool>(), WaitQueue<Int>())
        let origin = TestOrigin { peer, number in
            while peer.readHead() != nil {
                if number == 0 { _ = gate.pop() }
                peer.send(Self.ok)
            }
            ended.push(number)
        }
        let client = try TestClient()
        let first = client.start(.to(origin))
        #expect(client.start(.to(origin)).result() == .success("ok"))
        #expect(client.statistics().idle == 1)
        client.drain()
        #expect(ended.pop() == 1 && client.statistics().idle == 0)
        gate.push(true)
        #expect(first.result() == .success("ok"))
        #expect(ended.pop() == 0 && client.statistics().idle == 0)
        // What is still to be asked is asked.
        #expect(client.start(.to(origin)).result() == .success("ok"))
        #expect(ended.pop() == 2 && client.statistics().idle == 0)
    }

    @Test("no more connections are kept idle than upstream.idle-connections allows, to all origins together")
    func limit() throws {
        let origins = (0..<3).map { _ in
            TestOrigin { peer, _ in while peer.readHead() != nil { peer.send(Self.ok) } }
        }
        let client = try TestClient { $0.idleConnections = 2 }
        for origin in origins + origins { #expect(client.start(.to(origin)).result() == .success("ok")) }
        #expect(client.statistics().idle == 2 && origins.map(\.connections) == [1, 1, 2])
    }

    @Test("a loop that finds all places taken gets that of the connection which is idle longest on another loop")
    func eviction() throws {
        let gates = (0..<3).map { _ in WaitQueue<Bool>() }
        let ended = WaitQueue<Int>()
        let origin = TestOrigin { peer, number in
            while number < 3, peer.readHead() != nil {
                _ = gates[number].pop()
                peer.send(Self.answer(number))
            }
            ended.push(number)
        }
        let client = try TestClient(loops: 2) { $0.connectionsPerOrigin = 2 }
        let both = (0..<2).map { _ in client.start(.to(origin)) }
        for number in 0..<2 {
            gates[number].push(true)
            #expect(both[number].result() == .success("\(number)"))
        }
        gates[2].push(true)
        #expect(client.start(.to(origin), on: 1).result() == .success("2"))
        #expect(ended.pop() == 0)
        #expect([client.statistics(0).idle, client.statistics(1).idle] == [1, 1])
        let known = client.limiter.statistics(at: MonotonicTime.now)
        #expect(known.connections == 2 && known.idle == 2 && known.waiting == 0)
        gates[1].push(true)
        #expect(client.start(.to(origin)).result() == .success("1"))
        #expect(origin.connections == 3)
    }

    @Test("each request, connection, reuse and failure is counted once")
    func counts() throws {
        let origin = TestOrigin { peer, _ in while peer.readHead() != nil { peer.send(Self.ok) } }
        let closed = try unusedPort()
        let client = try TestClient()
        let none = client.statistics()
        #expect([none.requests, none.connects, none.reuses, none.retries, none.failures, none.idle].max() == 0)
        for _ in 0..<2 { #expect(client.start(.to(origin)).result() == .success("ok")) }
        let uri = TargetURI(scheme: .http, host: Array("127.0.0.1".utf8), port: closed, path: [0x2F])
        #expect(client.start(OriginRequest(method: .get, uri: uri, fields: Fields())).failure != nil)
        let all = client.statistics()
        #expect([all.requests, all.connects, all.reuses, all.retries, all.failures, all.idle] == [3, 2, 1, 0, 1, 1])
    }

    @Test("a request that is sent once more has the times of its last attempt, without the wait before the first")
    func timesWithoutWait() throws {
        let gate = WaitQueue<Bool>()
        let origin = TestOrigin { peer, number in
            _ = peer.readHead()
            if number == 0 { _ = gate.pop() }
            peer.send(Self.ok)
            // The connection that is handed over ends without an answer.
            _ = peer.readHead()
        }
        let client = try TestClient { $0.connectionsPerOrigin = 1 }
        let stopwatch = Stopwatch()
        let first = client.start(.to(origin))
        let second = client.start(.to(origin, client: RequestingClient(address: nil, stopwatch: stopwatch)))
        gate.push(true)
        #expect(first.result() == .success("ok"))
        #expect(second.result() == .success("ok"))
        #expect(client.statistics().retries == 1 && origin.connections == 2)
        #expect(stopwatch.timings.queue == nil && stopwatch.timings.connect != nil)
    }

    @Test("plain requests are relayed by a proxy; it is a tunnel for others, and where it would not know the host")
    func routes() throws {
        let workers = try WorkerPool(count: 1)
        defer { workers.stop() }
        let manual = try ManualLoop()
        let parent = ParentProxy(.http, host: Array("proxy.example".utf8), port: 3128)
        var parents = ParentSelection()
        parents.usual = parent
        parents.named["direct"] = .some(nil)
        let limits = UpstreamLimits()
        let pool = OriginPool(
            loop: manual.loop,
            connector: Connector(loop: manual.loop, resolver: NameResolver(workers: workers)),
            policy: AddressPolicy(allowsLoopback: true, allowsPrivate: true),
            limiter: OriginLimiter(limits: limits),
            limits: limits,
            security: UpstreamSecurity(),
            parents: parents
        )
        func route(
            _ uri: String,
            upgrade: String? = nil,
            host: String? = nil,
            by name: String? = nil
        ) throws -> ConnectRoute {
            var request = OriginRequest(
                method: .get,
                uri: try TargetURI(parsing: uri),
                fields: Fields(),
                upgrade: upgrade.map { Array($0.utf8) },
                host: host.map { Array($0.utf8) }
            )
            request.policies.proxy = name
            return pool.key(of: request, nil).route
        }
        #expect(try route("http://a.example/") == .relay(parent))
        #expect(try route("https://a.example/") == .tunnel(parent))
        #expect(try route("http://a.example/", upgrade: "websocket") == .tunnel(parent))
        #expect(try route("http://a.example/", host: "b.example") == .tunnel(parent))
        #expect(try route("http://a.example/", by: "direct") == .direct)
        #expect(try route("http://a.example/", by: "other") == .relay(parent))
    }

    @Test("limits of exchanges are those of the manual unless the settings say otherwise")
    func defaults() {
        let limits = UpstreamLimits()
        #expect(limits.connectTimeout == .seconds(5) && limits.firstByteTimeout == .seconds(30))
        #expect(limits.idleTimeout == .seconds(30) && limits.eventStreamIdleTimeout == .seconds(600))
        #expect(limits.minimumRate == 60 && limits.ratePeriod == .seconds(60))
        #expect(limits.keepAliveTimeout == .seconds(60) && limits.continueTimeout == .seconds(1))
        #expect(limits.connectionsPerOrigin == 256 && limits.queuePerOrigin == 10_000)
        #expect(limits.idleConnections == 256 && limits.interimResponses == 16 && limits.unsentContent == 262_144)
    }
}
