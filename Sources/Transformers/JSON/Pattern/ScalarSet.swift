/// The characters that a class of a pattern matches.
struct ScalarSet: Sendable {
    /// Sorted and disjoint once normalized.
    private var ranges: [ClosedRange<UInt32>] = []
    private var categories = CategorySet.none
    var isNegated = false

    init() {}

    init(_ categories: CategorySet) { self.categories = categories }

    mutating func insert(_ range: ClosedRange<Unicode.Scalar>) {
        ranges.append(range.lowerBound.value...range.upperBound.value)
    }

    mutating func insert(_ other: ScalarSet) { categories = categories.union(other.categories) }

    /// Sorts and merges the ranges.
    ///
    /// Call it before `contains`.
    mutating func normalize() {
        ranges.sort { $0.lowerBound < $1.lowerBound }
        var joined: [ClosedRange<UInt32>] = []
        for range in ranges {
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        ranges = joined
    }

    /// The cost is logarithmic in the number of ranges.
    func contains(_ point: UInt32) -> Bool {
        (isInRanges(point) || categories.contains(point)) != isNegated
    }

    private func isInRanges(_ point: UInt32) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < point { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= point
    }
}
