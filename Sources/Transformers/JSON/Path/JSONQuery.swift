/// Which values to find in a document: a JSONPath query or a pointer, taken apart.
struct JSONQuery: Sendable {
    var segments: [JSONSegment]
    /// Begins at the whole value (`$`), not at the value a filter looks at (`@`).
    var isAbsolute: Bool
    /// Of an absolute query inside a filter: where its result is kept during a run, since it is the same for each value.
    var slot: Int?

    /// Whether it finds one value at most (RFC 9535 §1.1); pointers do.
    var isSingular: Bool {
        segments.allSatisfy { segment in
            guard !segment.isDescendant, segment.selectors.count == 1, let only = segment.selectors.first else {
                return false
            }
            switch only {
            case .name, .index, .reference: return true
            case .wildcard, .slice, .filter: return false
            }
        }
    }
}

/// What is taken of each value found so far (RFC 9535 §2.5).
struct JSONSegment: Sendable {
    /// Looks at the value and all of its descendants, not only at the value.
    var isDescendant: Bool
    var selectors: [JSONSelector]
}

/// Which children of a value are taken (RFC 9535 §2.3).
enum JSONSelector: Sendable {
    case name([UInt8])
    case wildcard
    case index(Int)
    case slice(JSONSlice)
    case filter(JSONFilter)
    /// A reference token of a pointer: a member, or an element if it reads as an index (RFC 6901 §4).
    case reference([UInt8], index: Int?)
}

/// A slice selector (RFC 9535 §2.3.4).
struct JSONSlice: Sendable {
    var start: Int?
    var end: Int?
    var step: Int

    /// The indexes it takes of an array of `count` elements: from `lower` up to, without, `upper`, each `step`th; for a
    /// negative step from `upper` down to, without, `lower`.
    func bounds(count: Int) -> (lower: Int, upper: Int) {
        func normal(_ index: Int) -> Int { index >= 0 ? index : count + index }
        if step >= 0 {
            let first = normal(start ?? 0)
            let last = normal(end ?? count)
            return (min(max(first, 0), count), min(max(last, 0), count))
        }
        let first = normal(start ?? count - 1)
        let last = end.map(normal) ?? -1
        return (min(max(last, -1), count - 1), min(max(first, -1), count - 1))
    }
}
