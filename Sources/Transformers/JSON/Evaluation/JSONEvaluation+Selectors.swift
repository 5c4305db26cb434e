import HTTPCore
import Transforms

extension JSONEvaluation {
    /// Appends the children of `node`, which has some, that a selector selects.
    mutating func select(
        _ selector: JSONSelector,
        of node: Int,
        into found: inout [UInt32]
    ) throws(TransformFailure) {
        let isObject = document.kind(of: node) == .object
        switch selector {
        case .name(let name): if isObject { try select(name, of: node, into: &found) }
        case .reference(let name, let index):
            if isObject {
                try select(name, of: node, into: &found)
            } else if let index {
                try select(index, of: node, into: &found)
            }
        case .wildcard:
            if isObject { try requireDistinctNamesInFilter(node) }
            for child in try children(of: node) { found.append(child) }
        case .index(let index): if !isObject { try select(index, of: node, into: &found) }
        case .slice(let slice): if !isObject { try select(slice, of: node, into: &found) }
        case .filter(let filter):
            if isObject { try requireDistinctNamesInFilter(node) }
            filterDepth += 1
            defer { filterDepth -= 1 }
            for child in try children(of: node) where try test(filter, current: Int(child)) { found.append(child) }
        }
    }

    private mutating func select(
        _ name: [UInt8],
        of object: Int,
        into found: inout [UInt32]
    ) throws(TransformFailure) {
        let before = found.count
        var child = object + 1
        let end = document.next(of: object)
        while child < end {
            try meter.tick()
            if document.hasName(child, name, ignoresCase: ignoresCase) {
                found.append(UInt32(truncatingIfNeeded: child))
            }
            child = document.next(of: child)
        }
        guard found.count > before + 1 else { return }
        switch repetition {
        case .last: found.removeSubrange(before..<found.count - 1)
        case .all: if filterDepth > 0 { throw repeatedName(object) }
        }
    }

    private mutating func select(
        _ index: Int,
        of array: Int,
        into found: inout [UInt32]
    ) throws(TransformFailure) {
        let count = Int(document.nodes[array].count)
        let wanted = index >= 0 ? index : count + index
        guard wanted >= 0, wanted < count else { return }
        var child = array + 1
        for _ in 0..<wanted {
            try meter.tick()
            child = document.next(of: child)
        }
        found.append(UInt32(truncatingIfNeeded: child))
    }

    private mutating func select(
        _ slice: JSONSlice,
        of array: Int,
        into found: inout [UInt32]
    ) throws(TransformFailure) {
        guard slice.step != 0 else { return }
        let children = try children(of: array)
        let (lower, upper) = slice.bounds(count: children.count)
        let indexes =
            slice.step > 0
            ? stride(from: lower, to: upper, by: slice.step) : stride(from: upper, to: lower, by: slice.step)
        for index in indexes { found.append(children[index]) }
    }

    private mutating func children(of node: Int) throws(TransformFailure) -> [UInt32] {
        let count = Int(document.nodes[node].count)
        try meter.tick(count)
        var result: [UInt32] = []
        result.reserveCapacity(count)
        var child = node + 1
        let end = document.next(of: node)
        while child < end {
            result.append(UInt32(truncatingIfNeeded: child))
            child = document.next(of: child)
        }
        return result
    }

    // MARK: Repeated names

    /// Throws if a filter looks at a whole object in which a name repeats, so that its members are ambiguous.
    mutating func requireDistinctNamesInFilter(_ object: Int) throws(TransformFailure) {
        guard repetition == .all, filterDepth > 0 else { return }
        var names: Set<[UInt8]> = []
        for child in try children(of: object) {
            var name = document.name(of: Int(child))
            if ignoresCase { name = name.map(\.asciiLowercased) }
            try meter.tick(name.count)
            guard names.insert(name).inserted else { throw repeatedName(object) }
        }
    }

    private func repeatedName(_ object: Int) -> TransformFailure {
        TransformFailure(
            .invalidContent,
            "the object at \(document.position(of: object)) has two members with one name, and a filter reads it"
        )
    }
}
