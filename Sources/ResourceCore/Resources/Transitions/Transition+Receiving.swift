import Exchanges
import HTTPCaching
import HTTPCore
import Outcomes

/// Heads of responses to loads.
extension Transition {
    /// A final head other than 304 has come: waiting requests follow it, get stale content or move elsewhere.
    ///
    /// - Returns: whether the response will be stored; nil if the load has ended.
    mutating func receive(_ head: ReceivedHead, from number: UInt64) -> Storability? {
        guard let index = decider.state.activity?.loads.index(of: number) else { return nil }
        let head = decider.state.variants.refusingObsoletePart(head, at: decider.context.now)
        if let partition = head.partition,
            let former = decider.state.variants.find(partition, head.selection)?.knownRenditions
        {
            head.response.renditions.succeed(former)
        }
        let since = state.loads.records[index].purgeCount
        let isPurged = head.partition != nil && state.isPurged(head.response.fields, since: since, in: resource)
        if isPurged { state.ongoing.loads.detach(at: index) }
        let (cause, leader, isDetached, waiting) = state.ongoing.loads.receive(head, at: index)
        let status = head.response.status
        // From here on it is as if nothing had been stored: requests for ranges are decided about anew.
        let endsParts = !isDetached && status.endsFormerResponses && PartLoads.end(cause.offered.first, in: &self)
        let isAwaited = endsParts || cause.isRanged && waiting.contains { $0.id != leader }
        let arrangement = isDetached ? nil : PartLoads.arrange(head, cause, number, isAwaited, in: &self)
        if status < 400 || head.partition != nil { variants.note(head.response.metadata.vary) }
        var moved = TinyArray<WaitingRequest>()
        waiting.forEach { waiting in
            let isLeader = waiting.id == leader
            if endsParts, waiting.request.directives.hasRange {
                moved.append(waiting)
            } else if let result = decider.replacement(for: waiting.request, status, cause) {
                effects.results.append(WaiterResult(waiting.waiter, result))
            } else if isLeader || !isPurged && head.mayShare(with: waiting.request, of: cause, context) {
                let response = isLeader ? head.own ?? head.response : head.response
                let outcome = state.ongoing.loads.follow(waiting.id, at: index, isLeader: isLeader)
                let result = PartLoads.result(
                    for: waiting.request,
                    response,
                    arrangement,
                    isHole: cause.hole != nil,
                    outcome
                )
                effects.results.append(WaiterResult(waiting.waiter, result))
            } else if case .leaderOnly = head.sharing, status >= 500 {
                // Another attempt would most likely end the same way: the origin is spared so many at once (H-151).
                effects.results.append(
                    WaiterResult(waiting.waiter, .failure(ResourceError(unshared: head.response, context)))
                )
            } else {
                moved.append(waiting)
            }
        }
        let (now, hitForMissTime) = (decider.context.now, decider.context.configuration.hitForMissTime)
        let recheck = decider.state.ongoing.outcomes.note(
            head.sharing,
            hasMoved: !moved.isEmpty && arrangement == nil,
            for: hitForMissTime,
            at: now
        )
        if let recheck { effects.recheckAfter = min(effects.recheckAfter ?? recheck, recheck) }
        if !isDetached, let (error, pause) = head.response.errorToRemember(decider.context) {
            remember(error, of: cause, pause: pause)
        }
        if !moved.isEmpty { move(moved) }
        if arrangement?.isNeedless ?? false { PartLoads.endNeedless(number, in: &self) }
        reconsider(number)
        return head.storability
    }

    // MARK: Not modified

    /// A 304 has come from load `number`.
    mutating func receiveNotModified(_ head: ResponseHead, from number: UInt64) {
        guard let cause = state.loads.cause(of: number)?.cause else { return }
        if cause.offered.isEmpty {
            let failure = ExchangeFailure(.protocolError, "the origin answered 304 to a request without conditions")
            return end(number) { $0.fail($1, failure) }
        }
        guard case .freshens(let offer) = Freshening.match(head.fields, offered: cause.offered.map(\.metadata)),
            cause.offered.indices.contains(offer)
        else { return end(number) { $0.reload($1) } }
        end(number) { transition, record in
            let offered = cause.offered[offer]
            // Other bytes of it may have come meanwhile.
            let present = transition.variants.find(offered.partition, offered.selection)
            let former = present.flatMap { $0.hasSameRepresentation(as: offered) ? $0 : nil } ?? offered
            let result = former.freshened(by: head, cause, number, transition.context)
            let moved = transition.serve(record, result)
            transition.complete(record, .notModified(result.forAll))
            transition.reportEnd(of: record)
            if !record.isDetached { transition.keep(result, replacing: former, record) }
            transition.move(moved)
        }
    }

    /// Serves requests that waited for a validation; returns those that cannot use the response.
    private mutating func serve(_ record: LoadRecord, _ result: FreshenedResponse) -> TinyArray<WaitingRequest> {
        let cause = record.cause
        let plan = cause.plan
        var outcome = CacheOutcome(isHit: false, forward: plan.forward, forwardStatus: 304, detail: plan.reason)
        outcome.isStored = result.fate == .replace && !record.isDetached
        // Requests joined by fewer names than the response's Vary has; they may differ in the others (C-11.1).
        let freshened = result.forAll
        let vary = freshened.metadata.vary
        let selection = context.selection(vary, cause.request.fields)
        var moved = TinyArray<WaitingRequest>()
        for waiting in record.waiting {
            outcome.isCollapsed = waiting.id != record.leader
            let mayUseIt = result.isForAll && context.selection(vary, waiting.request.fields) == selection
            if outcome.isCollapsed && !mayUseIt || !freshened.answers(waiting.request, context) {
                moved.append(waiting)
            } else {
                effects.results.append(
                    WaiterResult(waiting.waiter, .stored(outcome.isCollapsed ? freshened : result.forLeader, outcome))
                )
            }
        }
        return moved
    }

    private mutating func keep(
        _ result: FreshenedResponse,
        replacing former: StoredResponse,
        _ record: LoadRecord
    ) {
        switch result.fate {
        case .keepUnchanged: break
        case .remove:
            if variants.find(former.partition, former.selection)?.isSame(as: former) ?? false { remove(former) }
        case .replace
        where variants.mayReplace(former.partition, former.selection, by: record.number, isPart: former.extent != nil)
            && !state.isPurged(result.forAll.fields, since: record.purgeCount, in: resource):
            insert(result.forAll)
            effects.operations.append(.freshen(result.forAll, since: record.purgeCount))
        case .replace: break
        }
        succeed(record.cause)
        state.activity?.outcomes.endHitForMiss()
        emit(.notModified)
    }

    /// Loads everything without conditions: the 304 is about nothing stored, or the rest fits nothing (C-21.6, S-098).
    mutating func reload(_ record: LoadRecord) {
        let cause = record.cause
        if let part = cause.part { return PartLoads.abandon(part, record, in: &self) }
        // The next request would only meet the same.
        if let part = cause.prefix ?? (cause.refreshesPart ? cause.offered.first : nil) { remove(part) }
        guard configuration.mode.mayLoad, record.hasInterest || !cause.refreshesPart else {
            // It ends without a result: waiting requests are decided about anew.
            complete(record, .failure(ResourceError(notAskedIn: configuration.mode, time: context.now)))
            reportEnd(of: record)
            if !record.isDetached { emitEnd(.requestCancelled, of: cause) }
            return move(record.waiting)
        }
        let former = cause.plan
        let plan = LoadPlan(forward: former.forward, isHitForMiss: former.isHitForMiss, reason: former.reason)
        let next = startLoad(
            plan,
            for: cause.request,
            isBackground: cause.isBackground && !cause.refreshesPart,
            keepsUncacheable: cause.keepsUncacheable
        )
        let load = state.activity?.loads.change(next) { successor in
            successor.succeed(record)
            return successor.load
        }
        if let load { for caller in record.callers { effects.extra.followed.append((caller, load)) } }
    }

    // MARK: HEAD

    /// A response to HEAD shows whether the stored response is still what a GET would bring (C-21.7).
    mutating func receiveHead(_ head: ResponseHead, for request: ClientRequest) {
        guard let stored = variants.matches(request, context).first, !stored.isLocal else { return }
        // A response received since the HEAD was sent is newer (S-256).
        guard stored.receivedAt <= request.arrival else { return }
        switch Freshening.match(head: head.status, head.fields, stored: stored.metadata, stored.fields) {
        case .ignored:
            return
        case .freshens:
            let (freshened, fate) = stored.freshened(
                by: head,
                request,
                sentAt: request.arrival,
                number: stored.loadNumber,
                context
            )
            guard fate == .replace else { return }
            insert(freshened)
            effects.operations.append(.freshen(freshened))
            emit(.notModified)
        case .contradicts:
            let marked = stored.invalidated
            insert(marked)
            effects.operations.append(.freshen(marked))
        }
    }
}

extension UInt16 {
    /// Whether a response with this status ends the use of stored ones.
    var endsFormerResponses: Bool { self < 400 || self == 404 || self == 410 }
}

extension LoadedResponse {
    /// The error that requests get for a while instead of the same load, and the pause that the origin asked for.
    ///
    /// A 5xx without a lifetime is remembered for the retry time (S-071). If it has caching fields or a validator, RFC
    /// 9111 alone decides. A 429 or 503 may always ask for a pause; a delay is never made up (C-25.3).
    fileprivate func errorToRemember(_ context: ResourceContext) -> (error: ResourceError, pause: Duration?)? {
        let status = metadata.status
        let pause = context.configuration.policies.pause(status, fields, at: context.wallNow)
        guard pause != nil || status >= 500 && !metadata.saysAnythingAboutCaching else { return nil }
        return (ResourceError(status: status, time: context.now), pause)
    }
}
