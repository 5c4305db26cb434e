public import HTTPCaching
import Locking
import Stores

/// Purges by tag (C-24.3).
extension ResourceTable {
    /// Above this number of resources another thread drops what is in memory.
    private static let purgedAtOnce = 256

    /// Drops all responses with one of these tags, in memory and store and of all partitions; nothing that was asked
    /// for before is stored later.
    ///
    /// `completion` receives the number of responses once that is durable.
    public func purge(_ tags: [CacheTag], _ completion: @escaping @Sendable (Int) -> Void = { _ in }) {
        if tags.isEmpty { return completion(0) }
        let (digests, tags) = (tags.map(\.digest), Set(tags))
        self.tags.notePurge(of: digests)
        // Memory and store have the same responses.
        let tally = PurgeTally(count: 0, pending: 2, by: max, completion)
        environment.store?.removeAll(taggedBy: tags) { tally.add($0) } ?? tally.add(0)
        let live = resources(with: digests)
        let drop: @Sendable () -> Void = { tally.add(live.reduce(0) { $0 + $1.purge(tags) }) }
        let workers = live.count > Self.purgedAtOnce ? environment.transforms.workers : nil
        if workers?.submit(drop) != true { drop() }
    }

    /// The live resources with a stored response that has one of these tags.
    public func resources(taggedBy tags: [CacheTag]) -> [Resource] {
        resources(with: tags.map(\.digest)).filter {
            $0.snapshot.variants.contains { $0.tags.contains(where: tags.contains) }
        }
    }

    /// Resources that may have responses with these tags.
    private func resources(with digests: [UInt64]) -> [Resource] {
        tags.resources(with: digests).compactMap { live($0.key, $0.value) }
    }
}

extension TagRegister {
    /// What a store keeps of a response that was asked for when `purgeCount` was `count`.
    func record(_ response: StoredResponse, since count: UInt64) -> StoredRecord {
        var record = response.record
        let tags = response.tags.map(\.digest)
        if !tags.isEmpty { record.isPurged = { self.isPurged(tags, since: count) } }
        return record
    }
}
