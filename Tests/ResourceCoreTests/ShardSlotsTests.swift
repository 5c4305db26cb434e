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

    /// As good as a hash (SplitMix64).
    private static func mixed(_ number: UInt64) -> UInt64 {
        var word = number &* 0x9E37_79B9_7F4A_7C15
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }

    @Test(
        "in whatever order resources come and go, runs stay short",
        arguments: ["as they lie", "backwards", "as they came"]
    )
    func runs(order: String) {
        let resource = World().resource()
        var slots = ShardSlots()
        let hashes = (1...Self.count).map { Self.mixed(UInt64($0)) }
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
