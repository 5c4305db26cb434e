import HTTPCaching
import HTTPCore
import Locking

/// Tags of responses, and purges by them (C-24.3).
extension Resource {
    var tags: TagRegister { core.table.tags }

    /// Drops from memory the responses with one of these tags; loads serve requests that have joined, and commit
    /// nothing.
    ///
    /// - Returns: how many responses were dropped.
    func purge(_ tags: Set<CacheTag>) -> Int {
        perform { transition in
            let tagged = transition.variants.stored.filter { !tags.isDisjoint(with: $0.tags) }
            let isLoading = transition.state.loads.records.contains { !tags.isDisjoint(with: $0.tags) }
            guard !tagged.isEmpty || isLoading else { return 0 }
            let removed = tagged.compactMap { transition.variants.remove($0) }
            transition.effects.left += removed
            transition.variants.updateMark()
            transition.detachLoads()
            if !tagged.isEmpty { transition.emit(.newData(.wipe)) }
            return tagged.count
        }
    }
}

extension ResourceState {
    /// Notes tags that are about to come in; returns whether one of them was purged after `purgeCount` was `count`.
    func isPurged(_ fields: Fields, since count: UInt64, in resource: Resource) -> Bool {
        CacheTags.areIn(fields) && resource.tags.isPurged(noteTags(of: fields, in: resource), since: count)
    }

    /// Notes the tags of fields that are about to come in, with those that are here; returns the former.
    @discardableResult
    func noteTags(of fields: Fields, in resource: Resource) -> [UInt64] {
        let new = CacheTags.tags(of: fields, from: resource.uri).map(\.digest)
        if new.isEmpty { return [] }
        let here = variants.stored.flatMap(\.tags) + loads.records.flatMap(\.tags)
        resource.tags.note(Set(here.map(\.digest) + new), of: resource.id, resource.hash)
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
