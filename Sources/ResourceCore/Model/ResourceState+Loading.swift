import Exchanges
import HTTPCaching
import HTTPCore
import Synchronization

/// What loads bring.
extension ResourceState {
    // MARK: The head

    /// The requests to which an interim head goes.
    func waiters(of number: UInt64) -> Few<Attendance> {
        load(number)?.waiters ?? []
    }

    /// A final head other than 304 has come: some follow it, some are served stale, the others go elsewhere.
    ///
    /// - Returns: whether it is going to be stored, beside what is held; nil if nobody waits for it.
    mutating func receive(
        _ arrival: LoadRecord.Arrival,
        _ sharing: Sharing,
        from number: UInt64,
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) -> Storability? {
        guard let record = load(number), let cause = record.exchange else { return nil }
        judge(arrival, circumstances)
        record.arrival = arrival
        if let partition = arrival.partition, let former = variant(partition, arrival.selection)?.knownForms {
            arrival.response.forms.succeed(former)
        }
        let waiters = record.takeWaiters()
        let status = arrival.response.status
        if status < 400 || arrival.partition != nil {
            let names = arrival.response.metadata.vary
            vary = names.isAny ? nil : names
        }
        var moved = Few<Attendance>()
        waiters.forEach { attendance in
            let key = ObjectIdentifier(attendance)
            let isLeader = key == record.leader
            if let answer = replacement(for: attendance.request, status, cause, circumstances) {
                effects.replies.append(Reply(attendance, answer))
            } else if isLeader || mayShare(arrival, sharing, cause, attendance.request, circumstances) {
                record.follow(key)
                let response = isLeader ? arrival.own ?? arrival.response : arrival.response
                let outcome = record.outcome(cause, isCollapsed: !isLeader)
                effects.replies.append(Reply(attendance, .following(response, outcome)))
            } else if case .leaderOnly = sharing, status >= 500 {
                // Another attempt would most likely end the same way: so many at once are none of the origin's (H-151).
                effects.replies.append(Reply(attendance, .failure(unshared(arrival.response, circumstances))))
            } else {
                moved.append(attendance)
            }
        }
        noteSharing(sharing, arrival, hasMoved: !moved.isEmpty, circumstances, &effects)
        if !record.isDetached { noteServerError(arrival.response, cause, circumstances, &effects) }
        move(moved, circumstances, &effects)
        if !moved.isEmpty { effects.released.append(moved) }
        if cause.refreshesPart, !record.isDetached, Self.endsOthers(status), let part = cause.offered.first {
            remove(part, &effects)
            show(&effects)
        }
        reconsider(record, circumstances, &effects)
        return arrival.storability
    }

    /// What a waiting request gets instead of a response: stale content for an error, or leave to ask for its range.
    private func replacement(
        for request: ClientRequest,
        _ status: UInt16,
        _ cause: ExchangeCause,
        _ circumstances: Circumstances
    ) -> Answer? {
        if status >= 500, let stale = stale(for: request, after: .status(status), isRemembered: false, circumstances) {
            return stale
        }
        return request.directives.hasRange && !cause.isRanged ? .pass(.range) : nil
    }

    /// What a request gets that waited for an answer which is a failure, and another one's alone (C-23.0).
    private func unshared(_ response: LoadedResponse, _ circumstances: Circumstances) -> ResourceError {
        var error = ResourceError(
            status: 503,
            kind: nil,
            userMessage: "the origin answered \(response.status) to the request that this one waited for, and lets "
                + "nobody share that answer; ask again after the time in Retry-After",
            time: circumstances.now
        )
        let pause = circumstances.configuration.policies.pause(
            response.status,
            response.fields,
            at: circumstances.wallNow
        )
        error.retryAfter = pause ?? circumstances.configuration.retryTime
        error.receivedStatus = response.status
        error.isOfAnother = true
        return error
    }

    /// A part that must not take the place of what is held is stored nowhere.
    private func judge(_ arrival: LoadRecord.Arrival, _ circumstances: Circumstances) {
        guard let extent = arrival.extent, !extent.isWhole, let partition = arrival.partition,
            let held = variant(partition, arrival.selection),
            let obstacle = held.obstacle(to: extent, arrival.response.metadata, at: circumstances.now)
        else { return }
        arrival.refuse(obstacle)
    }

    private func mayShare(
        _ arrival: LoadRecord.Arrival,
        _ sharing: Sharing,
        _ cause: ExchangeCause,
        _ request: ClientRequest,
        _ circumstances: Circumstances
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
        return Self.selection(arrival.response.metadata.vary, request.fields, circumstances) == arrival.selection
    }

    private mutating func noteSharing(
        _ sharing: Sharing,
        _ arrival: LoadRecord.Arrival,
        hasMoved: Bool,
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) {
        if case .leaderOnly = sharing {
            guard hasMoved else { return }
            let time = circumstances.configuration.hitForMissTime
            soloUntil = circumstances.now + time
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
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) {
        let metadata = response.metadata
        let policies = circumstances.configuration.policies
        if let pause = policies.pause(metadata.status, response.fields, at: circumstances.wallNow) {
            let error = ResourceError(status: metadata.status, time: circumstances.now)
            return remember(error, of: cause, pause: pause, circumstances, &effects)
        }
        guard metadata.status >= 500, !metadata.saysAnythingAboutCaching else { return }
        remember(ResourceError(status: metadata.status, time: circumstances.now), of: cause, circumstances, &effects)
    }

    /// Sends requests elsewhere: to another load, or to one of their own.
    mutating func move(_ attendances: Few<Attendance>, _ circumstances: Circumstances, _ effects: inout Effects) {
        for attendance in attendances where !attendance.isCancelled {
            attendance.loadNumber = 0
            if !attendance.mayMove(), circumstances.configuration.mode.mayLoad {
                let plan = LoadPlan(forward: .miss, isSolo: true)
                let number = startLoad(plan, for: attendance.request, isBackground: false, circumstances, &effects)
                attendance.loadNumber = number
                if let record = load(number) {
                    record.leader = ObjectIdentifier(attendance)
                    record.wait(attendance)
                }
            } else if let answer = place(attendance.request, { attendance }, circumstances, &effects) {
                effects.replies.append(Reply(attendance, answer))
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
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) {
        guard let record = load(number), let cause = record.exchange else { return }
        end(record, &effects)
        var outcome = CacheOutcome(isHit: false, forward: cause.forward, forwardStatus: 304, detail: cause.reason)
        outcome.isStored = fate == .replace && !record.isDetached
        var moved = Few<Attendance>()
        // What was joined by fewer names than the response's Vary has may differ in the others (C-11.1).
        let vary = freshened.metadata.vary
        let selection = Self.selection(vary, cause.request.fields, circumstances)
        for attendance in record.waiters where !attendance.isCancelled {
            outcome.isCollapsed = ObjectIdentifier(attendance) != record.leader
            let isForIt = isForAll && Self.selection(vary, attendance.request.fields, circumstances) == selection
            if outcome.isCollapsed && !isForIt || !freshened.answers(attendance.request, circumstances) {
                moved.append(attendance)
            } else {
                effects.replies.append(Reply(attendance, .stored(outcome.isCollapsed ? freshened : own, outcome)))
            }
        }
        effects.completions += record.requests.map { ($0, .notModified(freshened)) }
        reportEnd(of: record, &effects)
        if record.isDetached {
            show(&effects)
        } else {
            keep(freshened, replacing: old, fate, record, circumstances, &effects)
        }
        move(moved, circumstances, &effects)
    }

    private mutating func keep(
        _ freshened: StoredResponse,
        replacing old: StoredResponse,
        _ fate: FresheningFate,
        _ record: LoadRecord,
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) {
        let current = variant(old.partition, old.selection)
        switch fate {
        case .keepUnchanged: break
        case .remove: if let current, current.isSame(as: old) { remove(current, &effects) }
        case .replace where (current?.loadNumber ?? 0) <= record.number:
            insert(freshened, circumstances, &effects)
            errands.append(.freshen(freshened))
        case .replace: break
        }
        succeed(record, circumstances)
        soloUntil = nil
        emit(.notModified, circumstances, &effects)
    }

    /// A 304 that is about nothing we hold, or a rest that does not fit what is: everything once more without conditions
    /// (C-21.6, S-098), if the origin may still be asked.
    mutating func reload(_ number: UInt64, _ circumstances: Circumstances, _ effects: inout Effects) {
        guard let record = load(number), let cause = record.exchange else { return }
        end(record, &effects)
        // It would only cost the next request the same.
        if let part = cause.prefix ?? (cause.refreshesPart ? cause.offered.first : nil) { remove(part, &effects) }
        guard circumstances.configuration.mode.mayLoad, record.hasInterest || !cause.refreshesPart else {
            return giveUp(record, cause, circumstances, &effects)
        }
        let plan = LoadPlan(forward: cause.forward, isSolo: cause.isSolo, reason: cause.reason)
        let next = startLoad(
            plan,
            for: cause.request,
            isBackground: cause.isBackground && !cause.refreshesPart,
            isModel: cause.isModel,
            circumstances,
            &effects
        )
        guard let successor = load(next) else { return }
        successor.isDetached = record.isDetached
        successor.leader = record.leader
        successor.waiters = record.waiters
        successor.requests = record.requests
        successor.lendProgress()
        for attendance in record.waiters { attendance.loadNumber = next }
    }

    /// A load that has been taken out ends without a result: who waits gets what there is for requests now.
    private mutating func giveUp(
        _ record: LoadRecord,
        _ cause: ExchangeCause,
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) {
        let error = ResourceError(notAskedIn: circumstances.configuration.mode, time: circumstances.now)
        effects.completions += record.requests.map { ($0, .failure(error)) }
        reportEnd(of: record, &effects)
        if record.isDetached {
            show(&effects)
        } else {
            emitEnd(.requestCancelled, of: cause, circumstances, &effects)
        }
        move(record.waiters, circumstances, &effects)
    }

    /// A response to HEAD tells whether the stored response is still what a GET would bring (C-21.7).
    mutating func receiveHead(
        _ head: ResponseHead,
        for request: ClientRequest,
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) {
        guard let stored = matches(request, circumstances).first, !stored.isLocal else { return }
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
                circumstances
            )
            guard fate == .replace else { return }
            insert(freshened, circumstances, &effects)
            errands.append(.freshen(freshened))
            emit(.notModified, circumstances, &effects)
        case .contradicts:
            let marked = stored.invalidated
            insert(marked, circumstances, &effects)
            errands.append(.freshen(marked))
            show(&effects)
        }
    }
}
