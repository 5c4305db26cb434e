import Exchanges
import HTTPCaching
import HTTPCore
import Outcomes
import Stores
import Transforms

/// How loads end.
extension Transition {
    /// Removes a load for `handle`, if it has not ended; it is released under no lock.
    mutating func end(_ number: UInt64, _ handle: (inout Transition, LoadRecord) -> Void) {
        guard let record = state.activity?.loads.end(number) else { return }
        handle(&self, record)
        effects.end(record)
    }

    /// Ends a load with this outcome for its callers.
    mutating func complete(_ record: LoadRecord, _ outcome: LoadOutcome) {
        if record.callers.isEmpty { return }
        for caller in record.callers { effects.extra.completions.append((caller, outcome)) }
        state.activity?.value.program?.value.callersDidEnd(record.callers)
    }

    /// Observers see a last progress of 1 before they see how a load ended (S-219).
    mutating func reportEnd(of record: LoadRecord) {
        if !record.isDetached, record.cause.reportsToObservers {
            add(state.activity?.value.program?.value.loadWillEnd(record.number))
        }
    }

    /// Reports how a load ended; observers never saw some loads begin.
    mutating func emitEnd(_ event: ResourceEvent, of cause: LoadCause) {
        if cause.reportsToObservers { emit(event) }
    }

    // MARK: Complete

    /// The response is complete; `body` is what is stored of its content, nil if nothing is.
    mutating func finalize(_ number: UInt64, _ body: RecordBody?) {
        guard let (record, head) = state.activity?.loads.complete(number) else { return }
        finish(record, head, body)
        effects.end(record)
    }

    private mutating func finish(_ record: LoadRecord, _ head: ReceivedHead, _ body: RecordBody?) {
        let (number, cause) = (record.number, record.cause)
        var isKept = head.partition != nil
        var stored = body.flatMap {
            StoredResponse.loaded(head, cause, number, $0, isShortened: record.end != nil, context)
        }
        if let made = stored, head.effective !== context.effective {
            // The configuration has changed since the head came.
            let judged = made.judged(context)
            stored = judged
            if !judged.mayStay(context) { isKept = false }
        }
        let status = head.response.status
        let error = status >= 400 ? ResourceError(status: status, time: context.now) : nil
        complete(record, error.map { .failure($0) } ?? .newData(stored))
        reportEnd(of: record)
        guard !record.isDetached else { return }
        if isKept, let stored {
            return stored.extent == nil ? commit(stored, record) : commitPart(stored, record)
        }
        PartLoads.dropEmptyPart(of: record, in: &self)
        guard cause.reportsToObservers else { return }
        if status.endsFormerResponses {
            // The origin no longer permits to keep what it permitted before.
            if let former = cause.offered.first { remove(former) }
            variants.updateMark()
        }
        if let error { return show(LatestError(error, context)) }
        if cause.keepsUncacheable, let stored { state.ongoing.uncacheable = stored }
        succeed(cause)
        emitActivity(.newData(.network))
    }

    private mutating func commit(_ stored: StoredResponse, _ record: LoadRecord) {
        // A result older than what is stored changes nothing (S-256); the load has ended all the same (S-095).
        guard variants.isNews(stored, of: record.number) else { return emitEnd(.requestCancelled, of: record.cause) }
        let former = variants.find(stored.partition, stored.selection)
        insert(stored)
        succeed(record.cause)
        state.activity?.outcomes.endHitForMiss()
        emit(.newData(.network))
        let otherParts: StoredRecord.OtherParts = former?.extent == nil ? .unchanged : .replaced
        effects.operations.append(.commit(stored, otherParts, since: record.purgeCount))
    }

    /// A part is stored, but programs do not see it as data; they see only that it replaces or completes their data.
    mutating func commitPart(_ stored: StoredResponse, _ record: LoadRecord) {
        let former = variants.find(stored.partition, stored.selection)
        let joined = former.flatMap { stored.joined(inOrderWith: $0, configuration.caching) }
        if let former, joined == nil {
            // There are too many parts of it.
            if former.extent != nil, former.hasSameRepresentation(as: stored) { return }
            guard former.loadNumber < record.number, let extent = stored.extent,
                former.obstacle(to: extent, stored.metadata, at: context.now) == nil
            else { return }
        }
        let isAlone = former == nil && variants.lookUp == .known
        let otherParts: StoredRecord.OtherParts =
            isAlone ? .unchanged : former == nil || joined != nil ? .joined : .replaced
        let shown = state.latestResponse
        insert(joined ?? stored)
        decider.state.activity?.outcomes.forget(record.cause, decider.context)
        for addition in stored.additions(to: joined == nil ? nil : former, configuration.caching) {
            effects.operations.append(.commit(addition, otherParts, since: record.purgeCount))
        }
        let latest = state.latestResponse
        guard latest !== shown else { return }
        emit(.newData(latest == nil ? .wipe : .cache))
    }

    // MARK: Failed

    /// The exchange failed, before its head or amid its content.
    mutating func fail(_ record: LoadRecord, _ failure: ExchangeFailure) {
        let error = ResourceError(failure, time: context.now)
        let isCancelled = failure.kind == .cancelled
        for waiting in record.waiting {
            let result = failure.loadFailure.map { reason in
                decider.result(for: waiting.request, error, reason, isRemembered: failure.wasNotSent)
            }
            effects.results.append(WaiterResult(waiting.waiter, result ?? .failure(error)))
        }
        complete(record, isCancelled ? .cancelled : .failure(error))
        reportEnd(of: record)
        guard !record.isDetached else { return }
        PartLoads.keepPart(of: record, failing: failure, in: &self)
        if isCancelled { return emitEnd(.requestCancelled, of: record.cause) }
        // An origin that broke the protocol can be reached: it is asked again.
        // A request that was not sent shows nothing new of the origin.
        let isReachable = failure.kind == .protocolError || failure.wasNotSent
        if record.received == nil, failure.isNetworkLevel, !isReachable { remember(error, of: record.cause) }
        if record.cause.reportsToObservers { show(LatestError(error, context)) }
    }

    /// The content could not be redacted: nothing of it is kept, and no load repeats that for a while.
    mutating func failRedaction(_ number: UInt64, _ error: ResourceError) {
        end(number) { transition, record in
            transition.effects.extra.cancelledLoads.append(record.load)
            for waiting in record.waiting {
                transition.effects.results.append(WaiterResult(waiting.waiter, .failure(error)))
            }
            transition.complete(record, .failure(error))
            transition.reportEnd(of: record)
            guard !record.isDetached else { return }
            if error.transformation != nil { transition.remember(error, of: record.cause) }
            if record.cause.reportsToObservers { transition.show(LatestError(error, transition.context)) }
        }
    }

    /// The resource ends: nothing refers to it, and its service is gone.
    mutating func endResource() {
        effects.extra.isEnd = true
        effects.left += variants.takeAll()
        let records = state.loads.records
        for record in records {
            effects.extra.cancelledLoads.append(record.load)
            effects.extra.cancelledCallers += record.callers
        }
        let failure = ExchangeFailure(.cancelled, "the service was dropped while the request waited")
        let error = ResourceError(failure, time: context.now)
        for waiting in state.waitingForLookUp + records.flatMap(\.waiting) {
            effects.results.append(WaiterResult(waiting.waiter, .failure(error)))
        }
        add(state.activity?.value.program?.value.end())
    }
}

extension ExchangeFailure {
    /// What the failure means for stale content; nil if none may stand in.
    fileprivate var loadFailure: LoadFailure? {
        if let pausedBy { return .status(pausedBy) }
        return isNetworkLevel ? .network : nil
    }
}
