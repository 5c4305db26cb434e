/// Elements that have a number and a hash each.
protocol HashedElements {
    func hash(of element: Int) -> UInt32
}

/// Finds the numbers of elements by their hashes: open addressing with linear probing, four bytes a slot.
struct HashIndex {
    private static let free: Int32 = -1

    private var slots = [Int32](repeating: free, count: 16)
    private(set) var count = 0

    private var mask: Int { slots.count - 1 }
    private func home(_ hash: UInt32) -> Int { Int(hash) & mask }

    /// The first element with this hash for which `isMeant` is true.
    func find(_ hash: UInt32, where isMeant: (Int) -> Bool) -> Int? {
        var slot = home(hash)
        while slots[slot] != Self.free {
            let element = Int(slots[slot])
            if isMeant(element) { return element }
            slot = (slot + 1) & mask
        }
        return nil
    }

    mutating func insert(_ element: Int, in elements: borrowing some HashedElements) {
        if (count + 1) * 4 > slots.count * 3 { resize(to: slots.count * 2, elements) }
        put(Int32(element), elements)
        count += 1
    }

    /// Removes an element, whose hash must still be what it was, and moves later ones of the same run forward.
    mutating func remove(_ element: Int, in elements: borrowing some HashedElements) {
        var hole = home(elements.hash(of: element))
        while Int(slots[hole]) != element {
            guard slots[hole] != Self.free else { return }
            hole = (hole + 1) & mask
        }
        slots[hole] = Self.free
        count -= 1
        var next = (hole + 1) & mask
        while slots[next] != Self.free {
            let distance = (next - home(elements.hash(of: Int(slots[next])))) & mask
            if distance >= (next - hole) & mask {
                slots[hole] = slots[next]
                slots[next] = Self.free
                hole = next
            }
            next = (next + 1) & mask
        }
        if slots.count > 16, count * 8 < slots.count { resize(to: slots.count / 2, elements) }
    }

    mutating func removeAll() { self = HashIndex() }

    private mutating func put(_ element: Int32, _ elements: borrowing some HashedElements) {
        var slot = home(elements.hash(of: Int(element)))
        while slots[slot] != Self.free { slot = (slot + 1) & mask }
        slots[slot] = element
    }

    private mutating func resize(to size: Int, _ elements: borrowing some HashedElements) {
        let old = slots
        slots = Array(repeating: Self.free, count: size)
        for element in old where element != Self.free { put(element, elements) }
    }
}
