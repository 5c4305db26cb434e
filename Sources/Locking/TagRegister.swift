import Synchronization

/// Which live resources have responses with which tags, and which tags were purged; safe from any thread.
///
/// Tags are digests. Two names may share one, so what it returns are candidates. A purge asks it for resources after it
/// was noted, and what may store a response notes that first and asks then. So one of both sees the other.
package final class TagRegister: Sendable {
    fileprivate struct State {
        var purges = TagPurges()
        /// For each tag, the numbers of resources with the hashes of their URIs.
        var resources: [UInt64: [UInt64: UInt64]] = [:]
        /// The tags of each resource in `resources`.
        var tags: [UInt64: Set<UInt64>] = [:]
    }

    private let state = Lock(State())
    private let number = Atomic<UInt64>(0)
    private let isUsed = Atomic<Bool>(false)

    package init() {}

    /// Grows with each purge; read it before a response is asked for.
    package var purgeCount: UInt64 { number.load(ordering: .sequentiallyConsistent) }

    /// Notes a purge of these tags.
    package func notePurge(of tags: [UInt64]) {
        state.withLock { state in
            state.purges.add(tags, number.add(1, ordering: .sequentiallyConsistent).newValue)
        }
    }

    /// Whether any of these tags was purged after `purgeCount` was this number; true may be wrong for an old number.
    package func isPurged(_ tags: [UInt64], since count: UInt64) -> Bool {
        if tags.isEmpty || purgeCount == count { return false }
        return state.withLock { $0.purges.covers(tags, since: count) }
    }

    /// The resource has responses with these tags, and no others.
    package func note(_ tags: Set<UInt64>, of resource: UInt64, _ hash: UInt64) {
        state.withLock { state in
            isUsed.store(true, ordering: .relaxed)
            let former = state.tags[resource] ?? []
            for tag in former.subtracting(tags) { state.drop(resource, of: tag) }
            for tag in tags.subtracting(former) { state.resources[tag, default: [:]][resource] = hash }
            state.tags[resource] = tags.isEmpty ? nil : tags
        }
    }

    /// The resource has ended.
    package func forget(_ resource: UInt64) {
        // Most tables never see a tag.
        guard isUsed.load(ordering: .relaxed) else { return }
        state.withLock { state in
            for tag in state.tags.removeValue(forKey: resource) ?? [] { state.drop(resource, of: tag) }
        }
    }

    /// The resources that may have responses with one of these tags, with the hashes of their URIs.
    package func resources(with tags: [UInt64]) -> [UInt64: UInt64] {
        // Copied under no lock: there may be many.
        let found = state.withLock { state in tags.compactMap { state.resources[$0] } }
        return found.dropFirst().reduce(into: found.first ?? [:]) { $0.merge($1) { first, _ in first } }
    }

    /// The number of tags in use, for tests.
    package var count: Int { state.withLock { $0.resources.count } }
}

extension TagRegister.State {
    fileprivate mutating func drop(_ resource: UInt64, of tag: UInt64) {
        resources[tag]?[resource] = nil
        if resources[tag]?.isEmpty ?? false { resources[tag] = nil }
    }
}

/// The latest purge of each tag.
///
/// It is bounded: of many tags it forgets those purged longest ago, and counts what is older than that as purged.
package struct TagPurges: Sendable {
    private static let limit = 4096

    private var numbers: [UInt64: UInt64] = [:]
    /// All purges up to this number are forgotten.
    private var floor: UInt64 = 0

    package init() {}

    package mutating func add(_ tags: [UInt64], _ number: UInt64) {
        for tag in tags { numbers[tag] = number }
        guard numbers.count > Self.limit else { return }
        let middle = numbers.values.sorted()[numbers.count / 2]
        floor = max(floor, middle)
        numbers = numbers.filter { $0.value > middle }
    }

    package func covers(_ tags: [UInt64], since number: UInt64) -> Bool {
        number < floor || tags.contains { numbers[$0].map { $0 > number } ?? false }
    }
}
