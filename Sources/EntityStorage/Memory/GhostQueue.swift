/// Remembers the entries that have left, first in, first out, up to a sum of their costs in bytes.
///
/// It keeps 32 bits of an identity, so a ghost uses about 20 bytes. With a million ghosts, one new entry in four
/// thousand matches another one's ghost and enters the main queue for that.
struct GhostQueue {
    /// In bytes; a lower limit has effect with the next addition.
    var limit: Int
    private var bytes = 0
    private var ring = GhostRing()
    private var index = HashIndex()

    init(limit: Int) { self.limit = limit }

    mutating func add(_ identity: UInt64, cost: Int) {
        _ = remove(identity)
        if ring.isFull { renew() }
        let number = ring.append(GhostRing.Ghost(mark: Self.mark(identity), cost: UInt32(clamping: max(1, cost))))
        index.insert(number, in: ring)
        bytes += ring[number].bytes
        while bytes > limit, let oldest = ring.oldest { forget(oldest) }
    }

    /// Forgets a ghost; returns whether there was one.
    mutating func remove(_ identity: UInt64) -> Bool {
        let mark = Self.mark(identity)
        guard let number = index.find(mark, where: { ring[$0].mark == mark }) else { return false }
        forget(number)
        return true
    }

    private mutating func forget(_ number: Int) {
        index.remove(number, in: ring)
        bytes -= ring[number].bytes
        ring.forget(number)
    }

    /// Makes a new ring without the forgotten ghosts; doubles its size if these are less than half.
    private mutating func renew() {
        ring = ring.renewed(count: index.count)
        index.removeAll()
        for number in 0..<ring.count { index.insert(number, in: ring) }
    }

    private static func mark(_ identity: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: (identity &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
}

/// Ghosts in the order in which they came; a ghost's number is its index in the array.
private struct GhostRing: HashedElements {
    struct Ghost {
        var mark: UInt32
        /// 0 for a forgotten ghost.
        var cost: UInt32

        var bytes: Int { Int(cost) }
    }

    private var ghosts: [Ghost]
    /// The number of the oldest ghost.
    private var head = 0
    /// Elements in use, from `head` on, including forgotten ghosts.
    private(set) var count = 0

    init(capacity: Int = 16) { ghosts = Array(repeating: Ghost(mark: 0, cost: 0), count: capacity) }

    subscript(number: Int) -> Ghost { ghosts[number] }
    func hash(of number: Int) -> UInt32 { ghosts[number].mark }

    var isFull: Bool { count == ghosts.count }
    /// The number of the oldest ghost, which is never a forgotten one.
    var oldest: Int? { count > 0 ? head : nil }

    /// Adds a ghost and returns its number; the ring must not be full.
    mutating func append(_ ghost: Ghost) -> Int {
        let number = (head + count) & (ghosts.count - 1)
        ghosts[number] = ghost
        count += 1
        return number
    }

    mutating func forget(_ number: Int) {
        ghosts[number].cost = 0
        while count > 0, ghosts[head].cost == 0 {
            head = (head + 1) & (ghosts.count - 1)
            count -= 1
        }
    }

    /// A ring with the ghosts that are not forgotten, from number 0 on; `count` of them.
    func renewed(count remaining: Int) -> GhostRing {
        var ring = GhostRing(capacity: remaining * 2 > ghosts.count ? ghosts.count * 2 : ghosts.count)
        for number in 0..<count {
            let ghost = ghosts[(head + number) & (ghosts.count - 1)]
            if ghost.cost > 0 { _ = ring.append(ghost) }
        }
        return ring
    }
}
