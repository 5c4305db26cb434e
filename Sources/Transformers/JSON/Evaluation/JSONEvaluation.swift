import Transforms

/// Finds the values that a query selects in one document (RFC 9535 §2.1.2).
///
/// Results are nodes of `document`. The meter limits time, `listLimit` limits memory.
struct JSONEvaluation {
    /// How to treat members of one object with the same name.
    enum Repetition: Sendable {
        /// Only the last counts, as for most readers.
        case last
        /// All count, and each value is found once. Redaction needs this, since readers differ in which member they
        /// use.
        ///
        /// In a filter, more values can mean fewer results. So repeated names are an error there.
        case all
    }

    let document: JSONDocument
    let repetition: Repetition
    /// Whether names match regardless of the case of ASCII letters.
    let ignoresCase: Bool
    var meter: WorkMeter
    /// The number of nodes that a list may hold: queries such as `$..*..*` can find each value many times.
    var listLimit = 1 << 24
    /// The number of nested filters under evaluation.
    var filterDepth = 0
    /// Results of absolute queries in filters.
    private var kept: [Int: [UInt32]] = [:]
    /// The compiled patterns of the document; nil for text that is not a pattern.
    var patterns: [[UInt8]: IRegexp?] = [:]

    init(_ document: JSONDocument, repetition: Repetition, ignoresCase: Bool = false, meter: WorkMeter) {
        self.document = document
        self.repetition = repetition
        self.ignoresCase = ignoresCase
        self.meter = meter
    }

    /// The nodes that a path selects, in the order of RFC 9535.
    ///
    /// With `Repetition.all`, each node once, in document order.
    mutating func nodes(_ path: JSONQuery) throws(TransformFailure) -> [UInt32] {
        kept = [:]
        return try walk(path.segments, from: 0)
    }

    /// The nodes that a query in a filter selects for the node `current`.
    mutating func nodes(_ query: JSONQuery, current: Int) throws(TransformFailure) -> [UInt32] {
        guard query.isAbsolute else { return try walk(query.segments, from: current) }
        if let slot = query.slot, let known = kept[slot] { return known }
        let found = try walk(query.segments, from: 0)
        if let slot = query.slot { kept[slot] = found }
        return found
    }

    private mutating func walk(_ segments: [JSONSegment], from start: Int) throws(TransformFailure) -> [UInt32] {
        var nodes = [UInt32(truncatingIfNeeded: start)]
        for segment in segments {
            if nodes.isEmpty { break }
            let found = segment.isDescendant ? try descend(segment, nodes) : try step(segment, nodes)
            nodes = isSet ? try sorted(found) : found
        }
        return nodes
    }

    /// Whether results are sets, in which each node counts once.
    private var isSet: Bool { repetition == .all && filterDepth == 0 }

    private mutating func step(_ segment: JSONSegment, _ nodes: [UInt32]) throws(TransformFailure) -> [UInt32] {
        var found: [UInt32] = []
        for node in nodes { try select(segment.selectors, of: Int(node), into: &found) }
        return found
    }

    private mutating func descend(_ segment: JSONSegment, _ nodes: [UInt32]) throws(TransformFailure) -> [UInt32] {
        var found: [UInt32] = []
        var covered = 0
        for root in nodes {
            // The nodes of a set are sorted, and descendants of descendants are covered already.
            let end = document.next(of: Int(root))
            var node = isSet ? max(Int(root), covered) : Int(root)
            covered = max(covered, end)
            while node < end {
                try select(segment.selectors, of: node, into: &found)
                node += 1
            }
        }
        return found
    }

    private mutating func select(
        _ selectors: [JSONSelector],
        of node: Int,
        into found: inout [UInt32]
    ) throws(TransformFailure) {
        try meter.tick()
        // Scalars have no children.
        guard document.nodes[node].count > 0 else { return }
        for selector in selectors { try select(selector, of: node, into: &found) }
        guard found.count <= listLimit else {
            throw TransformFailure(.limit, "the path finds more than \(listLimit) values")
        }
    }

    /// The distinct nodes, in order.
    private mutating func sorted(_ nodes: [UInt32]) throws(TransformFailure) -> [UInt32] {
        if zip(nodes, nodes.dropFirst()).allSatisfy({ $0 < $1 }) { return nodes }
        var marks = JSONNodeSet(count: document.nodes.count)
        for node in nodes { marks.insert(Int(node)) }
        try meter.tick(nodes.count + document.nodes.count / 64)
        return marks.nodes
    }
}
