import Configurations
import HTTPCaching
import HTTPCore
import Stores
import Transforms

/// The stored responses of one resource in memory, and whether the store may have others.
///
/// A value without locks, clocks and callbacks. Each event returns what entered and left; `Transition` does what
/// follows.
package struct Variants: Sendable {
    /// Whether the store, or a program's caches, were looked up (S-187).
    package enum LookUp: Sendable {
        case unknown
        /// The look-up with the number `lookUpNumber` is in progress.
        case looking
        case known
    }

    /// The least recently used first.
    package private(set) var stored = StoredVariants()
    /// The names in Vary, as far as responses have shown them.
    private(set) var vary: VaryNames?
    /// How often stored responses were replaced, dropped or marked; wraps.
    private(set) var changeCount: UInt32 = 0
    /// Wraps.
    private(set) var lookUpNumber: UInt32 = 0
    package private(set) var lookUp: LookUp
    /// Whether anything, a program's data included, must be validated before it is used.
    package private(set) var isInvalidated = false

    /// - Parameter looksUp: whether data from an earlier life of the resource may be stored.
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

    /// The responses that may answer `request`: its own partition first, then the latest Date (C-11.5, C-20.3).
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

    /// The head; refused if it is that of a part which must not replace the stored response.
    func refusingObsoletePart(_ head: ReceivedHead, at now: MonotonicTime) -> ReceivedHead {
        guard let extent = head.extent, !extent.isWhole, let partition = head.partition,
            let obstacle = find(partition, head.selection)?.obstacle(to: extent, head.response.metadata, at: now)
        else { return head }
        return ReceivedHead(head, refused: obstacle)
    }

    /// Whether a load with this number may replace the stored response: there is no newer one.
    ///
    /// - Parameter isPart: whether it brings a part, which replaces no whole.
    func mayReplace(_ partition: Partition, _ selection: [UInt8], by number: UInt64, isPart: Bool = false) -> Bool {
        find(partition, selection).map { $0.loadNumber <= number && !(isPart && $0.extent == nil) } ?? true
    }

    /// Whether a loaded response is newer than the stored one, or the whole of a part that came meanwhile.
    func isNews(_ response: StoredResponse, of number: UInt64) -> Bool {
        guard let former = find(response.partition, response.selection) else { return true }
        if former.loadNumber < number { return true }
        return former.extent != nil && response.extent == nil && former.metadata.hasSameStrongTag(as: response.metadata)
    }

    /// The one response that answers every request without special fields: the shared hit.
    ///
    /// Nil if a credential has a response of its own: its requests must get that (C-20.3). Nil in modes without the
    /// origin: their responses say so (C-25.2). Nil for a stream whose pieces are sent at their times.
    ///
    /// - Parameter effective: the configuration by which all responses were judged; nil: not judged yet.
    func sharedHit(_ effective: EffectiveConfiguration?) -> StoredResponse? {
        if let effective, !effective.showsHits { return nil }
        guard stored.count == 1, effective?.values.mode.mayLoad ?? true, let result = stored.first,
            result.partition == .shared, result.status == 200, result.extent == nil,
            result.metadata.vary.isEmpty, !result.isInvalidated,
            !result.metadata.control.flags.contains(.noCache), result.replaySpeed == nil,
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

    /// What left memory when a response was inserted.
    struct InsertResult {
        /// The former response with its partition and selection.
        var replaced: StoredResponse?
        /// The least recently used ones beyond the limit: they leave the store, too.
        var evicted: [StoredResponse] = []
    }

    /// Replaces the response with the same partition and selection, or adds `response`.
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

    /// Marks `response` as most recently used.
    mutating func touch(_ response: StoredResponse) {
        guard stored.last !== response, let index = stored.firstIndex(where: { $0 === response }) else { return }
        stored.append(stored.remove(at: index))
    }

    /// Removes `response`, or the same one judged otherwise, for good; nil if it is not there.
    mutating func remove(_ response: StoredResponse) -> StoredResponse? {
        guard let index = index(of: response) else { return nil }
        changeCount &+= 1
        return stored.remove(at: index)
    }

    /// Removes `response` because memory is full; nil if it is not there.
    ///
    /// - Parameter looksUp: whether the store may still have it.
    mutating func drop(_ response: StoredResponse, looksUp: Bool) -> StoredResponse? {
        guard let index = index(of: response) else { return nil }
        let dropped = stored.remove(at: index)
        if looksUp, lookUp == .known, !response.isLocal { lookUp = .unknown }
        isInvalidated = containsInvalidated
        return dropped
    }

    private func index(of response: StoredResponse) -> Int? { stored.firstIndex { $0.isSame(as: response) } }

    /// Removes and returns all responses.
    mutating func takeAll() -> StoredVariants {
        defer {
            stored = []
            isInvalidated = false
        }
        return stored
    }

    /// Replaces all by a local override; returns what was there.
    mutating func replaceAll(by response: StoredResponse) -> StoredVariants {
        defer { stored = [response] }
        return takeAll()
    }

    /// Responses to loads sent before now are not committed.
    mutating func noteReset() {
        vary = nil
        changeCount &+= 1
    }

    /// Notes the names in the Vary of a response.
    mutating func note(_ names: VaryNames) { vary = names.isAny ? nil : names }

    // MARK: Invalidation

    private var containsInvalidated: Bool { stored.contains { $0.isInvalidated } }

    /// Marks all: validate before use (S-201); returns the responses before that.
    ///
    /// - Parameter hasOther: whether something else is invalid, or will be found to be, such as a program's data.
    mutating func invalidateAll(hasOther: Bool) -> StoredVariants {
        defer {
            stored = StoredVariants(stored.map(\.invalidated))
            isInvalidated = hasOther || !stored.isEmpty
        }
        return stored
    }

    /// There is new data, which is not marked.
    package mutating func clearMark() { isInvalidated = false }

    /// Clears the mark unless a marked response is left.
    mutating func updateMark() { isInvalidated = containsInvalidated }

    // MARK: Judging anew

    /// What changed under another configuration.
    struct JudgeResult {
        var entered: [StoredResponse] = []
        var left: [StoredResponse] = []
        /// Responses that may not be stored any more.
        var removed: [StoredResponse] = []
    }

    /// Judges all by the configuration of `context`.
    ///
    /// - Parameter keepsMark: whether something else than the responses may be invalid.
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

    /// Begins a look-up; nil if one has begun or ended already.
    mutating func beginLookUp() -> UInt32? {
        guard lookUp == .unknown else { return nil }
        lookUpNumber &+= 1
        lookUp = .looking
        return lookUpNumber
    }

    /// Ends a look-up in progress: its result would be outdated.
    package mutating func restartLookUp(as next: LookUp) { lookUp = next }

    /// Ends the look-up with this number; false if it is outdated.
    package mutating func endLookUp(_ number: UInt32) -> Bool {
        guard isLooking, lookUpNumber == number else { return false }
        lookUp = .known
        return true
    }

    /// Allows another look-up of what was in memory.
    mutating func forgetLookUp() { if lookUp == .known { lookUp = .unknown } }

    /// Adds responses from the store as the least recently used; returns those beyond the limit.
    mutating func add(_ found: [StoredResponse], limit: Int) -> [StoredResponse] {
        stored.insert(contentsOf: found, at: 0)
        let evicted = evict(limit)
        if vary == nil { vary = found.last.map(\.metadata.vary) }
        isInvalidated = isInvalidated || containsInvalidated
        return evicted
    }
}
