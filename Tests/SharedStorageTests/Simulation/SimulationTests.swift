import HTTPCore
import TestSupport
import Testing

@testable import SharedStorage

/// Several nodes over a modelled server, in virtual time; what goes wrong is drawn by a seed.
@Suite("Many nodes, one tier: a simulation")
struct SimulationTests {
    /// What goes wrong in a run.
    private struct Faults {
        var lossRate = 0
        var pauses = false
        var failovers = false
        var outages = false
        var moves = false
        /// How far the nodes' clocks are apart, in seconds.
        var skew: Int64 = 0
        /// For how many seconds responses are fresh.
        var lifetime = 20
    }

    private final class World {
        let time = VirtualTime()
        let cluster = ModelCluster()
        let origin: SimulatedOrigin
        private(set) var nodes: [SimulatedNode] = []
        private var random: FixedRandom
        private let faults: Faults
        /// The latest version that each node has served of each resource, to each owner.
        private var floors: [[Int]: Int] = [:]
        private(set) var violations: [String] = []
        private(set) var served = 0
        private let keys = 4

        init(_ seed: UInt64, _ faults: Faults, count: Int = 4) {
            self.faults = faults
            origin = SimulatedOrigin(lifetime: faults.lifetime)
            random = FixedRandom(seed: seed)
            for number in 0..<count {
                let skew = [0, faults.skew, -faults.skew][number % 3]
                nodes.append(SimulatedNode(cluster, time, origin, seed: seed &* 100 &+ UInt64(number) * 10, skew: skew))
            }
            time.run(until: .seconds(1))
            cluster.lossRate = faults.lossRate
        }

        func run(_ duration: Duration) {
            let end = time.now + duration
            var step = 0
            while time.now < end {
                time.run(until: time.now + .milliseconds(10 + random.next(30)))
                step += 1
                get(random.next(nodes.count), random.next(keys), owner: random.next(4) == 0 ? 1 + random.next(2) : 0)
                if random.next(60) == 0 { change(random.next(keys)) }
                if step % 25 == 0 { cluster.takeSnapshot() }
                breakSomething()
            }
            time.run(until: time.now + .seconds(10))
        }

        /// Once nothing goes wrong any more, each node has heard of each purge.
        func settle() {
            cluster.lossRate = 0
            time.run(until: time.now + .seconds(10))
            for index in nodes.indices {
                for key in 0..<keys { floors[[index, key, 0]] = origin.version(key) }
            }
            for index in nodes.indices { for key in 0..<keys { get(index, key, owner: 0) } }
            time.run(until: time.now + .seconds(5))
        }

        private func breakSomething() {
            if faults.pauses, random.next(200) == 0 {
                nodes[random.next(nodes.count)].loop.pause(for: .milliseconds(random.next(8_000)))
            }
            if faults.failovers, random.next(400) == 0 { cluster.failOverAny(&random, at: time.now) }
            if faults.moves, random.next(100) == 0 { cluster.move(slot(random.next(keys + 1))) }
            if faults.outages, random.next(400) == 0 {
                cluster.downUntil = time.now + .milliseconds(random.next(4_000))
            }
        }

        /// That of a resource, or of the purges.
        func slot(_ key: Int) -> UInt16 {
            let uri = try? TargetURI(parsing: SimulatedNode.uri(key))
            return KeySlot.slot(
                of: uri.map { ResourceKeys($0).index }.flatMap { key < keys ? $0 : nil } ?? PurgeEntry.stream
            )
        }

        /// The origin changes a resource, and a node purges it.
        func change(_ key: Int, byTag: Bool? = nil) {
            origin.change(key)
            let index = random.next(nodes.count)
            let byTag = byTag ?? (random.next(2) == 0)
            nodes[index].loop.run { [self] in
                nodes[index].purge(key, byTag: byTag)
                for owner in 0...2 { raise([index, key, owner], to: origin.version(key)) }
            }
        }

        func get(_ index: Int, _ key: Int, owner: Int) {
            nodes[index].loop.run { [self] in
                let floor = floors[[index, key, owner]] ?? 0
                nodes[index].get(key, owner: owner) { [self] in check($0, index, owner, floor) }
            }
        }

        /// - Parameter floor: what the node had served, or purged, when the request came.
        private func check(_ response: SimulatedNode.Served, _ index: Int, _ owner: Int, _ floor: Int) {
            served += 1
            if response.version < floor {
                note("node \(index) serves version \(response.version) of \(response.key) after \(floor)")
            }
            if response.owner != 0, response.owner != owner { note("\(owner) gets what is for \(response.owner)") }
            if response.age > .seconds(origin.lifetime + 1) { note("\(response.key) is \(response.age) old") }
            raise([index, response.key, owner], to: response.version)
        }

        private func raise(_ name: [Int], to version: Int) { floors[name] = max(floors[name] ?? 0, version) }

        private func note(_ text: String) { violations.append("\(time.now): \(text)") }
    }

    /// Runs some seeds; returns the violations of the first one that has any.
    private func violations(_ faults: Faults, seeds: Range<UInt64>) -> [String] {
        for seed in seeds {
            let world = World(seed, faults)
            world.run(.seconds(25))
            if !faults.failovers { world.settle() }
            if !world.violations.isEmpty { return ["seed \(seed)"] + world.violations.prefix(3) }
            if world.served < 300 { return ["seed \(seed): only \(world.served) responses"] }
        }
        return []
    }

    @Test("without faults no node serves what is older than what it has served, stale, or another's")
    func calm() { #expect(violations(Faults(), seeds: 0..<5) == []) }

    @Test("nor with lost messages and a server that is down now and then")
    func losses() { #expect(violations(Faults(lossRate: 30, outages: true, lifetime: 60), seeds: 100..<105) == []) }

    @Test("nor with nodes that are paused, and clocks that are a minute apart")
    func pauses() { #expect(violations(Faults(pauses: true, skew: 60), seeds: 200..<205) == []) }

    @Test("nor with failovers that lose the last writes, and all the rest")
    func failovers() {
        let all = Faults(lossRate: 20, pauses: true, failovers: true, outages: true, moves: true, skew: 60)
        #expect(violations(all, seeds: 300..<308) == [])
    }

    /// All nodes ask for a resource at the same time; returns how often the origin was asked.
    private func loads(_ world: World, of key: Int) -> Int {
        let before = world.origin.loads[key] ?? 0
        for index in world.nodes.indices { world.get(index, key, owner: 0) }
        world.time.run(until: world.time.now + .seconds(5))
        return (world.origin.loads[key] ?? 0) - before
    }

    @Test("after a purge all nodes together load once, be it by URL or by tag", arguments: [false, true])
    func purged(byTag: Bool) {
        let world = World(1, Faults())
        #expect(loads(world, of: 0) == 1)
        for _ in 0..<20 {
            world.change(0, byTag: byTag)
            world.time.run(until: world.time.now + .milliseconds(30))
            #expect(loads(world, of: 0) == 1)
        }
        #expect(world.violations == [])
    }

    @Test("a server that lost all, purges too, is of use again at once")
    func empty() {
        let world = World(2, Faults())
        world.change(0)
        world.time.run(until: world.time.now + .milliseconds(100))
        #expect(loads(world, of: 1) == 1)
        world.cluster.restart(at: world.time.now)
        // Questions that waited at the old server are given up.
        world.time.run(until: world.time.now + PurgeExchange.silence * 2)
        #expect(loads(world, of: 2) == 1 && world.nodes.allSatisfy { $0.tier.statistics.isFollowing })
        #expect(world.violations == [])
    }

    @Test("a node that was paused does not end the lease that another one holds by now")
    func pausedHolder() {
        let world = World(4, Faults())
        for node in world.nodes { node.givesUpSlowLoads = true }
        world.origin.delay = .milliseconds(600)
        func wait(_ milliseconds: Int) { world.time.run(until: world.time.now + .milliseconds(milliseconds)) }
        world.get(0, 0, owner: 0)
        wait(350)
        world.nodes[0].loop.pause(for: .seconds(5))
        wait(4_800)
        // The first lease has expired.
        world.get(1, 0, owner: 0)
        wait(100)
        world.get(2, 0, owner: 0)
        wait(3_000)
        #expect(world.served == 3 && world.origin.loads[0] == 2)
    }

    @Test("what a node finds late is fresh for the rest of its time, though clocks are a minute apart")
    func skew() {
        let world = World(5, Faults(skew: 60))
        for (writer, reader, key) in [(1, 2, 0), (2, 1, 1), (0, 2, 2)] {
            world.get(writer, key, owner: 0)
            world.time.run(until: world.time.now + .seconds(15))
            world.get(reader, key, owner: 0)
            world.time.run(until: world.time.now + .seconds(4))
            world.get(reader, key, owner: 0)
            #expect(world.origin.loads[key] == 1)
            world.time.run(until: world.time.now + .seconds(4))
            world.get(reader, key, owner: 0)
            world.time.run(until: world.time.now + .seconds(1))
            #expect(world.origin.loads[key] == 2)
        }
        #expect(world.violations == [] && world.served == 12)
    }

    @Test("of a cold URL whose slot has moved the origin sees one load")
    func moved() {
        let world = World(3, Faults())
        for key in 0..<4 {
            world.cluster.move(world.slot(key))
            #expect(loads(world, of: key) == 1)
        }
    }

    @Test("of a cold URL the origin sees one load, and one more for each node that is paused")
    func cold() {
        for seed in 0..<60 as Range<UInt64> {
            var random = FixedRandom(seed: seed)
            let world = World(seed, Faults(), count: 6)
            for node in world.nodes { node.givesUpSlowLoads = true }
            var pauses = 0
            for _ in 0..<60 {
                world.get(random.next(6), 0, owner: 0)
                world.time.run(until: world.time.now + .milliseconds(random.next(8)))
                if random.next(60) == 0 {
                    pauses += 1
                    world.nodes[random.next(6)].loop.pause(for: .seconds(5))
                }
            }
            world.time.run(until: world.time.now + .seconds(15))
            let loads = world.origin.loads[0] ?? 0
            #expect(world.served == 60 && loads <= 1 + pauses, "seed \(seed): \(loads) loads, \(pauses) pauses")
        }
    }
}
