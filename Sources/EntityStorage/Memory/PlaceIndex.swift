/// Things with a hash each, found by their places.
protocol HashedPlaces {
    func hash(at place: Int) -> UInt32
}

/// Finds the places of things by their hashes: open addressing with linear probing, four bytes a slot.
struct PlaceIndex {
    private static let free: Int32 = -1

    private var slots = [Int32](repeating: free, count: 16)
    private(set) var count = 0

    private var mask: Int { slots.count - 1 }
    private func home(_ hash: UInt32) -> Int { Int(hash) & mask }

    /// The first place of this hash that `isRight` holds for.
    func find(_ hash: UInt32, where isRight: (Int) -> Bool) -> Int? {
        var slot = home(hash)
        while slots[slot] != Self.free {
            let place = Int(slots[slot])
            if isRight(place) { return place }
            slot = (slot + 1) & mask
        }
        return nil
    }

    mutating func insert(_ place: Int, in places: borrowing some HashedPlaces) {
        if (count + 1) * 4 > slots.count * 3 { resize(to: slots.count * 2, places) }
        put(Int32(place), places)
        count += 1
    }

    /// Removes a place, whose hash must still be what it was, and moves later ones of the same run forward.
    mutating func remove(_ place: Int, in places: borrowing some HashedPlaces) {
        var hole = home(places.hash(at: place))
        while Int(slots[hole]) != place {
            guard slots[hole] != Self.free else { return }
            hole = (hole + 1) & mask
        }
        slots[hole] = Self.free
        count -= 1
        var next = (hole + 1) & mask
        while slots[next] != Self.free {
            let distance = (next - home(places.hash(at: Int(slots[next])))) & mask
            if distance >= (next - hole) & mask {
                slots[hole] = slots[next]
                slots[next] = Self.free
                hole = next
            }
            next = (next + 1) & mask
        }
        if slots.count > 16, count * 8 < slots.count { resize(to: slots.count / 2, places) }
    }

    mutating func removeAll() { self = PlaceIndex() }

    private mutating func put(_ place: Int32, _ places: borrowing some HashedPlaces) {
        var slot = home(places.hash(at: Int(place)))
        while slots[slot] != Self.free { slot = (slot + 1) & mask }
        slots[slot] = place
    }

    private mutating func resize(to size: Int, _ places: borrowing some HashedPlaces) {
        let old = slots
        slots = Array(repeating: Self.free, count: size)
        for place in old where place != Self.free { put(place, places) }
    }
}
