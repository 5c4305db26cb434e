import Eventing
import Exchanges
import HTTPCore
import Locking
import TestSupport
import Testing
import TransportSecurity

@testable import UpstreamClient

/// Places for connections, without any (H-132).
@Suite struct OriginLimiterTests {
    private static let now = MonotonicTime(nanoseconds: 1_000_000_000)

    private final class Counters: Sendable {
        let evictions = Lock(0)
        let bans = Lock<[ReuseBan]>([])
    }

    private final class Lab: Sendable {
        let group: LoopGroup
        let limiter: OriginLimiter
        let granted = WaitQueue<String>()
        let counters = Counters()
        let key: PoolKey

        init(connections: Int, queue: Int = 2) throws {
            group = try LoopGroup(count: 2)
            var limits = UpstreamLimits()
            (limits.connectionsPerOrigin, limits.queuePerOrigin) = (connections, queue)
            limiter = OriginLimiter(limits: limits) { [counters] ban in counters.bans.withLock { $0.append(ban) } }
            key = PoolKey(try TargetURI(parsing: "http://a.example/"))
        }

        deinit {
            group.stop()
            group.join()
        }

        /// What became of a wish for a place: its number in the queue, or a word.
        func acquire(_ name: String, on loop: Int = 0) -> String {
            switch limiter.acquire(key, on: group.handles[loop], granted: { [granted] _ in granted.push(name) }) {
            case .granted: "granted"
            case .queued(let id): "queued \(id)"
            case .refused: "refused"
            }
        }

        func finish(on loop: Int = 0) -> String {
            let slots = limiter.slots(of: key)
            let result = limiter.finish(slots, on: group.handles[loop], at: now) { [counters] _ in
                counters.evictions.withLock { $0 += 1 }
            }
            return switch result {
            case .keep: "keep"
            case .handOver(let waiter): "hand over to \(waiter)"
            case .close: "close"
            case .release: "release"
            }
        }

        /// Connections, idle ones, and who waits.
        var counts: [Int] {
            let statistics = limiter.statistics(at: now)
            return [statistics.connections, statistics.idle, statistics.waiting]
        }

        private var now: MonotonicTime { OriginLimiterTests.now }
    }

    @Test("there are so many places, then a queue, then refusals; who leaves the queue makes room in it")
    func places() throws {
        let lab = try Lab(connections: 2)
        #expect(lab.counts == [0, 0, 0] && lab.limiter.taken(lab.key) == 0)
        let verdicts = ["a", "b", "c", "d", "e"].map { lab.acquire($0) }
        #expect(verdicts == ["granted", "granted", "queued 3", "queued 4", "refused"])
        #expect(lab.counts == [2, 0, 2] && lab.limiter.taken(lab.key) == 2)
        #expect(lab.limiter.withdraw(3, from: lab.key) && !lab.limiter.withdraw(3, from: lab.key))
        #expect(lab.acquire("f") == "queued 6" && lab.counts == [2, 0, 2])
        lab.limiter.release(lab.key)
        #expect(lab.granted.pop() == "d" && lab.counts == [2, 0, 1])
        lab.limiter.release(lab.key)
        #expect(lab.granted.pop() == "f" && lab.counts == [2, 0, 0])
        lab.limiter.release(lab.key)
        #expect(lab.counts == [1, 0, 0])
        lab.limiter.release(lab.key)
        lab.limiter.release(lab.key)
        #expect(lab.counts == [0, 0, 0] && lab.limiter.origins(limit: 9).isEmpty)
        #expect(try Lab(connections: 0, queue: 0).acquire("a") == "granted")
    }

    @Test("a connection is kept if nobody waits; whoever has to wait then asks for an idle one to be closed")
    func idle() throws {
        let lab = try Lab(connections: 1)
        #expect(lab.acquire("a") == "granted" && lab.finish() == "keep" && lab.counts == [1, 1, 0])
        #expect(lab.counters.evictions.withLock { $0 } == 0)
        #expect(lab.acquire("b") == "queued 2" && lab.counters.evictions.withLock { $0 } == 1)
        let slots = lab.limiter.slots(of: lab.key)
        #expect(lab.limiter.leaveIdle(slots, on: lab.group.handles[0], at: Self.now) && lab.counts == [1, 0, 1])
        #expect(lab.acquire("c", on: 1) == "queued 3" && lab.counters.evictions.withLock { $0 } == 1)
        #expect(lab.finish() == "hand over to 2" && lab.counts == [1, 0, 1])
        #expect(lab.finish() == "close" && lab.granted.pop() == "c" && lab.counts == [1, 0, 0])
        #expect(lab.finish(on: 1) == "keep" && lab.counts == [1, 1, 0])
        lab.limiter.leaveIdle(slots, on: lab.group.handles[1], at: Self.now)
        #expect(lab.counts == [1, 0, 0])
    }

    @Test("to make room for a waiter, the idle connection is closed by what its loop said when it became idle")
    func evictors() throws {
        let lab = try Lab(connections: 1)
        let closed = Lock<[String]>([])
        #expect(lab.acquire("a") == "granted")
        let slots = lab.limiter.slots(of: lab.key)
        for (index, loop) in [0, 0, 1, 0].enumerated() {
            let result = lab.limiter.finish(slots, on: lab.group.handles[loop], at: Self.now) { key in
                closed.withLock { $0.append("\(index): \(key.name)") }
            }
            guard case .keep = result else {
                Issue.record("\(result)")
                return
            }
            #expect(lab.acquire("waiter \(index)") == "queued \(index + 2)")
            #expect(lab.limiter.withdraw(UInt64(index + 2), from: lab.key))
            lab.limiter.leaveIdle(slots, on: lab.group.handles[loop], at: Self.now)
        }
        #expect(closed.withLock { $0 } == (0..<4).map { "\($0): http://a.example:80" })
        #expect(lab.counts == [1, 0, 0])
    }

    @Test("a lower limit lets no connection stay beyond it; a higher one serves as many as fit")
    func changes() throws {
        let lab = try Lab(connections: 2)
        #expect(["a", "b", "c", "d"].map { lab.acquire($0) }.suffix(2) == ["queued 3", "queued 4"])
        var limits = UpstreamLimits()
        (limits.connectionsPerOrigin, limits.queuePerOrigin) = (1, 3)
        lab.limiter.apply(limits)
        #expect(lab.counts == [2, 0, 2] && lab.finish() == "release")
        lab.limiter.release(lab.key)
        #expect(lab.counts == [1, 0, 2])
        #expect(lab.acquire("e") == "queued 5" && lab.acquire("f") == "refused")
        limits.connectionsPerOrigin = 3
        lab.limiter.apply(limits)
        #expect([lab.granted.pop(), lab.granted.pop()] == ["c", "d"] && lab.counts == [3, 0, 1])
    }

    @Test("an origin that is not to be trusted keeps no connection, is told once, and others are not concerned")
    func bans() throws {
        let lab = try Lab(connections: 2)
        #expect(lab.acquire("a") == "granted")
        for _ in 0..<2 { lab.limiter.banReuse(of: lab.key, at: Self.now) }
        #expect(
            lab.counters.bans.withLock { $0 } == [ReuseBan(origin: "http://a.example:80", remaining: .seconds(600))]
        )
        let slots = lab.limiter.slots(of: lab.key)
        #expect(lab.finish() == "release" && lab.counts == [1, 0, 0])
        #expect(!lab.limiter.leaveIdle(slots, on: lab.group.handles[0], at: Self.now))
        let end = Self.now + .seconds(600)
        #expect(lab.limiter.leaveIdle(slots, on: lab.group.handles[0], at: end))
        #expect(lab.limiter.statistics(at: end).bans.isEmpty)
        let other = lab.limiter.slots(of: PoolKey(try TargetURI(parsing: "http://b.example/")))
        #expect(lab.limiter.leaveIdle(other, on: lab.group.handles[0], at: Self.now))
    }

    @Test("an origin is listed with all its connections, the busiest first; TLS is known by its last connection")
    func origins() throws {
        let lab = try Lab(connections: 2)
        let keys = try ["http://c.example/", "https://b.example/", "https://b.example:444/"].map { text in
            PoolKey(try TargetURI(parsing: text), identity: 1)
        }
        func acquire(_ key: PoolKey) { _ = lab.limiter.acquire(key, on: lab.group.handles[0]) { _ in } }
        for key in keys + [keys[2]] { acquire(key) }
        acquire(PoolKey(try TargetURI(parsing: "https://b.example/"), identity: 2))
        for _ in 0..<2 { acquire(keys[2]) }
        let facts = TLSFacts(version: "TLSv1.3", cipher: "TLS_AES_128_GCM_SHA256")
        lab.limiter.note(facts, of: lab.limiter.slots(of: keys[1]))
        let found = lab.limiter.origins(limit: 9)
        #expect(found.map(\.origin) == ["https://b.example", "https://b.example:444", "http://c.example"])
        #expect(found.map(\.connections) == [2, 2, 1] && found.map(\.waiting) == [0, 2, 0])
        #expect(found.map(\.security) == [facts, nil, nil])
        #expect(lab.limiter.origins(limit: 1).count == 1 && lab.limiter.slowContents == 0)
        lab.limiter.noteSlowContent()
        #expect(lab.limiter.slowContents == 1)
    }

    @Test("a queue keeps its order however many have left it")
    func queue() {
        var queue = WaitingQueue<Int>()
        for id in 1...200 { queue.append(id, id: UInt64(id)) }
        let first = (0..<120).map { _ in queue.popFirst()?.element }
        #expect(first.compactMap(\.self) == Array(1...120) && queue.count == 80)
        let removed = [queue.remove(120), queue.remove(121), queue.remove(200), queue.remove(150), queue.remove(201)]
        #expect(removed == [nil, 121, 200, 150, nil] && queue.count == 77)
        queue.append(201, id: 201)
        var rest: [Int] = []
        while let (id, element) = queue.popFirst() {
            #expect(id == UInt64(element))
            rest.append(element)
        }
        #expect(rest == Array(122...149) + Array(151...199) + [201] && queue.isEmpty)
        queue.append(7, id: 300)
        let (last, none) = (queue.popFirst()?.element, queue.popFirst()?.element)
        #expect(last == 7 && none == nil && queue.count == 0)
    }

    @Test("a key is direct to the same scheme, host and port, and tells its origin in three ways")
    func keys() throws {
        let key = PoolKey(try TargetURI(parsing: "https://a.example:8443/"))
        #expect(key.name == "https://a.example:8443" && key.origin == key.name && key.text == "a.example:8443")
        let usual = PoolKey(try TargetURI(parsing: "https://a.example/"))
        #expect(usual.name == "https://a.example:443" && usual.origin == "https://a.example")
        for (uri, isDirect) in [
            ("https://A.example:8443/x", true), ("http://a.example:8443/", false), ("https://a.example/", false),
            ("https://b.example:8443/", false), ("https://a.exampl:8443/", false),
        ] {
            #expect(try key.isDirect(to: TargetURI(parsing: uri)) == isDirect, "\(uri)")
        }
        let parent = ParentProxy(.http, host: Array("p.example".utf8), port: 1)
        let behind = PoolKey(try TargetURI(parsing: "https://a.example/"), route: .tunnel(parent))
        #expect(try !behind.isDirect(to: TargetURI(parsing: "https://a.example/")))
    }
}
