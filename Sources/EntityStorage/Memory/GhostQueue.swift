/// Remembers what has left, first in, first out, up to a number of bytes the entries had cost.
///
/// Of an identity it keeps a mark of 32 bits, which makes about 20 bytes a ghost: of a million ghosts one request in four
/// thousand for something new meets the mark of another, and enters the main queue for it.
struct GhostQueue {
    /// Bytes; a lower one takes effect with the next addition.
    var limit: Int
    private var bytes = 0
    private var ring = GhostRing()
    private var index = PlaceIndex()

    init(limit: Int) { self.limit = limit }

    mutating func add(_ identity: UInt64, cost: Int) {
        _ = remove(identity)
        if ring.isFull { renew() }
        let place = ring.append(GhostRing.Ghost(mark: Self.mark(identity), cost: UInt32(clamping: max(1, cost))))
        index.insert(place, in: ring)
        bytes += ring[place].bytes
        while bytes > limit, let oldest = ring.oldest { forget(oldest) }
    }

    /// Forgets a ghost; whether it was remembered.
    mutating func remove(_ identity: UInt64) -> Bool {
        let mark = Self.mark(identity)
        guard let place = index.find(mark, where: { ring[$0].mark == mark }) else { return false }
        forget(place)
        return true
    }

    private mutating func forget(_ place: Int) {
        index.remove(place, in: ring)
        bytes -= ring[place].bytes
        ring.forget(place)
    }

    /// Leaves out what is forgotten, in twice the room if that is less than half.
    private mutating func renew() {
        ring = ring.renewed(count: index.count)
        index.removeAll()
        for place in 0..<ring.count { index.insert(place, in: ring) }
    }

    private static func mark(_ identity: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: (identity &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
}

/// Ghosts in the order in which they came.
private struct GhostRing: HashedPlaces {
    struct Ghost {
        var mark: UInt32
        /// 0: forgotten.
        var cost: UInt32

        var bytes: Int { Int(cost) }
    }

    private var ghosts: [Ghost]
    /// Where the oldest is.
    private var head = 0
    /// Places taken, from `head` on.
    private(set) var count = 0

    init(capacity: Int = 16) { ghosts = Array(repeating: Ghost(mark: 0, cost: 0), count: capacity) }

    subscript(place: Int) -> Ghost { ghosts[place] }
    func hash(at place: Int) -> UInt32 { ghosts[place].mark }

    var isFull: Bool { count == ghosts.count }
    /// The place of the oldest ghost, which is not forgotten.
    var oldest: Int? { count > 0 ? head : nil }

    /// There must be room.
    mutating func append(_ ghost: Ghost) -> Int {
        let place = (head + count) & (ghosts.count - 1)
        ghosts[place] = ghost
        count += 1
        return place
    }

    mutating func forget(_ place: Int) {
        ghosts[place].cost = 0
        while count > 0, ghosts[head].cost == 0 {
            head = (head + 1) & (ghosts.count - 1)
            count -= 1
        }
    }

    /// The same without what is forgotten, from place 0 on; `count` are not.
    func renewed(count remaining: Int) -> GhostRing {
        var ring = GhostRing(capacity: remaining * 2 > ghosts.count ? ghosts.count * 2 : ghosts.count)
        for number in 0..<count {
            let ghost = ghosts[(head + number) & (ghosts.count - 1)]
            if ghost.cost > 0 { _ = ring.append(ghost) }
        }
        return ring
    }
}
