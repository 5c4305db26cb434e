import RedisSupport
import TestSupport
import Testing

@testable import SharedStorage

@Suite("A Redis cluster")
struct ClusterTests {
    @Test("keys of all slots are found by one seed; a single connection is told to name the cluster's nodes")
    func slots() throws {
        let cluster = try RedisCluster(replicas: false)
        let run = try LoopRun(cluster: [cluster.seeds[2]])
        for number in 0..<50 {
            let (key, other) = ("{k\(number)}a", "{k\(number)}b")
            let replies = try run.replies(.set(key, "\(number)"), .set(other, "x"), .get(key), .get(other))
            #expect(replies == [.text("OK"), .text("OK"), .text("\(number)"), .text("x")])
        }
        let single = try LoopRun(single: cluster.seeds[0])
        let failures = try ["a", "b", "c", "d"].compactMap { try single.replies(.get($0))[0].failure }
        #expect(failures.contains { $0.userMessage.contains("shared.cluster") })
    }

    @Test("a slot that is moved while it is used loses nothing, key by key and then as a whole")
    func migration() throws {
        let cluster = try RedisCluster(replicas: false)
        let run = try LoopRun(cluster: [cluster.seeds[0]])
        let keys = (0..<20).map { "{foo}\($0)" }
        for key in keys { #expect(try run.replies(.set(key, key)) == [.text("OK")]) }
        let slot = KeySlot.slot(of: Array("foo".utf8))
        let (from, to) = (cluster.nodes[cluster.owner(of: slot)], cluster.nodes[(cluster.owner(of: slot) + 1) % 3])
        try to.run("CLUSTER", "SETSLOT", "\(slot)", "IMPORTING", from.id)
        try from.run("CLUSTER", "SETSLOT", "\(slot)", "MIGRATING", to.id)
        for (index, key) in keys.enumerated() {
            let moved = try from.run("MIGRATE", "127.0.0.1", "\(to.port)", key, "0", "1000")
            #expect(moved == "+OK")
            // Keys that have moved, and keys that have not, in one batch.
            let replies = try run.result(keys.map { .get($0) }).get()
            #expect(replies == keys.map { .text($0) })
            #expect(try run.replies(.set("{foo}new\(index)", "1"), .get("{foo}new\(index)"))[1] == .text("1"))
        }
        for node in [to, from] { try node.run("CLUSTER", "SETSLOT", "\(slot)", "NODE", to.id) }
        #expect(try run.result(keys.map { .get($0) }).get() == keys.map { .text($0) })
    }

    @Test("a node that dies is followed by its replica, and the other slots are served meanwhile")
    func failover() throws {
        let cluster = try RedisCluster(replicas: true)
        let run = try LoopRun(cluster: cluster.seeds)
        let slot = KeySlot.slot(of: Array("foo".utf8))
        let owner = cluster.owner(of: slot)
        #expect(try run.replies(.set("{foo}", "1")) == [.text("OK")])
        #expect(try run.replies(.set("{bar}", "1")) == [.text("OK")])
        #expect(KeySlot.slot(of: Array("bar".utf8)) / 5_462 != slot / 5_462)
        cluster.nodes[owner].end()
        #expect(try run.replies(.get("{bar}")) == [.text("1")])
        try askAgain(for: "the replica to take over") {
            try run.result([.set("{foo}", "2")], within: .milliseconds(50))
        } until: {
            (try? $0.get()) == [.text("OK")]
        }
    }

    @Test("a server that is no cluster says so")
    func noCluster() throws {
        let redis = try RedisProcess(.plain)
        let run = try LoopRun(cluster: [.host("127.0.0.1", port: redis.port)])
        guard case .refused? = try run.failure(.get("a")) else { return #expect(Bool(false)) }
    }
}
