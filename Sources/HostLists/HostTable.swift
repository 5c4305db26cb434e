import HTTPCore

/// Names of hosts in one block of bytes, found by open addressing; each name takes about 7 bytes more than its text.
///
/// Look-ups are exact. Each name has two bytes before it: its kinds and its length. A slot holds the offset of a name
/// plus one; zero is empty.
struct HostTable: Sendable {
    /// What a name stands for.
    struct Kinds: OptionSet {
        let rawValue: UInt8

        /// The host of this name.
        static let itself = Kinds(rawValue: 1)
        /// All hosts below it.
        static let below = Kinds(rawValue: 2)
    }

    private var names: [UInt8] = []
    private var slots: [UInt32]
    private(set) var count = 0
    /// The kinds of all names together.
    private(set) var kinds: Kinds = []
    private let seeds: (UInt64, UInt64)

    /// - Parameter expected: about how many names follow; more are possible.
    init(expected: Int, bytes: Int) {
        seeds = (.random(in: .min ... .max), .random(in: .min ... .max) | 1)
        slots = Array(repeating: 0, count: Self.slotCount(expected))
        names.reserveCapacity(bytes)
    }

    /// The bytes in memory.
    var size: Int { names.capacity + slots.capacity * MemoryLayout<UInt32>.stride }

    /// The longest run of used slots, for tests: no look-up takes more steps.
    var longestRun: Int {
        var (longest, run) = (0, 0)
        for slot in slots {
            run = slot > 0 ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }

    /// At most three of four slots are used.
    private static func slotCount(_ count: Int) -> Int { max(16, count + count / 3 + 1) }

    /// Adds a name of 1 to 255 bytes, or kinds to a known one.
    mutating func insert(_ name: Span<UInt8>, _ added: Kinds) {
        kinds.formUnion(added)
        let slot = slot(of: name)
        if slots[slot] > 0 {
            names[Int(slots[slot]) - 1] |= added.rawValue
            return
        }
        slots[slot] = UInt32(names.count + 1)
        names.append(added.rawValue)
        names.append(UInt8(truncatingIfNeeded: name.count))
        for index in 0..<name.count { names.append(name[index]) }
        count += 1
        if Self.slotCount(count) > slots.count { resize(to: Self.slotCount(count * 2)) }
    }

    /// The kinds of a name; empty if it is unknown.
    func kinds(of name: Span<UInt8>) -> Kinds {
        let offset = slots[slot(of: name)]
        return offset == 0 ? [] : Kinds(rawValue: names[Int(offset) - 1])
    }

    /// Gives memory back that further names would have needed.
    mutating func finish() {
        names = [UInt8](copying: names.span)
        if slots.count > Self.slotCount(count) * 5 / 4 { resize(to: Self.slotCount(count)) }
    }

    /// The slot of a name, or the empty one where it would be.
    private func slot(of name: Span<UInt8>) -> Int {
        var slot = start(name)
        while slots[slot] > 0, !isName(at: Int(slots[slot]) - 1, name) {
            slot += 1
            if slot == slots.count { slot = 0 }
        }
        return slot
    }

    private func start(_ name: Span<UInt8>) -> Int {
        let hash = name.hash(seeds: seeds.0, seeds.1) >> 32
        return Int(truncatingIfNeeded: (hash &* UInt64(slots.count)) >> 32)
    }

    private func isName(at offset: Int, _ name: Span<UInt8>) -> Bool {
        Int(names[offset + 1]) == name.count
            && names.span.extracting(offset + 2..<offset + 2 + name.count).hasSameBytes(as: name)
    }

    private mutating func resize(to count: Int) {
        slots = Array(repeating: 0, count: count)
        var offset = 0
        while offset < names.count {
            let end = offset + 2 + Int(names[offset + 1])
            // All names differ, so it is enough to look for an empty slot.
            var slot = start(names.span.extracting(offset + 2..<end))
            while slots[slot] > 0 { slot = slot + 1 == count ? 0 : slot + 1 }
            slots[slot] = UInt32(offset + 1)
            offset = end
        }
    }
}
