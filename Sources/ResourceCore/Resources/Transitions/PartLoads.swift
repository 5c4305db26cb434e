import Exchanges
import HTTPCaching
import HTTPCore
import Outcomes
import Transforms

/// Loads of parts that are added to others (C-22.1): changes of a resource during one event.
enum PartLoads {
    /// What the head of a load means for responses that are assembled of parts.
    struct Arrangement {
        /// The response without its bytes.
        let response: StoredResponse
        /// Whether other loads bring the first byte soon, or it is stored: this load is not needed.
        var isNeedless = false
    }

    /// Arranges a load of a part with others of its representation; nil if its response is sent as it comes.
    ///
    /// From now on other requests know of the representation, and load only what no load brings. A small range that
    /// nobody else waited for is sent as it comes.
    static func arrange(
        _ head: ReceivedHead,
        _ cause: LoadCause,
        _ number: UInt64,
        _ isAwaited: Bool,
        in transition: inout Transition
    ) -> Arrangement? {
        guard let asked = head.extent?.ranges.first ?? head.wholeRange,
            cause.hole != nil || isAwaited || asked.upperBound - asked.lowerBound > WantedBytes.shortStep,
            let response = StoredResponse.loaded(
                head,
                cause,
                number,
                .bytes([]),
                isShortened: true,
                transition.context
            ),
            response.canBeContinued
        else { return nil }
        var arrangement = Arrangement(response: response)
        guard let partition = head.partition else { return cause.hole == nil ? nil : arrangement }
        let former = transition.variants.find(partition, head.selection)
        if former == nil { transition.insert(response) }
        guard head.extent != nil else { return nil }
        _ = transition.state.activity?.loads.change(number) { $0.isAssembled = true }
        guard cause.hole == nil else { return arrangement }
        let others = transition.state.loads.parts(of: response, for: cause.request, transition.context).filter {
            $0.number != number
        }
        let held = former.flatMap { $0.hasSameRepresentation(as: response) ? $0.extent : nil }
        if others.contains(where: { $0.isNear(asked.lowerBound) }) || held?.rest(from: asked.lowerBound) != nil {
            arrangement.isNeedless = true
            return arrangement
        }
        let next = others.map(\.start).filter { $0 > asked.lowerBound }.min() ?? .max
        let end = min(next, held?.firstHole(in: asked)?.upperBound ?? .max)
        if end < asked.upperBound { shorten(number, to: end - asked.lowerBound, in: &transition) }
        shorten(others: number, of: response, cause.request, at: asked.lowerBound, in: &transition)
        return arrangement
    }

    /// Other loads that would bring the byte at `position` much later end before it.
    static func shorten(
        others number: UInt64,
        of response: StoredResponse,
        _ request: ClientRequest,
        at position: Int64,
        in transition: inout Transition
    ) {
        for other in transition.state.loads.parts(of: response, for: request, transition.context)
        where other.number != number && other.rest.contains(position) && other.rest.lowerBound < position {
            shorten(other.number, to: position - other.start, in: &transition)
        }
    }

    private static func shorten(_ number: UInt64, to end: Int64, in transition: inout Transition) {
        let load = transition.state.activity?.loads.change(number) { record -> Load? in
            // A client that is sent a response as it comes needs all that its head announced.
            guard record.isAssembled else { return nil }
            record.end = min(record.end ?? .max, end)
            return record.load
        }
        if let load = load ?? nil { transition.effects.extra.shortenedLoads.append((load, end)) }
    }

    /// The result of a request that follows a load.
    static func result(
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
    static func follow(
        _ request: ClientRequest,
        _ response: LoadedResponse,
        _ number: UInt64,
        _ outcome: CacheOutcome,
        in transition: Transition
    ) -> CacheResult {
        guard request.wanted == nil, let record = transition.state.loads[number], let head = record.received,
            head.extent != nil || request.directives.hasRange,
            let frame = StoredResponse.loaded(
                head,
                record.cause,
                number,
                .bytes([]),
                isShortened: true,
                transition.context
            )
        else { return .following(response, outcome) }
        return .assembling(frame, response, outcome)
    }

    /// A load has brought nothing that is kept: if it was to bring the first part, nothing is known any more.
    static func dropEmptyPart(of record: LoadRecord, in transition: inout Transition) {
        guard let head = record.received, let partition = head.partition,
            let stored = transition.variants.find(partition, head.selection), stored.extent?.ranges.isEmpty ?? false,
            let removed = transition.variants.remove(stored)
        else { return }
        transition.effects.left.append(removed)
        transition.show()
    }

    /// A load has ended early: what has come is kept, if a tag identifies what it is a part of.
    ///
    /// - Parameter failure: what readers of the content get; nil: they have it.
    static func keepPart(
        of record: LoadRecord,
        failing failure: ExchangeFailure? = nil,
        in transition: inout Transition
    ) {
        dropEmptyPart(of: record, in: &transition)
        guard let head = record.received, head.partition != nil, head.response.metadata.hasStrongTag,
            let body = head.response.growing, body.received > 0,
            head.extent != nil || head.response.status == 200 && head.response.contentLength != nil
        else { return }
        transition.state.ongoing.partsToKeep += 1
        transition.effects.extra.keptParts.append((record, failure, transition.state.ongoing.resetCount))
    }

    /// The content of a load that has ended early is ready; nil: it cannot be kept.
    ///
    /// - Parameter resetCount: that of the activity when the load ended; what came before a purge is not kept.
    static func commitPart(
        of record: LoadRecord,
        _ body: RecordBody?,
        _ resetCount: UInt32,
        in transition: inout Transition
    ) {
        transition.state.activity?.partsToKeep -= 1
        defer { if transition.variants.lookUp == .known { transition.resumeAfterLookUp() } }
        guard let body, let head = record.received, head.effective === transition.context.effective,
            transition.state.activity?.resetCount == resetCount,
            let part = StoredResponse.loaded(
                head,
                record.cause,
                record.number,
                body,
                isShortened: true,
                transition.context
            ),
            part.canBeContinued
        else { return }
        transition.commitPart(part, record)
    }

    /// Whether the whole, which a load for missing bytes brings, is of no use: all waiters want ranges of it.
    static func isUseless(_ head: ResponseHead, from number: UInt64, in transition: Transition) -> Bool {
        guard head.status == 200, let record = transition.state.loads[number], record.cause.hole != nil else {
            return false
        }
        var isWanted = false
        for waiting in record.waiting where !waiting.request.directives.hasRange { isWanted = true }
        return !isWanted
    }

    /// Ends a load whose bytes come from elsewhere.
    static func endNeedless(_ number: UInt64, in transition: inout Transition) {
        transition.end(number) { transition, record in
            transition.effects.extra.cancelledLoads.append(record.load)
        }
    }

    /// The origin contradicts what is stored, under the same tag: requests go to it unchanged.
    static func refuse(_ record: LoadRecord, in transition: inout Transition) {
        transition.complete(record, .cancelled)
        let failure = ExchangeFailure(.protocolError, "the content contradicts itself")
        for waiting in record.waiting {
            let isPart = waiting.request.wanted != nil
            let result =
                isPart ? .failure(ResourceError(failure, time: transition.context.now)) : CacheResult.pass(.range)
            transition.effects.results.append(WaiterResult(waiting.waiter, result))
        }
    }

    /// The origin has something else than `part`: it goes, and what was added to it; false if it is no part.
    static func end(_ part: StoredResponse?, in transition: inout Transition) -> Bool {
        guard let part, part.extent != nil else { return false }
        let stored = transition.variants.find(part.partition, part.selection).flatMap { $0.extent == nil ? nil : $0 }
        if let stored, stored.isSame(as: part) || stored.hasSameRepresentation(as: part) { transition.remove(stored) }
        return true
    }

    /// The origin has no bytes that can be added to `part`: it goes, and requests are decided about anew.
    static func abandon(_ part: StoredResponse, _ record: LoadRecord, in transition: inout Transition) {
        let stored = transition.variants.find(part.partition, part.selection)
        if let stored, stored.hasSameRepresentation(as: part) { transition.remove(stored) }
        transition.complete(record, .cancelled)
        let failure = ExchangeFailure(.protocolError, "the content has changed since")
        var moved = TinyArray<WaitingRequest>()
        for waiting in record.waiting {
            if waiting.request.wanted == nil {
                moved.append(waiting)
            } else {
                let error = ResourceError(failure, time: transition.context.now)
                transition.effects.results.append(WaiterResult(waiting.waiter, .failure(error)))
            }
        }
        transition.move(moved)
    }
}
