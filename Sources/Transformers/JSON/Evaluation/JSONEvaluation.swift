import Transforms

/// Finds the values a query asks for in one document (RFC 9535 §2.1.2).
///
/// Answers are places of `document`. Time is bounded by the meter, memory by `listLimit`.
struct JSONEvaluation {
    /// What members with the same name in one object mean.
    enum Repetition: Sendable {
        /// The last one counts, as for most readers.
        case last
        /// All count, and each value is found once: for redaction, since nobody knows which one a reader takes.
        ///
        /// Inside of a filter, where more values can mean that less is found, repeated names are an error.
        case all
    }

    let document: JSONDocument
    let repetition: Repetition
    /// Whether names of members are compared without regard to the case of ASCII letters.
    let ignoresCase: Bool
    var meter: WorkMeter
    /// How many places a list may hold: `$..*..*` and the like can find each value many times.
    var listLimit = 1 << 24
    /// How many filters are being judged, one inside the other.
    var filterDepth = 0
    /// Results of absolute queries in filters.
    private var kept: [Int: [UInt32]] = [:]
    /// Patterns found in the document; nil for what is none.
    var patterns: [[UInt8]: IRegexp?] = [:]

    init(_ document: JSONDocument, repetition: Repetition, ignoresCase: Bool = false, meter: WorkMeter) {
        self.document = document
        self.repetition = repetition
        self.ignoresCase = ignoresCase
        self.meter = meter
    }

    /// The places a path finds, in the order of RFC 9535; with `Repetition.all` each once and in that of the document.
    mutating func places(_ path: JSONQuery) throws(TransformFailure) -> [UInt32] {
        kept = [:]
        return try walk(path.segments, from: 0)
    }

    /// The places a query in a filter finds for the value at `current`.
    mutating func places(_ query: JSONQuery, current: Int) throws(TransformFailure) -> [UInt32] {
        guard query.isAbsolute else { return try walk(query.segments, from: current) }
        if let slot = query.slot, let known = kept[slot] { return known }
        let found = try walk(query.segments, from: 0)
        if let slot = query.slot { kept[slot] = found }
        return found
    }

    private mutating func walk(_ segments: [JSONSegment], from start: Int) throws(TransformFailure) -> [UInt32] {
        var places = [UInt32(truncatingIfNeeded: start)]
        for segment in segments {
            if places.isEmpty { break }
            let found = segment.isDescendant ? try descend(segment, places) : try step(segment, places)
            places = isSet ? try sorted(found) : found
        }
        return places
    }

    /// Whether each value counts once.
    private var isSet: Bool { repetition == .all && filterDepth == 0 }

    private mutating func step(_ segment: JSONSegment, _ places: [UInt32]) throws(TransformFailure) -> [UInt32] {
        var found: [UInt32] = []
        for place in places { try select(segment.selectors, of: Int(place), into: &found) }
        return found
    }

    private mutating func descend(_ segment: JSONSegment, _ places: [UInt32]) throws(TransformFailure) -> [UInt32] {
        var found: [UInt32] = []
        var covered = 0
        for place in places {
            // Places are sorted if they are a set, and the descendants of descendants are covered already.
            let start = isSet ? max(Int(place), covered) : Int(place)
            covered = max(covered, document.next(of: Int(place)))
            var node = start
            while node < document.next(of: Int(place)) {
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

    /// Each of `places` once, in order.
    private mutating func sorted(_ places: [UInt32]) throws(TransformFailure) -> [UInt32] {
        if zip(places, places.dropFirst()).allSatisfy({ $0 < $1 }) { return places }
        var marks = JSONPlaceSet(count: document.nodes.count)
        for place in places { marks.insert(Int(place)) }
        try meter.tick(places.count + document.nodes.count / 64)
        return marks.places
    }
}
