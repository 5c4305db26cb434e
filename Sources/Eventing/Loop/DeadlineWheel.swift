/// An object with a coarse deadline in a loop's wheel.
protocol DeadlineOwner: AnyObject {
    /// When the wheel calls `deadlineDidPass`, in nanoseconds of the loop's clock; `.max`: never.
    var wheelDeadline: Int64 { get }
    /// The deadline has passed. The node stays in the wheel only if `wheelDeadline` is then later than now.
    func deadlineDidPass(now: Int64)
}

/// Coarse deadlines for very many owners: up to 100 ms late, never early.
///
/// Moving a deadline to later costs the owner one store: the wheel reads the new one when the old one is due. So a busy
/// connection touches the wheel once per time-out, not once per request.
struct DeadlineWheel {
    /// 100 ms.
    static let tick: Int64 = 100_000_000
    /// 102 s; a later deadline is looked at once in that time.
    static let slotCount = 1024

    private struct Node {
        var owner: (any DeadlineOwner)?
        var next: Int32 = -1
        var previous: Int32 = -1
        /// The slot's position on an endless wheel.
        var position: Int64 = 0
    }

    private var nodes: [Node] = []
    private var free: [Int32] = []
    /// The first node of each slot; -1 if the slot is empty.
    ///
    /// Empty until first used.
    private var slots: [Int32] = []
    /// One bit for each slot that is not empty.
    private var occupied = [UInt64](repeating: 0, count: slotCount / 64)
    /// The last position that was looked at.
    private var current: Int64
    private var count = 0
    /// No node has an earlier position.
    private var earliest = Int64.max

    init(now: Int64) { current = now / Self.tick }

    /// Adds `owner` and keeps it alive.
    ///
    /// - Returns: the node's index, for `lower` and `remove`.
    mutating func insert(_ owner: any DeadlineOwner) -> Int32 {
        if slots.isEmpty { slots = [Int32](repeating: -1, count: Self.slotCount) }
        let index: Int32
        if let spare = free.popLast() {
            index = spare
        } else {
            index = Int32(nodes.count)
            nodes.append(Node())
        }
        nodes[Int(index)].owner = owner
        link(index, at: position(for: owner.wheelDeadline))
        count += 1
        return index
    }

    /// Moves this node if its owner's deadline is now earlier.
    mutating func lower(_ index: Int32) {
        guard let owner = owner(of: index) else { return }
        let wanted = position(for: owner.wheelDeadline)
        guard wanted < nodes[Int(index)].position else { return }
        unlink(index)
        link(index, at: wanted)
    }

    /// Removes a node; without effect if the index belongs to an earlier wheel of the loop.
    mutating func remove(_ index: Int32) {
        guard owner(of: index) != nil else { return }
        unlink(index)
        nodes[Int(index)] = Node()
        free.append(index)
        count -= 1
    }

    /// When the wheel must be looked at next; nil if it is empty.
    ///
    /// Never too late, perhaps too early.
    var nextDeadline: Int64? { count > 0 && earliest < .max ? earliest * Self.tick : nil }

    private func firstOccupied() -> Int64 {
        guard count > 0 else { return .max }
        for distance in 1...Int64(Self.slotCount) {
            let slot = Int((current + distance) & Int64(Self.slotCount - 1))
            if occupied[slot / 64] >> UInt64(slot % 64) & 1 == 1 { return current + distance }
        }
        return .max
    }

    /// Returns the nodes whose slots are due; the caller passes each to `reinsert` after it has called the owner.
    mutating func takeDue(at now: Int64) -> [Int32] {
        let target = now / Self.tick
        guard target > current else { return [] }
        guard count > 0 else {
            current = target
            return []
        }
        var due: [Int32] = []
        var position = max(current + 1, target - Int64(Self.slotCount) + 1)
        while position <= target {
            let slot = Int(position & Int64(Self.slotCount - 1))
            while slots[slot] >= 0 {
                let index = slots[slot]
                unlink(index)
                due.append(index)
            }
            position += 1
        }
        current = target
        earliest = firstOccupied()
        // In the farthest slot until reinserted, so that their owners may remove them meanwhile.
        for index in due { link(index, at: target + Int64(Self.slotCount)) }
        return due
    }

    /// Moves a node that was due to the slot of its owner's deadline.
    mutating func reinsert(_ index: Int32) { lower(index) }

    /// The owner of a node; nil if the node was removed meanwhile.
    func owner(of index: Int32) -> (any DeadlineOwner)? {
        nodes.indices.contains(Int(index)) ? nodes[Int(index)].owner : nil
    }

    /// The first position not before `deadline`.
    private func position(for deadline: Int64) -> Int64 {
        let limit = current + Int64(Self.slotCount)
        guard deadline < limit * Self.tick else { return limit }
        return max(current + 1, deadline / Self.tick + 1)
    }

    private mutating func link(_ index: Int32, at position: Int64) {
        let slot = Int(position & Int64(Self.slotCount - 1))
        let first = slots[slot]
        nodes[Int(index)].position = position
        nodes[Int(index)].previous = -1
        nodes[Int(index)].next = first
        if first >= 0 { nodes[Int(first)].previous = index }
        slots[slot] = index
        occupied[slot / 64] |= 1 << UInt64(slot % 64)
        earliest = min(earliest, position)
    }

    private mutating func unlink(_ index: Int32) {
        let node = nodes[Int(index)]
        let slot = Int(node.position & Int64(Self.slotCount - 1))
        if node.previous >= 0 { nodes[Int(node.previous)].next = node.next } else { slots[slot] = node.next }
        if node.next >= 0 { nodes[Int(node.next)].previous = node.previous }
        if slots[slot] < 0 { occupied[slot / 64] &= ~(1 << UInt64(slot % 64)) }
    }
}
