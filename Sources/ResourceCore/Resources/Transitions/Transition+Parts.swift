import Exchanges
import HTTPCaching
import HTTPCore
import Transforms

/// Loads of parts that are added to others (C-22.1).
extension Transition {
    /// What the head of a load means for responses that are assembled of parts.
    struct Arrangement {
        /// The response without its bytes.
        let response: StoredResponse
        /// Whether other loads bring the first byte soon, or it is stored: this load is not needed.
        var isNeedless = false
    }

    /// Arranges a load of a part with others of its representation; nil if its response is sent as it comes.
    ///
    /// From now on other requests know of the representation, and load only what no load brings.
    mutating func arrange(_ head: ReceivedHead, _ cause: LoadCause, _ number: UInt64) -> Arrangement? {
        guard let asked = head.extent?.ranges.first ?? head.wholeRange,
            cause.hole != nil || asked.upperBound - asked.lowerBound > WantedBytes.shortStep,
            let response = StoredResponse.loaded(head, cause, number, .bytes([]), isShortened: true, context),
            response.canBeContinued
        else { return nil }
        var arrangement = Arrangement(response: response)
        guard let partition = head.partition else { return cause.hole == nil ? nil : arrangement }
        let former = variants.find(partition, head.selection)
        if former == nil { insert(response) }
        guard head.extent != nil else { return nil }
        guard cause.hole == nil else { return arrangement }
        let others = state.loads.parts(of: response, for: cause.request, context).filter { $0.number != number }
        let held = former.flatMap { $0.hasSameRepresentation(as: response) ? $0.extent : nil }
        if others.contains(where: { $0.isNear(asked.lowerBound) }) || held?.rest(from: asked.lowerBound) != nil {
            arrangement.isNeedless = true
            return arrangement
        }
        let next = others.map(\.rest.lowerBound).filter { $0 > asked.lowerBound }.min() ?? .max
        let end = min(next, held?.firstHole(in: asked)?.upperBound ?? .max)
        if end < asked.upperBound { shorten(number, to: end - asked.lowerBound) }
        shorten(others: number, of: response, cause.request, at: asked.lowerBound)
        return arrangement
    }

    /// Other loads that would bring the byte at `position` much later end before it.
    mutating func shorten(
        others number: UInt64,
        of response: StoredResponse,
        _ request: ClientRequest,
        at position: Int64
    ) {
        for other in state.loads.parts(of: response, for: request, context)
        where other.number != number && other.rest.contains(position) && other.rest.lowerBound < position {
            shorten(other.number, to: position - other.start)
        }
    }

    private mutating func shorten(_ number: UInt64, to end: Int64) {
        let load = state.activity?.loads.change(number) { record -> Load? in
            guard record.received?.extent != nil else { return nil }
            record.end = min(record.end ?? .max, end)
            return record.load
        }
        if let load = load ?? nil { effects.extra.shortenedLoads.append((load, end)) }
    }

    /// The result of a request that follows a load.
    func result(
        for request: ClientRequest,
        _ response: LoadedResponse,
        _ arrangement: Arrangement?,
        isHole: Bool,
        _ outcome: CacheOutcome
    ) -> CacheResult {
        guard request.wanted == nil, response.extent != nil || arrangement != nil else {
            return .following(response, outcome)
        }
        guard let arrangement else { return isHole ? .pass(.range) : .following(response, outcome) }
        return .assembling(arrangement.response, arrangement.isNeedless ? nil : response, outcome)
    }

    /// The result of a request that joined the load with this number after its head had come.
    func follow(
        _ request: ClientRequest,
        _ response: LoadedResponse,
        _ number: UInt64,
        _ outcome: CacheOutcome
    ) -> CacheResult {
        guard request.wanted == nil, let record = state.loads[number], let head = record.received,
            head.extent != nil || request.directives.hasRange,
            let frame = StoredResponse.loaded(head, record.cause, number, .bytes([]), isShortened: true, context)
        else { return .following(response, outcome) }
        return .assembling(frame, response, outcome)
    }

    /// A load has failed: if it was to bring the first part, nothing of the representation is known any more.
    private mutating func dropEmptyPart(of record: LoadRecord) {
        guard let head = record.received, let partition = head.partition,
            let stored = variants.find(partition, head.selection), stored.extent?.ranges.isEmpty ?? false,
            let removed = variants.remove(stored)
        else { return }
        effects.left.append(removed)
    }

    /// A load has ended early: what has come is kept, if its tag says what it belongs to.
    mutating func keepPart(of record: LoadRecord) {
        dropEmptyPart(of: record)
        guard let head = record.received, head.partition != nil, head.response.metadata.hasStrongTag,
            let body = head.response.growing, body.received > 0,
            head.extent != nil || head.response.status == 200 && head.response.contentLength != nil
        else { return }
        state.ongoing.partsToKeep += 1
        effects.extra.keptParts.append((record, variants.resetCount))
    }

    /// The content of a load that has ended early is ready; nil: it cannot be kept.
    ///
    /// - Parameter resetCount: that of the variants when the load ended; what came before a purge is not kept.
    mutating func commitPart(of record: LoadRecord, _ body: RecordBody?, _ resetCount: UInt32) {
        state.activity?.partsToKeep -= 1
        guard let body, let head = record.received, head.effective === context.effective,
            variants.resetCount == resetCount,
            let part = StoredResponse.loaded(head, record.cause, record.number, body, isShortened: true, context),
            part.canBeContinued
        else { return show() }
        commitPart(part, record)
    }

    /// Whether the whole, which a load for missing bytes brings, is of no use: all who wait want ranges of it.
    func isUseless(_ head: ResponseHead, from number: UInt64) -> Bool {
        guard head.status == 200, let record = state.loads[number], record.cause.hole != nil else { return false }
        var isWanted = false
        for waiting in record.waiting where !waiting.request.directives.hasRange { isWanted = true }
        return !isWanted
    }

    /// Ends a load whose bytes come from elsewhere.
    mutating func endNeedless(_ number: UInt64) {
        end(number) { transition, record in
            transition.effects.extra.cancelledLoads.append(record.load)
            transition.show()
        }
    }

    /// The origin contradicts what is stored, under the same tag: requests go to it unchanged.
    mutating func refuse(_ record: LoadRecord) {
        complete(record, .cancelled)
        show()
        let failure = ExchangeFailure(.protocolError, "the content contradicts itself", responseHadBegun: true)
        for waiting in record.waiting {
            let isPart = waiting.request.wanted != nil
            let result = isPart ? .failure(ResourceError(failure, time: context.now)) : CacheResult.pass(.range)
            effects.results.append(WaiterResult(waiting.waiter, result))
        }
    }

    /// The origin has no bytes that can be added to `part`: it goes, and requests are decided about anew.
    mutating func abandon(_ part: StoredResponse, _ record: LoadRecord) {
        if let stored = variants.find(part.partition, part.selection), stored.hasSameRepresentation(as: part) {
            remove(stored)
        }
        complete(record, .cancelled)
        show()
        let failure = ExchangeFailure(.protocolError, "the content has changed since", responseHadBegun: true)
        var moved = TinyArray<WaitingRequest>()
        for waiting in record.waiting {
            if waiting.request.wanted == nil {
                moved.append(waiting)
            } else {
                let error = ResourceError(failure, time: context.now)
                effects.results.append(WaiterResult(waiting.waiter, .failure(error)))
            }
        }
        move(moved)
    }
}
