import HTTPCaching
import HTTPCore
import Locking

/// Tags of responses, and purges by them (C-24.3).
extension Transition {
    var tags: TagRegister { resource.core.table.tags }

    /// Drops the responses with one of these tags; loads serve requests that have joined, and commit nothing.
    ///
    /// - Returns: how many responses were dropped.
    mutating func purge(_ tags: Set<CacheTag>) -> Int {
        let tagged = variants.stored.filter { !tags.isDisjoint(with: $0.tags) }
        guard !tagged.isEmpty || state.loads.records.contains(where: { !tags.isDisjoint(with: $0.tags) }) else {
            return 0
        }
        for response in tagged { if let removed = variants.remove(response) { effects.left.append(removed) } }
        variants.updateMark()
        detachLoads()
        if tagged.isEmpty { show() } else { emit(.newData(.wipe)) }
        return tagged.count
    }

    /// Notes tags that are about to come in, and says whether one of them was purged after `purgeCount` was `count`.
    mutating func isPurged(_ fields: Fields, since count: UInt64) -> Bool {
        guard CacheTags.areIn(fields) else { return false }
        return tags.isPurged(noteTags(of: fields), since: count)
    }

    /// Notes the tags of fields that are about to come in, with those that are here; returns the former.
    @discardableResult
    func noteTags(of fields: Fields) -> [UInt64] {
        let new = CacheTags.tags(of: fields, from: resource.uri).map(\.digest)
        if new.isEmpty { return [] }
        let here = variants.stored.flatMap(\.tags) + state.loads.records.flatMap(\.tags)
        tags.note(Set(here.map(\.digest) + new), of: resource.id, context.hash)
        return new
    }
}

extension LoadRecord {
    /// The tags of its response, and of the responses that it validates.
    fileprivate var tags: [CacheTag] {
        let coming = received.map { CacheTags.tags(of: $0.response.fields, from: cause.request.uri) } ?? []
        return coming + cause.offered.flatMap(\.tags)
    }
}
