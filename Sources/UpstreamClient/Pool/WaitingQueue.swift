/// A queue whose members may leave from the middle; their identifiers ascend.
struct WaitingQueue<Element: Sendable>: Sendable {
    private var slots: [(id: UInt64, element: Element?)] = []
    /// Slots before this one are empty.
    private var start = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// - Parameter id: greater than that of every earlier member.
    mutating func append(_ element: Element, id: UInt64) {
        slots.append((id, element))
        count += 1
    }

    mutating func popFirst() -> (id: UInt64, element: Element)? {
        while start < slots.count {
            let (id, element) = slots[start]
            slots[start].element = nil
            start += 1
            if let element {
                count -= 1
                shrink()
                return (id, element)
            }
        }
        shrink()
        return nil
    }

    /// Removes the member `id`; nil if it is no longer here.
    mutating func remove(_ id: UInt64) -> Element? {
        var low = start
        var high = slots.count
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].id < id { low = middle + 1 } else { high = middle }
        }
        guard low < slots.count, slots[low].id == id, let element = slots[low].element else { return nil }
        slots[low].element = nil
        count -= 1
        return element
    }

    private mutating func shrink() {
        if count == 0 {
            slots.removeAll(keepingCapacity: slots.capacity <= 64)
            start = 0
        } else if start > 64, start > slots.count / 2 {
            slots.removeFirst(start)
            start = 0
        }
    }
}
