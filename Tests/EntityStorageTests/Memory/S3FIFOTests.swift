import Glibc
import Locking
import Stores
import Testing

@testable import EntityStorage

@Suite("What leaves memory (S3-FIFO)")
struct S3FIFOTests {
    private final class Entry: MemoryEntry {
        let identity: UInt64
        let cost: Int
        let descriptorCount: Int
        private let uses = Lock(0)

        init(_ identity: UInt64, cost: Int, holdsDescriptor: Bool = false) {
            self.identity = identity
            self.cost = cost
            descriptorCount = holdsDescriptor ? 1 : 0
        }

        func use() { uses.withLock { $0 = min(3, $0 + 1) } }

        func takeUses() -> Int {
            uses.withLock { uses in
                defer { uses = 0 }
                return uses
            }
        }
    }

    /// A cache over the policy: returns whether `identity` was there.
    private struct Cache {
        let policy: S3FIFO
        var entries: [UInt64: Entry] = [:]

        init(limit: Int) { policy = S3FIFO(limit: limit) }

        mutating func request(_ identity: UInt64, cost: Int = 1) -> Bool {
            if let entry = entries[identity] {
                entry.use()
                return true
            }
            let entry = Entry(identity, cost: cost)
            entries[identity] = entry
            for victim in policy.didStore(entry) { entries[victim.identity] = nil }
            return false
        }
    }

    /// The algorithm of the reference simulation, with plain arrays.
    private struct Reference {
        let capacity: Int
        var small: [UInt64] = []
        var main: [UInt64] = []
        var ghosts: [UInt64] = []
        var uses: [UInt64: Int] = [:]
        var costs: [UInt64: Int] = [:]

        func bytes(_ queue: [UInt64]) -> Int { queue.reduce(0) { $0 + (costs[$1] ?? 0) } }

        mutating func addGhost(_ identity: UInt64) {
            ghosts.append(identity)
            while bytes(ghosts) > capacity / 10 * 9 { ghosts.removeFirst() }
        }

        mutating func request(_ identity: UInt64, cost: Int) -> Bool {
            costs[identity] = cost
            if let count = uses[identity] {
                uses[identity] = min(3, count + 1)
                return true
            }
            let wasGhost = ghosts.contains(identity)
            ghosts.removeAll { $0 == identity }
            if !wasGhost, cost > capacity / 10 {
                addGhost(identity)
                return false
            }
            while bytes(small) + bytes(main) + cost > capacity {
                if bytes(small) > capacity / 10 || main.isEmpty { evictSmall() } else { evictMain() }
            }
            uses[identity] = 0
            if wasGhost { main.append(identity) } else { small.append(identity) }
            return false
        }

        mutating func evictSmall() {
            let victim = small.removeFirst()
            if uses[victim] ?? 0 >= 2 {
                uses[victim] = 0
                main.append(victim)
            } else {
                uses[victim] = nil
                addGhost(victim)
            }
        }

        mutating func evictMain() {
            while !main.isEmpty {
                let victim = main.removeFirst()
                guard let count = uses[victim], count > 0 else {
                    uses[victim] = nil
                    return
                }
                uses[victim] = count - 1
                main.append(victim)
            }
        }
    }

    @Test("every hit and miss is that of the reference simulation", arguments: [1, 2, 3] as [UInt64])
    func reference(seed: UInt64) {
        var cache = Cache(limit: 1000)
        var reference = Reference(capacity: 1000)
        var state = seed
        var hits = 0
        for step in 0..<6_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let draw = state >> 33
            // Popular, rare and never again.
            let identity = step % 5 == 0 ? UInt64(1_000 + step) : (draw % 3 == 0 ? draw % 400 : draw % 40)
            let cost = 1 + Int(identity &* 2_654_435_761 % 40) * (identity % 17 == 0 ? 5 : 1)
            let expected = reference.request(identity, cost: cost)
            #expect(cache.request(identity, cost: cost) == expected)
            hits += expected ? 1 : 0
            #expect(cache.policy.used <= 1000)
        }
        #expect(hits > 500)
        #expect(cache.policy.count == cache.entries.count)
    }

    @Test("the entries never cost more than the limit; one that is too large leaves at once")
    func limit() {
        let policy = S3FIFO(limit: 100)
        let large = Entry(1, cost: 101)
        #expect(policy.didStore(large).map(\.identity) == [1])
        for identity in 2..<200 as Range<UInt64> {
            _ = policy.didStore(Entry(identity, cost: 7))
            #expect(policy.used <= 100)
        }
        #expect(policy.count == 14)
    }

    @Test("what was removed for another reason is forgotten, and nothing is counted twice")
    func removal() {
        let policy = S3FIFO(limit: 1000)
        let entries = (0..<10).map { Entry(UInt64($0), cost: 10) }
        for entry in entries { _ = policy.didStore(entry) }
        _ = policy.didStore(entries[0])
        #expect(policy.used == 100)
        for entry in entries {
            policy.didRemove(entry)
            policy.didRemove(entry)
        }
        #expect(policy.used == 0 && policy.count == 0)
    }

    @Test("thousands come and go in any order: what was not removed is there, and its place is used again")
    func comingAndGoing() {
        let policy = S3FIFO(limit: 1 << 30)
        var held: [Entry] = []
        var state: UInt64 = 7
        for step in 0..<20_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Grows to thousands, then goes down to few.
            if held.isEmpty || state >> 33 % 4 < (step < 10_000 ? 3 : 1) {
                held.append(Entry(UInt64(step), cost: 1 + step % 9))
                #expect(policy.didStore(held[held.count - 1]).isEmpty)
            } else {
                held.swapAt(Int(state >> 40) % held.count, held.count - 1)
                policy.didRemove(held.removeLast())
            }
            if step % 500 == 0 {
                #expect(policy.count == held.count && policy.used == held.reduce(0) { $0 + $1.cost })
            }
        }
        for entry in held { policy.didRemove(entry) }
        #expect(policy.used == 0 && policy.count == 0)
    }

    @Test("the policy keeps 32 bytes of an entry beside its place")
    func nodes() { #expect(MemoryLayout<PolicyNodes.Node>.stride == 32) }

    @Test("a scan does not drive out what is used")
    func scan() {
        var cache = Cache(limit: 100)
        for _ in 0..<5 { for identity in 0..<50 as Range<UInt64> { _ = cache.request(identity) } }
        for identity in 1_000..<5_000 as Range<UInt64> {
            _ = cache.request(identity)
            if identity % 20 == 0 { for popular in 0..<50 as Range<UInt64> { _ = cache.request(popular) } }
        }
        #expect((0..<50 as Range<UInt64>).allSatisfy { cache.entries[$0] != nil })
    }

    /// Below `SHARED`, as the Makefile sets it.
    private static var tracePath: String? {
        guard let shared = getenv("SHARED") else { return nil }
        let path = String(cString: shared) + "/traces/cache2k/web07.trace.xz"
        return access(path, R_OK) == 0 ? path : nil
    }

    @Test(
        "on a real trace the hit ratio is that of the reference, within half a point",
        .enabled(if: tracePath != nil, "needs the traces in SHARED (Benchmarks/eviction/fetch-traces)"),
        arguments: [(0.01, 43.8), (0.05, 54.2), (0.1, 58.1), (0.25, 64.2)]
    )
    func realTrace(share: Double, expected: Double) throws {
        let path = try #require(Self.tracePath)
        let pipe = try #require(popen("xz -dc '\(path)'", "r"))
        defer { pclose(pipe) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { bytes += buffer[..<count] }
        let requests = stride(from: 0, to: bytes.count - 3, by: 4).map { start in
            bytes[start..<start + 4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        #expect(requests.count == 76_118)
        let footprint = Set(requests).count
        // Times ten, so that a tenth of the limit is a whole number as in the reference.
        var cache = Cache(limit: Int(share * Double(footprint)) * 10)
        let hits = requests.reduce(0) { $0 + (cache.request($1, cost: 10) ? 1 : 0) }
        #expect(abs(100 * Double(hits) / Double(requests.count) - expected) <= 0.5)
    }

    @Test("entries that keep a file open are bounded in number, though they cost little memory (H-156)")
    func descriptors() {
        let policy = S3FIFO(limit: 1 << 20, descriptorLimit: 64)
        var held: [UInt64: Entry] = [:]
        for identity in 0..<1000 as Range<UInt64> {
            let entry = Entry(identity, cost: 10, holdsDescriptor: identity % 2 == 0)
            held[identity] = entry
            for victim in policy.didStore(entry) { held[victim.identity] = nil }
        }
        let files = held.values.count { $0.descriptorCount > 0 }
        #expect(files <= 64 && files > 48)
        #expect(policy.used <= policy.limit)
    }

    @Test("a file costs its share of the limit; under 32 files count as 32", arguments: [(1, 32), (32, 32), (33, 33)])
    func descriptorShare(told: Int, counted: Int) {
        let limit = 33 * 32 * 1000
        let policy = S3FIFO(limit: limit, descriptorLimit: told)
        _ = policy.didStore(Entry(1, cost: 10, holdsDescriptor: true))
        #expect(policy.used == limit / counted + 10)
        _ = policy.didStore(Entry(2, cost: 10))
        #expect(policy.used == limit / counted + 20 && policy.count == 2)
        // A new limit has new shares, for what is stored from then on.
        policy.limit = limit * 2
        _ = policy.didStore(Entry(3, cost: 0, holdsDescriptor: true))
        #expect(policy.used == limit / counted * 3 + 20)
    }

    @Test("after a lower limit entries leave when the next one is stored; a negative one is none")
    func lowerLimit() {
        let policy = S3FIFO(limit: 1000)
        for identity in 0..<100 as Range<UInt64> { _ = policy.didStore(Entry(identity, cost: 10)) }
        #expect(policy.used == 1000 && policy.limit == 1000)
        policy.limit = 500
        #expect(policy.limit == 500 && policy.used == 1000 && policy.count == 100)
        #expect(policy.didStore(Entry(100, cost: 51)).map(\.identity) == [100] && policy.used == 1000)
        let leaving = policy.didStore(Entry(101, cost: 50))
        #expect(leaving.map(\.identity) == Array(0..<55) && policy.used == 500 && policy.count == 46)
        policy.limit = -1
        #expect(policy.limit == 0 && policy.didStore(Entry(102, cost: 1)).map(\.identity) == [102])
        #expect(S3FIFO(limit: -1).limit == 0)
    }

    @Test("an entry above a tenth of the limit comes in by its ghost only; ghosts cost nine tenths of it together")
    func ghostLimit() {
        let policy = S3FIFO(limit: 1000)
        let entry = Entry(1, cost: 101)
        #expect(policy.didStore(entry).map(\.identity) == [1] && policy.count == 0)
        #expect(policy.didStore(entry).isEmpty && policy.used == 101)
        #expect(policy.didStore(Entry(2, cost: 100)).isEmpty && policy.used == 201)
        // The older one is forgotten.
        #expect(policy.didStore(Entry(3, cost: 450)).map(\.identity) == [3])
        #expect(policy.didStore(Entry(4, cost: 451)).map(\.identity) == [4])
        #expect(policy.didStore(Entry(3, cost: 450)).map(\.identity) == [3])
        // There is room for both.
        #expect(policy.didStore(Entry(5, cost: 450)).map(\.identity) == [5])
        #expect(policy.didStore(Entry(3, cost: 450)).isEmpty && policy.used == 651)
    }
}
