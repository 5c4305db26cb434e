import TestSupport
import TestDoubles
import ResourceDoubles
import Testing

@testable import ResourceCore

/// Linear probing is as quick as its runs of taken slots are short.
@Suite("Slots of a shard")
struct ShardSlotsTests {
    private static let count = 4000

    /// Of slots one behind the other, as many as are taken at most.
    private static func longestRun(_ slots: ShardSlots) -> Int {
        let runs = slots.marks.split(separator: 0)
        return runs.map(\.count).max() ?? 0
    }

    @Test(
        "in whatever order resources come and go, runs stay short",
        arguments: ["as they lie", "backwards", "as they came"]
    )
    func runs(order: String) {
        let resource = World().resource()
        var slots = ShardSlots()
        var random = FixedRandom(seed: 7)
        let hashes = (0..<Self.count).map { _ in random.next() }
        var longest = 0
        for hash in hashes { slots.insert(hash, resource, retaining: true) }
        for (number, hash) in hashes.enumerated() {
            let taken = slots.marks.indices.lazy.filter { slots.marks[$0] != 0 }
            let index =
                switch order {
                case "as they lie": taken.first
                case "backwards": taken.last
                default: slots.marks.firstIndex(of: UInt32(truncatingIfNeeded: hash) | 1)
                }
            guard let index else { break }
            slots.remove(index)
            if number % 16 == 0 { longest = max(longest, Self.longestRun(slots)) }
        }
        #expect(slots.count == 0 && slots.marks.count == 16, "it gives its memory back")
        #expect(longest < 150, "\(longest)")
    }

    @Test("at most four in five slots are taken; a shard grows by multiples of 16, and is halved below a quarter")
    func sizes() {
        let resource = World().resource()
        var slots = ShardSlots()
        var random = FixedRandom(seed: 7)
        var sizes: [[Int]] = []
        func note(_ before: Int) {
            if slots.marks.count != before { sizes.append([slots.count, slots.marks.count]) }
        }
        for _ in 0..<130 {
            let before = slots.marks.count
            slots.insert(random.next(), resource, retaining: true)
            note(before)
        }
        let grown = [
            [13, 32], [26, 48], [39, 64], [52, 80], [65, 96], [77, 112], [90, 128], [103, 160], [129, 192],
        ]
        #expect(sizes == grown)
        sizes = []
        while let index = slots.marks.firstIndex(where: { $0 != 0 }) {
            let before = slots.marks.count
            slots.remove(index)
            note(before)
        }
        #expect(sizes == [[47, 96], [23, 48], [11, 24], [5, 16]] && slots.count == 0)
    }

    // MARK: Letting go

    private struct Shard {
        let world = World()
        var slots = ShardSlots()
        private var made: UInt64 = 0

        /// Puts a new resource, which it holds, into a slot of its own; its hash.
        mutating func add() -> UInt64 {
            made += 1
            let hash = made << 32 | made << 1
            slots.insert(
                hash,
                Resource(id: made, uri: World.uri("/\(made)"), hash: hash, core: world.service.core),
                retaining: true
            )
            return hash
        }

        mutating func resource(_ hash: UInt64) -> Resource? {
            slots.find(hash, hash >> 32).flatMap { slots.live($0, retaining: false) }
        }

        mutating func release(_ hash: UInt64) -> Resource? {
            slots.find(hash, hash >> 32).flatMap { slots.leave($0, hash) }
        }
    }

    @Test("a resource that is let go ends with the next one, if nobody has it")
    func lettingGo() {
        var shard = Shard()
        let (first, second) = (shard.add(), shard.add())
        #expect(shard.release(first) == nil)
        #expect(shard.resource(first) != nil && shard.slots.count == 2)
        // Once more makes no difference
        #expect(shard.release(first) == nil && shard.slots.count == 2)
        #expect(shard.release(second)?.uri == World.uri("/1"))
        #expect(shard.resource(first) == nil && shard.slots.count == 1)
        #expect(shard.slots.releaseLeaving()?.uri == World.uri("/2"))
        #expect(shard.resource(second) == nil && shard.slots.count == 0)
        #expect(shard.slots.releaseLeaving() == nil)
    }

    @Test("a resource that is let go and that somebody has is found as long as that is so")
    func lettingGoOfOneInHand() {
        var shard = Shard()
        let hash = shard.add()
        var held = shard.resource(hash)
        #expect(shard.release(hash) == nil)
        // For the caller to release: who has it may have let it go meanwhile.
        #expect(shard.slots.releaseLeaving() === held)
        #expect(shard.resource(hash) === held && shard.slots.count == 1)
        held = nil
        #expect(shard.resource(hash) == nil)
    }

    @Test("a resource that is needed again before the next one is let go stays held, though nobody has it")
    func neededAgain() throws {
        var shard = Shard()
        let (first, second) = (shard.add(), shard.add())
        #expect(shard.release(first) == nil)
        do {
            let again = shard.resource(first)
            try shard.slots.retain(#require(shard.slots.find(first, 1)), #require(again))
        }
        #expect(shard.release(second) == nil)
        #expect(shard.resource(first) != nil && shard.slots.count == 2)
        #expect(shard.slots.releaseLeaving()?.uri == World.uri("/2"))
        #expect(shard.resource(first) != nil)
    }

    @Test("a resource that was let go by other means meanwhile, and is asked for again, is held")
    func releaseOtherwise() {
        var shard = Shard()
        let hash = shard.add()
        do {
            let held = shard.resource(hash)
            #expect(shard.release(hash) == nil)
            #expect(shard.slots.release { _ in true }.count == 1)
            #expect(shard.slots.find(hash, 1).flatMap { shard.slots.live($0, retaining: true) } === held)
        }
        #expect(shard.slots.releaseLeaving() == nil)
        #expect(shard.resource(hash) != nil && shard.slots.count == 1)
    }

    @Test("a resource that is asked for before it goes is held from then on, where tables hold what is unused")
    func askedForMeanwhile() {
        var shard = Shard()
        let hash = shard.add()
        #expect(shard.release(hash) == nil)
        #expect(shard.slots.find(hash, 1).flatMap { shard.slots.live($0, retaining: true) } != nil)
        #expect(shard.slots.releaseLeaving() == nil)
        #expect(shard.resource(hash) != nil && shard.slots.count == 1)
    }
}
