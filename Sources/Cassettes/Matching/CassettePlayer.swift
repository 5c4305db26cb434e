/// Finds the recorded response to a request.
///
/// The same request asked several times gets its responses in the order of the recording, then the last one again.
public struct CassettePlayer: Sendable {
    public enum Outcome: Sendable, Equatable {
        case response(CassetteResponse)
        case miss(CassetteMiss)
    }

    private let entries: [CassetteEntry]
    private let compared: [ComparedRequest]
    private let rules: MatchRules
    private let isStrict: Bool
    /// The indices of the entries with each key (`ComparedRequest.key`), in order.
    private var indexes: [[UInt8]: [Int]] = [:]
    /// How often a request with each key has come.
    private var counts: [[UInt8]: Int] = [:]
    /// The entries that were used.
    private var used: Set<Int> = []
    /// With `isStrict`: the entry that must be asked for next.
    private var next = 0

    /// - Parameter isStrict: whether requests must come in the order of the recording, each as often as there.
    public init(_ cassette: Cassette, _ rules: MatchRules = .standard, isStrict: Bool = false) {
        entries = cassette.entries
        self.rules = rules
        self.isStrict = isStrict
        compared = entries.map { ComparedRequest($0.request) }
        for (index, request) in compared.enumerated() { indexes[request.key(rules), default: []].append(index) }
    }

    /// The entries that no request has asked for.
    public var unused: [CassetteEntry] { entries.indices.filter { !used.contains($0) }.map { entries[$0] } }

    /// The recorded response to `request`, whose secrets have been replaced; or a miss with the nearest entry.
    public mutating func answer(_ request: CassetteRequest) -> Outcome {
        let asked = ComparedRequest(request)
        let key = asked.key(rules)
        guard let found = index(key) else { return .miss(miss(asked, key)) }
        used.insert(found)
        next = found + 1
        return .response(entries[found].response)
    }

    private mutating func index(_ key: [UInt8]) -> Int? {
        guard let all = indexes[key] else { return nil }
        if isStrict { return all.contains(next) ? next : nil }
        let count = counts[key, default: 0]
        counts[key] = count + 1
        return all[min(count, all.count - 1)]
    }

    // MARK: Misses

    private func miss(_ asked: ComparedRequest, _ key: [UInt8]) -> CassetteMiss {
        if isStrict { return strictMiss(asked, isRecorded: indexes[key] != nil) }
        guard let nearest = nearest(asked) else { return CassetteMiss(request: asked.request.title, reason: .empty) }
        return CassetteMiss(
            request: asked.request.title,
            reason: .differs(
                nearest: compared[nearest].request.title,
                RequestDifference.all(between: compared[nearest], and: asked, rules)
            )
        )
    }

    private func strictMiss(_ asked: ComparedRequest, isRecorded: Bool) -> CassetteMiss {
        guard next < entries.count else { return CassetteMiss(request: asked.request.title, reason: .behindTheEnd) }
        let differences = RequestDifference.all(between: compared[next], and: asked, rules)
        return CassetteMiss(
            request: asked.request.title,
            reason: .outOfOrder(next: compared[next].request.title, differences, isRecorded: isRecorded)
        )
    }

    /// The entry that has most in common with a request.
    private func nearest(_ asked: ComparedRequest) -> Int? {
        compared.indices.max { likeness(compared[$0], asked) < likeness(compared[$1], asked) }
    }

    /// How near a recorded request is: path counts more than method and host together, and these more than all else.
    private func likeness(_ recorded: ComparedRequest, _ asked: ComparedRequest) -> Int {
        var sum = 0
        if recorded.location.path == asked.location.path { sum += 400 }
        if recorded.request.method == asked.request.method { sum += 200 }
        if recorded.location.host == asked.location.host { sum += 100 }
        let differences = RequestDifference.all(between: recorded, and: asked, rules).count
        let beginning = zip(recorded.location.path.utf8, asked.location.path.utf8).prefix { $0 == $1 }.count
        return sum - min(differences, 50) + min(beginning, 49)
    }
}
