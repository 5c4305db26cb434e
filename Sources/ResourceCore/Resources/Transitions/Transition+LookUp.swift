import HTTPCaching
import HTTPCore
package import Stores

/// Look-ups of data from an earlier life of the resource: in the store, or in a program's caches (S-187).
///
/// They are numbered; a result counts only if nothing has come in between.
extension Transition {
    package mutating func beginLookUp() {
        guard let number = variants.beginLookUp() else { return }
        effects.operations.append(.lookUp(number: number))
    }

    /// The store returned `records`.
    ///
    /// The result of an earlier look-up, or from before a purge, is ignored.
    ///
    /// - Parameter purgeCount: the number of purges by tag when the look-up began.
    mutating func finishLookUp(_ number: UInt32, _ records: [StoredRecord], since purgeCount: UInt64 = .max) {
        guard variants.endLookUp(number) else { return }
        var new: [StoredResponse] = []
        // Parts of one representation, the latest first, are one response again; what has no mark came behind the mark.
        let rank = { (record: StoredRecord) in (record.responseTime, record.isInvalidated ? 0 : 1, record.requestTime) }
        for record in records.sorted(by: { rank($0) > rank($1) }) {
            if state.isPurged(record.fields, since: purgeCount, in: resource) { continue }
            let found = StoredResponse.found(record, context)
            if let known = variants.find(record.partition, record.selection) {
                if let joined = known.joined(with: found, configuration.caching) { insert(joined) }
            } else if !found.mayStay(context) {
                effects.removeFromStore(found)
            } else if let index = new.firstIndex(where: { $0.isVariant(found) }) {
                if let joined = new[index].joined(with: found, configuration.caching) { new[index] = joined }
            } else {
                new.append(found)
            }
        }
        let evicted = variants.add(new, limit: configuration.variantLimit)
        effects.entered += new
        effects.evict(evicted)
        if !evicted.isEmpty { show() }
        if !new.isEmpty { emit(.newData(.cache)) }
        resumeAfterLookUp()
    }

    /// The decider that there would be if the store returned `records`; nothing else follows.
    package func decider(finding records: [StoredRecord]) -> Decider {
        var copy = Transition(resource, context)
        copy.state = state
        copy.state.activity?.waitingForLookUp = []
        copy.state.activity?.program = nil
        if copy.variants.lookUp != .known {
            let number = copy.variants.beginLookUp() ?? copy.variants.lookUpNumber
            copy.finishLookUp(number, records)
        }
        return copy.decider
    }

    /// Requests that waited for the look-up continue.
    package mutating func resumeAfterLookUp() {
        let waiting = state.waitingForLookUp
        if !waiting.isEmpty {
            state.ongoing.waitingForLookUp = []
            for waiting in waiting { resume(waiting) }
            effects.extra.released += waiting as [any Sendable]
        }
        if let program = state.program { type(of: program).lookUpDidEnd(&self) }
    }
}
