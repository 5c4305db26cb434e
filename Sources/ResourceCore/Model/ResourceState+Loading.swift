import Exchanges
import HTTPCaching
import HTTPCore
import Synchronization

/// What loads bring.
extension ResourceState {
    // MARK: The head

    /// The requests to which an interim head goes.
    func waiters(of number: UInt64) -> TinyArray<Waiter> {
        load(number)?.waiters ?? []
    }

    /// A final head other than 304 has come: some follow it, some are served stale, the others go elsewhere.
    ///
    /// - Returns: whether it is going to be stored, beside what is held; nil if nobody waits for it.
    mutating func receive(
        _ arrival: LoadRecord.Arrival,
        _ sharing: Sharing,
        from number: UInt64,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) -> Storability? {
        guard let record = load(number), let cause = record.exchange else { return nil }
        judge(arrival, context)
        record.arrival = arrival
        if let partition = arrival.partition, let former = variant(partition, arrival.selection)?.knownRenditions {
            arrival.response.renditions.succeed(former)
        }
        let waiters = record.takeWaiters()
        let status = arrival.response.status
        if status < 400 || arrival.partition != nil {
            let names = arrival.response.metadata.vary
            vary = names.isAny ? nil : names
        }
        var moved = TinyArray<Waiter>()
        waiters.forEach { waiter in
            let key = ObjectIdentifier(waiter)
            let isLeader = key == record.leader
            if let answer = replacement(for: waiter.request, status, cause, context) {
                effects.replies.append(Reply(waiter, answer))
            } else if isLeader || mayShare(arrival, sharing, cause, waiter.request, context) {
                record.follow(key)
                let response = isLeader ? arrival.own ?? arrival.response : arrival.response
                let outcome = record.outcome(cause, isCollapsed: !isLeader)
                effects.replies.append(Reply(waiter, .following(response, outcome)))
            } else if case .leaderOnly = sharing, status >= 500 {
                // Another attempt would most likely end the same way: so many at once are none of the origin's (H-151).
                effects.replies.append(Reply(waiter, .failure(unshared(arrival.response, context))))
            } else {
                moved.append(waiter)
            }
        }
        noteSharing(sharing, arrival, hasMoved: !moved.isEmpty, context, &effects)
        if !record.isDetached { noteServerError(arrival.response, cause, context, &effects) }
        move(moved, context, &effects)
        if !moved.isEmpty { effects.released.append(moved) }
        if cause.refreshesPart, !record.isDetached, Self.endsOthers(status), let part = cause.offered.first {
            remove(part, &effects)
            show(&effects)
        }
        reconsider(record, context, &effects)
        return arrival.storability
    }

    /// What a waiting request gets instead of a response: stale content for an error, or leave to ask for its range.
    private func replacement(
        for request: ClientRequest,
        _ status: UInt16,
        _ cause: ExchangeCause,
        _ context: ResourceContext
    ) -> CacheResult? {
        if status >= 500, let stale = stale(for: request, after: .status(status), isRemembered: false, context) {
            return stale
        }
        return request.directives.hasRange && !cause.isRanged ? .pass(.range) : nil
    }

    /// What a request gets that waited for an answer which is a failure, and another one's alone (C-23.0).
    private func unshared(_ response: LoadedResponse, _ context: ResourceContext) -> ResourceError {
        var error = ResourceError(
            status: 503,
            kind: nil,
            userMessage: "the origin answered \(response.status) to the request that this one waited for, and lets "
                + "nobody share that answer; ask again after the time in Retry-After",
            time: context.now
        )
        let pause = context.configuration.policies.pause(
            response.status,
            response.fields,
            at: context.wallNow
        )
        error.retryAfter = pause ?? context.configuration.retryTime
        error.receivedStatus = response.status
        error.isOfAnother = true
        return error
    }

    /// A part that must not take the place of what is held is stored nowhere.
    private func judge(_ arrival: LoadRecord.Arrival, _ context: ResourceContext) {
        guard let extent = arrival.extent, !extent.isWhole, let partition = arrival.partition,
            let held = variant(partition, arrival.selection),
            let obstacle = held.obstacle(to: extent, arrival.response.metadata, at: context.now)
        else { return }
        arrival.refuse(obstacle)
    }

    private func mayShare(
        _ arrival: LoadRecord.Arrival,
        _ sharing: Sharing,
        _ cause: ExchangeCause,
        _ request: ClientRequest,
        _ context: ResourceContext
    ) -> Bool {
        switch sharing {
        case .leaderOnly:
            return false
        case .sameCredential:
            guard cause.request.partitions.credential == request.partitions.credential else { return false }
        case .sameCookies:
            guard cause.request.partitions.own == request.partitions.own else { return false }
        case .everyone:
            break
        }
        return Self.selection(arrival.response.metadata.vary, request.fields, context) == arrival.selection
    }

    private mutating func noteSharing(
        _ sharing: Sharing,
        _ arrival: LoadRecord.Arrival,
        hasMoved: Bool,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        if case .leaderOnly = sharing {
            guard hasMoved else { return }
            let time = context.configuration.hitForMissTime
            soloUntil = context.now + time
            effects.recheckAfter = min(effects.recheckAfter ?? time, time)
        } else {
            soloUntil = nil
        }
    }

    /// A 5xx without a lifetime of its own is remembered for the retry time (S-071).
    ///
    /// One that says anything about caching, or has a validator, is no failure that fell out of the origin but an answer
    /// it made: RFC 9111 alone decides about it. With a 429 or 503 the origin may ask to be left alone for a while, whatever
    /// else it says; a delay is never made up (C-25.3).
    private mutating func noteServerError(
        _ response: LoadedResponse,
        _ cause: ExchangeCause,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        let metadata = response.metadata
        let policies = context.configuration.policies
        if let pause = policies.pause(metadata.status, response.fields, at: context.wallNow) {
            let error = ResourceError(status: metadata.status, time: context.now)
            return remember(error, of: cause, pause: pause, context, &effects)
        }
        guard metadata.status >= 500, !metadata.saysAnythingAboutCaching else { return }
        remember(ResourceError(status: metadata.status, time: context.now), of: cause, context, &effects)
    }

    /// Sends requests elsewhere: to another load, or to one of their own.
    mutating func move(_ waiters: TinyArray<Waiter>, _ context: ResourceContext, _ effects: inout Effects) {
        for waiter in waiters where !waiter.isCancelled {
            waiter.loadNumber = 0
            if !waiter.mayMove(), context.configuration.mode.mayLoad {
                let plan = LoadPlan(forward: .miss, isSolo: true)
                let number = startLoad(plan, for: waiter.request, isBackground: false, context, &effects)
                waiter.loadNumber = number
                if let record = load(number) {
                    record.leader = ObjectIdentifier(waiter)
                    record.wait(waiter)
                }
            } else if let answer = place(waiter.request, { waiter }, context, &effects) {
                effects.replies.append(Reply(waiter, answer))
            }
        }
    }

    // MARK: Not modified

    /// A 304 has come, whose fields make `freshened` of the response it is about.
    /// - Parameters:
    ///   - own: the same as the request that caused the load gets it.
    ///   - fate: what becomes of the one that is stored.
    ///   - isForAll: whether all who wait may have it; else it is for the request that caused the load, as a whole
    ///     response would be (C-23.0).
    mutating func receiveNotModified(
        _ freshened: StoredResponse,
        forLeader own: StoredResponse,
        replacing old: StoredResponse,
        _ fate: FresheningFate,
        isForAll: Bool,
        from number: UInt64,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        guard let record = load(number), let cause = record.exchange else { return }
        end(record, &effects)
        var outcome = CacheOutcome(isHit: false, forward: cause.forward, forwardStatus: 304, detail: cause.reason)
        outcome.isStored = fate == .replace && !record.isDetached
        var moved = TinyArray<Waiter>()
        // What was joined by fewer names than the response's Vary has may differ in the others (C-11.1).
        let vary = freshened.metadata.vary
        let selection = Self.selection(vary, cause.request.fields, context)
        for waiter in record.waiters where !waiter.isCancelled {
            outcome.isCollapsed = ObjectIdentifier(waiter) != record.leader
            let isForIt = isForAll && Self.selection(vary, waiter.request.fields, context) == selection
            if outcome.isCollapsed && !isForIt || !freshened.answers(waiter.request, context) {
                moved.append(waiter)
            } else {
                effects.replies.append(Reply(waiter, .stored(outcome.isCollapsed ? freshened : own, outcome)))
            }
        }
        effects.completions += record.requests.map { ($0, .notModified(freshened)) }
        reportEnd(of: record, &effects)
        if record.isDetached {
            show(&effects)
        } else {
            keep(freshened, replacing: old, fate, record, context, &effects)
        }
        move(moved, context, &effects)
    }

    private mutating func keep(
        _ freshened: StoredResponse,
        replacing old: StoredResponse,
        _ fate: FresheningFate,
        _ record: LoadRecord,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        let current = variant(old.partition, old.selection)
        switch fate {
        case .keepUnchanged: break
        case .remove: if let current, current.isSame(as: old) { remove(current, &effects) }
        case .replace where (current?.loadNumber ?? 0) <= record.number:
            insert(freshened, context, &effects)
            operations.append(.freshen(freshened))
        case .replace: break
        }
        succeed(record, context)
        soloUntil = nil
        emit(.notModified, context, &effects)
    }

    /// A 304 that is about nothing we hold, or a rest that does not fit what is: everything once more without conditions
    /// (C-21.6, S-098), if the origin may still be asked.
    mutating func reload(_ number: UInt64, _ context: ResourceContext, _ effects: inout Effects) {
        guard let record = load(number), let cause = record.exchange else { return }
        end(record, &effects)
        // It would only cost the next request the same.
        if let part = cause.prefix ?? (cause.refreshesPart ? cause.offered.first : nil) { remove(part, &effects) }
        guard context.configuration.mode.mayLoad, record.hasInterest || !cause.refreshesPart else {
            return giveUp(record, cause, context, &effects)
        }
        let plan = LoadPlan(forward: cause.forward, isSolo: cause.isSolo, reason: cause.reason)
        let next = startLoad(
            plan,
            for: cause.request,
            isBackground: cause.isBackground && !cause.refreshesPart,
            isModel: cause.isModel,
            context,
            &effects
        )
        guard let successor = load(next) else { return }
        successor.isDetached = record.isDetached
        successor.leader = record.leader
        successor.waiters = record.waiters
        successor.requests = record.requests
        successor.lendProgress()
        for waiter in record.waiters { waiter.loadNumber = next }
    }

    /// A load that has been taken out ends without a result: who waits gets what there is for requests now.
    private mutating func giveUp(
        _ record: LoadRecord,
        _ cause: ExchangeCause,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        let error = ResourceError(notAskedIn: context.configuration.mode, time: context.now)
        effects.completions += record.requests.map { ($0, .failure(error)) }
        reportEnd(of: record, &effects)
        if record.isDetached {
            show(&effects)
        } else {
            emitEnd(.requestCancelled, of: cause, context, &effects)
        }
        move(record.waiters, context, &effects)
    }

    /// A response to HEAD tells whether the stored response is still what a GET would bring (C-21.7).
    mutating func receiveHead(
        _ head: ResponseHead,
        for request: ClientRequest,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        guard let stored = matches(request, context).first, !stored.isLocal else { return }
        // What has come since the HEAD was sent knows better (S-256).
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
            insert(freshened, context, &effects)
            operations.append(.freshen(freshened))
            emit(.notModified, context, &effects)
        case .contradicts:
            let marked = stored.invalidated
            insert(marked, context, &effects)
            operations.append(.freshen(marked))
            show(&effects)
        }
    }
}
