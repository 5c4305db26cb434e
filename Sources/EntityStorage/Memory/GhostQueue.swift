/// Remembers what has left, first in, first out, up to a number of octets the entries had cost.
struct GhostQueue {
    private struct Ghost {
        var identity: UInt64
        var number: Int
    }

    /// Octets; a lower one takes effect with the next addition.
    var limit: Int
    private var octets = 0
    private var queue: [Ghost] = []
    private var head = 0
    private var next = 0
    /// A ghost of `queue` counts only while its number is the one here.
    private var known: [UInt64: (number: Int, cost: Int)] = [:]

    init(limit: Int) { self.limit = limit }

    mutating func add(_ identity: UInt64, cost: Int) {
        _ = remove(identity)
        known[identity] = (next, cost)
        queue.append(Ghost(identity: identity, number: next))
        next += 1
        octets += cost
        while octets > limit, head < queue.count { dropOldest() }
    }

    /// Forgets a ghost; whether it was remembered.
    mutating func remove(_ identity: UInt64) -> Bool {
        guard let ghost = known.removeValue(forKey: identity) else { return false }
        octets -= ghost.cost
        dropForgotten()
        return true
    }

    private mutating func dropOldest() {
        let ghost = queue[head]
        head += 1
        if let entry = known[ghost.identity], entry.number == ghost.number {
            known[ghost.identity] = nil
            octets -= entry.cost
        }
        dropForgotten()
    }

    /// Keeps the array in proportion to the ghosts it stands for.
    private mutating func dropForgotten() {
        while head < queue.count, known[queue[head].identity]?.number != queue[head].number { head += 1 }
        if head > 1024, head * 2 > queue.count {
            queue.removeFirst(head)
            head = 0
        }
        if queue.count - head > 2 * known.count + 1024 {
            queue = queue[head...].filter { known[$0.identity]?.number == $0.number }
            head = 0
        }
    }
}
