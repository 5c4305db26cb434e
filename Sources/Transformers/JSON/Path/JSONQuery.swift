/// A parsed JSONPath query or pointer.
struct JSONQuery: Sendable {
    var segments: [JSONSegment]
    /// Whether it begins at the top value (`$`), not at the value that a filter tests (`@`).
    var isAbsolute: Bool
    /// For an absolute query in a filter: the slot that stores its result during a run.
    ///
    /// The result is the same for each value.
    var slot: Int?

    /// Whether it finds one value at most (RFC 9535 §1.1), as pointers do.
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

/// Selects from each value found so far (RFC 9535 §2.5).
struct JSONSegment: Sendable {
    /// Whether it selects from the value and all of its descendants, not only from the value.
    var isDescendant: Bool
    var selectors: [JSONSelector]
}

/// Which children of a value are selected (RFC 9535 §2.3).
enum JSONSelector: Sendable {
    case name([UInt8])
    case wildcard
    case index(Int)
    case slice(JSONSlice)
    case filter(JSONFilter)
    /// A reference token of a pointer: a member, or an element if the token is an index (RFC 6901 §4).
    case reference([UInt8], index: Int?)
}

/// A slice selector (RFC 9535 §2.3.4).
struct JSONSlice: Sendable {
    var start: Int?
    var end: Int?
    var step: Int

    /// The indexes that it selects in an array of `count` elements.
    ///
    /// With a positive step they go from `lower` to before `upper`; with a negative step from `upper` down to before
    /// `lower`.
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
