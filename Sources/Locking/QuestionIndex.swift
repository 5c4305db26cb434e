/// The live resources of questions, by their targets; a change of a target reaches them.
///
/// Their cost does not grow with their number: the table finds each by its own URI.
package final class QuestionIndex: Sendable {
    /// For each hash of a target, the numbers of its questions with the hashes of their URIs.
    private let targets = Lock<[UInt64: [UInt64: UInt64]]>([:])

    package init() {}

    package func add(_ id: UInt64, _ hash: UInt64, to target: UInt64) {
        targets.withLock { $0[target, default: [:]][id] = hash }
    }

    package func remove(_ id: UInt64, of target: UInt64) {
        targets.withLock { targets in
            targets[target]?[id] = nil
            if targets[target]?.isEmpty ?? false { targets[target] = nil }
        }
    }

    package func hasAny(to target: UInt64) -> Bool { targets.withLock { !$0.isEmpty && $0[target] != nil } }

    package func all(to target: UInt64) -> [UInt64: UInt64] { targets.withLock { $0[target] ?? [:] } }

    /// The oldest questions of a target beyond `limit`, and some more so that this is rare; empty if there are fewer.
    package func excess(to target: UInt64, limit: Int) -> [UInt64: UInt64] {
        let all = targets.withLock { targets in
            (targets[target]?.count ?? 0) > limit ? targets[target] ?? [:] : [:]
        }
        guard !all.isEmpty else { return [:] }
        let oldest = Set(all.keys.sorted().prefix(all.count - limit + limit / 100))
        return all.filter { oldest.contains($0.key) }
    }
}
