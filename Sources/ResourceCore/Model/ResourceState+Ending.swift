import Exchanges
import HTTPCaching
import HTTPCore
import Synchronization
import Transforms

/// How loads over exchanges end.
extension ResourceState {
    /// The response is complete, and its content in the form in which it is stored; nil: it is not.
    mutating func finalize(
        _ number: UInt64,
        _ body: RecordBody?,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        guard let record = load(number), let cause = record.exchange, let arrival = record.arrival else { return }
        var stored = body.flatMap {
            StoredResponse.loaded(arrival, cause, $0, context.resource, context.configuration.caching)
        }
        if let made = stored, arrival.effective !== context.effective {
            // Configured otherwise since the head came.
            stored = made.judged(context)
            if stored.map({ !$0.mayStay(context) }) ?? true { arrival.refuse() }
        }
        finish(record, cause, arrival, stored, context, &effects)
    }

    /// The response is complete.
    ///
    /// `stored` is what is to be kept of it: for everybody whom `arrival.partition` allows, or, if that is nil, for
    /// `latestResponse` alone.
    private mutating func finish(
        _ record: LoadRecord,
        _ cause: ExchangeCause,
        _ arrival: LoadRecord.Arrival,
        _ stored: StoredResponse?,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        end(record, &effects)
        let status = arrival.response.status
        let error = status >= 400 ? ResourceError(status: status, time: context.now) : nil
        if !record.requests.isEmpty {
            effects.completions += record.requests.map { ($0, error.map { .failure($0) } ?? .newData(stored)) }
        }
        reportEnd(of: record, &effects)
        guard !record.isDetached else { return show(&effects) }
        if arrival.partition != nil, let stored {
            if stored.extent == nil {
                commit(stored, record, cause, context, &effects)
            } else {
                commitPart(stored, record, context, &effects)
            }
        } else if !cause.reportsToObservers {
            show(&effects)
        } else {
            supersede(record, cause, status, &effects)
            if let error { return fail(error, context, &effects) }
            if cause.isModel, let stored { retained = stored }
            succeed(record, context)
            emitActivity(.newData(.network), context, &effects)
        }
    }

    private mutating func commit(
        _ stored: StoredResponse,
        _ record: LoadRecord,
        _ cause: ExchangeCause,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        // A result older than what is held changes nothing (S-256); the load has ended all the same (S-095).
        guard isNews(stored, record) else {
            return emitEnd(.requestCancelled, of: cause, context, &effects)
        }
        insert(stored, context, &effects)
        succeed(record, context)
        soloUntil = nil
        emit(.newData(.network), context, &effects)
        operations.append(.commit(stored))
    }

    /// Whether what a load brought is newer than what is held; or the whole of which a part came meanwhile.
    private func isNews(_ stored: StoredResponse, _ record: LoadRecord) -> Bool {
        guard let held = variant(stored.partition, stored.selection) else { return true }
        if held.loadNumber < record.number { return true }
        return held.extent != nil && stored.extent == nil && held.metadata.hasSameStrongTag(as: stored.metadata)
    }

    /// A part is kept, but is no data of the model's: nobody observes it, but that it takes the place of data.
    private mutating func commitPart(
        _ stored: StoredResponse,
        _ record: LoadRecord,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        if let held = variant(stored.partition, stored.selection) {
            guard held.loadNumber < record.number, let extent = stored.extent,
                held.obstacle(to: extent, stored.metadata, at: context.now) == nil
            else { return show(&effects) }
        }
        let shown = latestResponse
        insert(stored, context, &effects)
        forgetFailures(like: record, context)
        operations.append(.commit(stored))
        guard latestResponse !== shown else { return show(&effects) }
        emit(.newData(latestResponse == nil ? .wipe : .cache), context, &effects)
    }

    /// The origin no longer lets us keep what it let us keep before.
    private mutating func supersede(
        _ record: LoadRecord,
        _ cause: ExchangeCause,
        _ status: UInt16,
        _ effects: inout Effects
    ) {
        guard Self.endsOthers(status) else { return }
        if let old = cause.offered.first, old.loadNumber < record.number { remove(old, &effects) }
        isInvalidated = variants.contains { $0.isInvalidated }
    }

    /// Whether a response with this status says that what is held is no more.
    static func endsOthers(_ status: UInt16) -> Bool { status < 400 || status == 404 || status == 410 }

    /// A load succeeded: what failed the same way before is forgotten.
    mutating func succeed(_ record: LoadRecord, _ context: ResourceContext) {
        error = nil
        errorLimitsRetries = false
        held = nil
        forgetFailures(like: record, context)
    }

    private mutating func forgetFailures(like record: LoadRecord, _ context: ResourceContext) {
        guard !failures.isEmpty, let cause = record.exchange else { return }
        let selection = cause.selection(context)
        failures.removeAll { $0.partitions == cause.request.partitions && $0.selection == selection }
    }

    private mutating func fail(_ failure: ResourceError, _ context: ResourceContext, _ effects: inout Effects) {
        error = LatestError(failure, at: context.timestamp)
        errorLimitsRetries = true
        emit(.error, context, &effects)
    }

    /// The exchange failed, before its head or amid its content.
    mutating func fail(
        _ number: UInt64,
        _ failure: ExchangeFailure,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        guard let record = load(number), let cause = record.exchange else { return }
        end(record, &effects)
        let error = ResourceError(failure, time: context.now)
        let isCancelled = failure.kind == .cancelled
        let reason = failure.loadFailure
        for waiter in record.waiters where !waiter.isCancelled {
            let reply = reason.map { reason in
                answer(waiter.request, to: error, after: reason, isRemembered: failure.wasNotSent, context)
            }
            effects.replies.append(Reply(waiter, reply ?? .failure(error)))
        }
        effects.completions += record.requests.map { ($0, isCancelled ? .cancelled : .failure(error)) }
        reportEnd(of: record, &effects)
        guard !record.isDetached else { return show(&effects) }
        if isCancelled { return emitEnd(.requestCancelled, of: cause, context, &effects) }
        // An answer that broke the protocol came from an origin that can be reached: it is asked again.
        // What was not even tried is known of the origin already.
        let isReachable = failure.kind == .protocolError || failure.wasNotSent
        if record.arrival == nil, failure.isNetworkLevel, !isReachable {
            remember(error, of: cause, context, &effects)
        }
        if cause.reportsToObservers { fail(error, context, &effects) } else { show(&effects) }
    }

    /// Notes how a load ended; some never began, as far as observers know.
    mutating func emitEnd(
        _ event: ResourceEvent,
        of cause: ExchangeCause,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        if cause.reportsToObservers { emit(event, context, &effects) } else { show(&effects) }
    }

    /// The content could not be redacted: nothing of it is kept, and nobody asks again for a while.
    mutating func failRedaction(
        _ number: UInt64,
        _ error: ResourceError,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        guard let record = load(number), let cause = record.exchange else { return }
        end(record, &effects)
        effects.cancels.append(cause.load)
        effects.replies += record.waiters.map { Reply($0, .failure(error)) }
        effects.completions += record.requests.map { ($0, .failure(error)) }
        reportEnd(of: record, &effects)
        guard !record.isDetached else { return show(&effects) }
        if error.transformation != nil { remember(error, of: cause, context, &effects) }
        if cause.reportsToObservers { fail(error, context, &effects) } else { show(&effects) }
    }

    /// A pipeline failed on what is held: that stays, and is loaded no less often.
    mutating func failRendition(_ failure: ResourceError, _ context: ResourceContext, _ effects: inout Effects) {
        error = LatestError(failure, at: context.timestamp)
        emit(.error, context, &effects)
    }

    // MARK: Interest

    /// A request has left.
    mutating func leave(_ waiter: Waiter, _ context: ResourceContext, _ effects: inout Effects) {
        guard let record = load(waiter.loadNumber) else { return }
        if let waiting = record.leave(waiter) { effects.released.append(waiting) }
        reconsider(record, context, &effects)
    }

    /// Ends a load nobody wants any more, unless going on fills the store for little (H-150).
    mutating func reconsider(_ number: UInt64, _ context: ResourceContext, _ effects: inout Effects) {
        if let record = load(number) { reconsider(record, context, &effects) }
    }

    mutating func reconsider(_ record: LoadRecord, _ context: ResourceContext, _ effects: inout Effects) {
        guard let cause = record.exchange else { return }
        if record.hasInterest {
            record.abandonedUntil = nil
            if let body = record.unreadBody { effects.unread.append(body) }
            return
        }
        if cause.isBackground, record.mayBeStored, record.arrival == nil || !cause.refreshesPart { return }
        if record.arrival == nil, !observers.isEmpty, record.isActive { return }
        let until = record.abandonedUntil ?? context.now + context.configuration.fillTime
        if let arrival = record.arrival, isWorthFinishing(arrival, record, until, context) {
            record.abandonedUntil = until
            cause.load.isAbandoned.store(true, ordering: .relaxed)
            return
        }
        abandon(record, cause, context, &effects)
    }

    private mutating func abandon(
        _ record: LoadRecord,
        _ cause: ExchangeCause,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        end(record, &effects)
        effects.cancels.append(cause.load)
        reportEnd(of: record, &effects)
        if record.isDetached { return show(&effects) }
        emitEnd(.requestCancelled, of: cause, context, &effects)
    }

    /// Those that followed get the rest elsewhere, and nobody else can have the content: only a program that waits for its
    /// end keeps the load.
    mutating func desert(_ number: UInt64, _ context: ResourceContext, _ effects: inout Effects) {
        guard let record = load(number), let cause = record.exchange, let body = record.arrival?.response.growing else {
            return
        }
        if record.requests.isEmpty {
            abandon(record, cause, context, &effects)
        } else {
            effects.unread.append(body)
        }
    }

    private func isWorthFinishing(
        _ arrival: LoadRecord.Arrival,
        _ record: LoadRecord,
        _ until: MonotonicTime,
        _ context: ResourceContext
    ) -> Bool {
        if arrival.response.isComplete { return true }
        guard context.now < until else { return false }
        let received = arrival.response.growing?.received ?? 0
        guard record.mayBeStored else {
            // Reading a little to the end keeps the connection.
            return arrival.response.contentLength.map { $0 <= 64 * 1024 } ?? false
        }
        guard let length = arrival.response.contentLength else {
            return received < context.configuration.fillRemainder
        }
        let (share, overflow) = length.multipliedReportingOverflow(by: context.configuration.fillPercent)
        return length - received < context.configuration.fillRemainder
            || (!overflow && received >= share / 100)
    }
}

extension ExchangeFailure {
    /// What it means for stale content; nil if that must not stand in.
    fileprivate var loadFailure: LoadFailure? {
        if let pausedBy { return .status(pausedBy) }
        return isNetworkLevel ? .network : nil
    }
}
