import HTTPCaching
import HTTPCore
import Transforms

/// The stored responses of one resource that are in memory, and what is known of others.
///
/// A value without locks, clocks and callbacks. Each event returns what came and went; `Transition` does what follows.
package struct Variants: Sendable {
    /// What is known of what a store, or a program's caches, hold (S-187).
    package enum LookUp: Sendable {
        case unknown
        /// The look-up with the number `lookUpNumber` is under way.
        case looking
        case known
    }

    /// The least recently used first.
    package private(set) var stored = StoredVariants()
    /// The names that select one, as far as responses have told.
    private(set) var vary: VaryNames?
    /// How often what is stored was replaced, dropped or marked; wraps.
    private(set) var changeCount: UInt32 = 0
    /// Wraps.
    private(set) var lookUpNumber: UInt32 = 0
    package private(set) var lookUp: LookUp
    /// Whether something there is, be it a program's data, must be validated before it is used.
    package private(set) var isInvalidated = false

    /// - Parameter looksUp: something may have been kept of a former life of the resource.
    init(looksUp: Bool) { lookUp = looksUp ? .unknown : .known }

    package var isEmpty: Bool { stored.isEmpty }
    var isLooking: Bool { lookUp == .looking }

    // MARK: Finding

    func find(_ partition: Partition, _ selection: [UInt8]) -> StoredResponse? {
        stored.first { $0.partition == partition && $0.selection == selection }
    }

    /// The whole response of this partition that was received last.
    func latest(in partition: Partition) -> StoredResponse? {
        var latest: StoredResponse?
        for response in stored where response.extent == nil && response.partition == partition {
            if latest.map({ response.receivedAt > $0.receivedAt }) ?? true { latest = response }
        }
        return latest
    }

    /// Those that may answer `request`: its own partition first, then the latest Date (C-11.5, C-20.3).
    package func matches(_ request: ClientRequest, _ context: ResourceContext) -> [StoredResponse] {
        var found: [(rank: Int, stored: StoredResponse)] = []
        var memo = SelectionMemo()
        for response in stored {
            guard response.isUsable(for: request), let rank = request.partitions.rank(of: response.partition) else {
                continue
            }
            if response.metadata.vary.isEmpty
                || response.selection == memo.selection(response.metadata.vary, request.fields, context)
            {
                found.append((rank, response))
            }
        }
        if found.count > 1 {
            found.sort { left, right in
                if left.rank != right.rank { return left.rank < right.rank }
                if left.stored.metadata.date != right.stored.metadata.date {
                    return left.stored.metadata.date > right.stored.metadata.date
                }
                return left.stored.receivedAt > right.stored.receivedAt
            }
        }
        return found.map(\.stored)
    }

    /// The head with the part refused that must not take the place of what is stored.
    func refusingObsoletePart(_ head: ReceivedHead, at now: MonotonicTime) -> ReceivedHead {
        guard let extent = head.extent, !extent.isWhole, let partition = head.partition,
            let obstacle = find(partition, head.selection)?.obstacle(to: extent, head.response.metadata, at: now)
        else { return head }
        return ReceivedHead(head, refused: obstacle)
    }

    /// Whether a load with this number may replace what `partition` and `selection` name: nothing newer is there.
    func mayReplace(_ partition: Partition, _ selection: [UInt8], by number: UInt64) -> Bool {
        find(partition, selection).map { $0.loadNumber <= number } ?? true
    }

    /// Whether what a load brought is newer than what is stored; or the whole of which a part came meanwhile.
    func isNews(_ response: StoredResponse, of number: UInt64) -> Bool {
        guard let former = find(response.partition, response.selection) else { return true }
        if former.loadNumber < number { return true }
        return former.extent != nil && response.extent == nil && former.metadata.hasSameStrongTag(as: response.metadata)
    }

    /// The one response that answers every request without special fields: the shared hit.
    ///
    /// None while some credential has an answer of its own: who bears it gets that one (C-20.3). Nor where the origin is not
    /// asked: answers tell of that (C-25.2).
    ///
    /// - Parameter effective: the configuration by which all that is stored was judged; nil: it was not judged yet.
    func sharedHit(_ effective: EffectiveConfiguration?) -> StoredResponse? {
        if let effective, !effective.hasPlainKeys { return nil }
        guard stored.count == 1, effective?.values.mode.mayLoad ?? true, let result = stored.first,
            result.partition == .shared, result.status == 200, result.extent == nil,
            result.metadata.vary.isEmpty, !result.isInvalidated,
            !result.metadata.control.flags.contains(.noCache),
            let pipeline = effective?.values.pipeline
        else { return nil }
        guard !result.isLocal, pipeline.applies(status: result.status, fields: result.fields) else {
            return result.rendition.isEmpty ? result : nil
        }
        guard pipeline.isInvariant else { return nil }
        return result.knownRenditions?.derived(
            of: result,
            RenditionKey(fingerprint: pipeline.fingerprint, variation: "")
        )
    }

    // MARK: Coming and going

    /// What left memory for a response that came.
    struct InsertResult {
        /// What had its partition and selection.
        var replaced: StoredResponse?
        /// The least recently used ones, of which there were too many: they leave the store, too.
        var evicted: [StoredResponse] = []
    }

    /// Puts `response` in the place of the one with its partition and selection, or adds it.
    mutating func insert(_ response: StoredResponse, limit: Int) -> InsertResult {
        var result = InsertResult()
        if let index = stored.firstIndex(where: {
            $0.partition == response.partition && $0.selection == response.selection
        }) {
            result.replaced = stored.remove(at: index)
        }
        stored.append(response)
        changeCount &+= 1
        result.evicted = evict(limit)
        isInvalidated = containsInvalidated
        return result
    }

    private mutating func evict(_ limit: Int) -> [StoredResponse] {
        if stored.count <= max(1, limit) { return [] }
        var evicted: [StoredResponse] = []
        while stored.count > max(1, limit) { evicted.append(stored.removeFirst()) }
        return evicted
    }

    /// Marks as most recently used.
    mutating func touch(_ response: StoredResponse) {
        guard stored.last !== response, let index = stored.firstIndex(where: { $0 === response }) else { return }
        stored.append(stored.remove(at: index))
    }

    /// Takes `response`, or the same judged otherwise, out for good; nil if it is not there.
    mutating func remove(_ response: StoredResponse) -> StoredResponse? {
        guard let index = index(of: response) else { return nil }
        changeCount &+= 1
        return stored.remove(at: index)
    }

    /// The same where memory is full; nil if it is not there.
    ///
    /// - Parameter looksUp: the store may still hold it.
    mutating func drop(_ response: StoredResponse, looksUp: Bool) -> StoredResponse? {
        guard let index = index(of: response) else { return nil }
        let dropped = stored.remove(at: index)
        if looksUp, lookUp == .known, !response.isLocal { lookUp = .unknown }
        isInvalidated = containsInvalidated
        return dropped
    }

    private func index(of response: StoredResponse) -> Int? { stored.firstIndex { $0.isSame(as: response) } }

    /// Takes all out: other data takes their place, or none.
    mutating func takeAll() -> StoredVariants {
        defer {
            stored = []
            isInvalidated = false
        }
        return stored
    }

    /// Replaces all by content of our own; returns what was there.
    mutating func replaceAll(by response: StoredResponse) -> StoredVariants {
        defer { stored = [response] }
        return takeAll()
    }

    /// What loads sent before now bring is not committed any more.
    mutating func noteReset() {
        vary = nil
        changeCount &+= 1
    }

    /// A response came whose Vary has these names.
    mutating func note(_ names: VaryNames) { vary = names.isAny ? nil : names }

    // MARK: Invalidation

    private var containsInvalidated: Bool { stored.contains { $0.isInvalidated } }

    /// Marks all: validate before use (S-201); returns what was there.
    ///
    /// - Parameter hasOther: there is, or will be found, something else that is invalid now, such as a program's data.
    mutating func invalidateAll(hasOther: Bool) -> StoredVariants {
        defer {
            stored = StoredVariants(stored.map(\.invalidated))
            isInvalidated = hasOther || !stored.isEmpty
        }
        return stored
    }

    /// Data that nothing marks is there now.
    package mutating func clearMark() { isInvalidated = false }

    /// What was marked may have left: the mark goes if nothing is left that bears it.
    mutating func updateMark() { isInvalidated = containsInvalidated }

    // MARK: Judging anew

    /// What another configuration made of the responses.
    struct JudgeResult {
        var entered: [StoredResponse] = []
        var left: [StoredResponse] = []
        /// Those that may not be stored any more.
        var removed: [StoredResponse] = []
    }

    /// Judges all by the configuration of `context`.
    ///
    /// - Parameter keepsMark: something else than the responses may be invalid.
    mutating func judge(_ context: ResourceContext, keepsMark: Bool) -> JudgeResult {
        var result = JudgeResult()
        var kept: [StoredResponse] = []
        for response in stored {
            let judged = response.judged(context)
            let mayStay = judged.mayStay(context)
            if judged !== response || !mayStay { result.left.append(response) }
            guard mayStay else {
                result.removed.append(response)
                continue
            }
            kept.append(judged)
            if judged !== response { result.entered.append(judged) }
        }
        stored = StoredVariants(kept)
        isInvalidated = isInvalidated && (keepsMark || containsInvalidated)
        vary = stored.last.map(\.metadata.vary)
        return result
    }

    // MARK: Look-up

    /// Begins to look up; nil if that has begun, or is over.
    mutating func beginLookUp() -> UInt32? {
        guard lookUp == .unknown else { return nil }
        lookUpNumber &+= 1
        lookUp = .looking
        return lookUpNumber
    }

    /// Ends a look-up under way: what it brings is from before.
    package mutating func restartLookUp(as next: LookUp) {
        lookUpNumber &+= 1
        lookUp = next
    }

    /// The look-up with this number has ended; false if it counts no more.
    package mutating func endLookUp(_ number: UInt32) -> Bool {
        guard isLooking, lookUpNumber == number else { return false }
        lookUp = .known
        return true
    }

    /// What was in memory may be looked up again.
    mutating func forgetLookUp() { if lookUp == .known { lookUp = .unknown } }

    /// Adds what a store held, as if it had not been used for long; returns those of which there were too many.
    mutating func add(_ found: [StoredResponse], limit: Int) -> [StoredResponse] {
        stored.insert(contentsOf: found, at: 0)
        let evicted = evict(limit)
        if vary == nil { vary = found.last.map(\.metadata.vary) }
        isInvalidated = isInvalidated || containsInvalidated
        return evicted
    }
}
