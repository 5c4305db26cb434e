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
        var random = SplitMix64(seed: 7)
        let hashes = (0..<Self.count).map { _ in random.next() }
        var longest = 0
        for hash in hashes { slots.insert(hash, resource, holding: true) }
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
        #expect(slots.count == 0)
        #expect(longest < 150, "\(longest)")
    }
}
