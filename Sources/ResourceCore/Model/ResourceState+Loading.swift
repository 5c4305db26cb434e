import HTTPCaching
import HTTPCore
import Synchronization

/// What loads bring.
extension ResourceState {
    // MARK: The head

    /// The requests to which an interim head goes.
    func waiters(of number: UInt64) -> [Attendance] {
        index(of: number).map { Array(loads[$0].waiters.values) } ?? []
    }

    /// A final head other than 304 has come: some follow it, some are served stale, the others go elsewhere.
    mutating func receive(
        _ arrival: LoadRecord.Arrival,
        _ sharing: Sharing,
        from number: UInt64,
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) {
        guard let index = index(of: number), let cause = loads[index].exchange else { return }
        loads[index].arrival = arrival
        if let partition = arrival.partition, let former = variant(partition, arrival.selection)?.knownForms {
            arrival.response.forms.succeed(former)
        }
        let record = loads[index]
        effects.ended.append(record)
        loads[index].waiters = [:]
        let metadata = arrival.response.metadata
        if metadata.status < 400 || arrival.partition != nil { vary = metadata.vary.isAny ? nil : metadata.vary }
        var moved: [Attendance] = []
        for (key, attendance) in record.waiters {
            let isLeader = key == record.leader
            if let answer = replacement(for: attendance.request, metadata.status, circumstances) {
                effects.answers.append((attendance, answer))
            } else if isLeader || mayShare(arrival, sharing, cause, attendance.request, circumstances) {
                loads[index].followers.insert(key)
                effects.answers.append(
                    (attendance, .following(arrival.response, record.outcome(cause, isCollapsed: !isLeader)))
                )
            } else {
                moved.append(attendance)
            }
        }
        noteSharing(sharing, arrival, hasMoved: !moved.isEmpty, circumstances, &effects)
        if !record.isDetached { noteServerError(metadata, cause, circumstances, &effects) }
        move(moved, circumstances, &effects)
        reconsider(number, circumstances, &effects)
    }

    /// What a waiting request gets instead of a response: stale content for an error, or leave to ask for its range.
    private func replacement(
        for request: ClientRequest,
        _ status: UInt16,
        _ circumstances: Circumstances
    ) -> Answer? {
        if status >= 500, let stale = stale(for: request, after: .status(status), isRemembered: false, circumstances) {
            return stale
        }
        return request.directives.hasRange ? .pass(.range) : nil
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
    /// it made: RFC 9111 alone decides about it.
    private mutating func noteServerError(
        _ metadata: ResponseMetadata,
        _ cause: ExchangeCause,
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) {
        guard metadata.status >= 500, !metadata.saysAnythingAboutCaching else { return }
        remember(ResourceError(status: metadata.status, time: circumstances.now), of: cause, circumstances, &effects)
    }

    /// Sends requests elsewhere: to another load, or to one of their own.
    mutating func move(_ attendances: [Attendance], _ circumstances: Circumstances, _ effects: inout Effects) {
        for attendance in attendances where !attendance.isCancelled {
            attendance.loadNumber = 0
            if !attendance.mayMove() {
                let plan = LoadPlan(forward: .miss, offered: [], isSolo: true)
                let number = startLoad(plan, for: attendance.request, isBackground: false, circumstances, &effects)
                attendance.loadNumber = number
                if let index = index(of: number) {
                    loads[index].leader = ObjectIdentifier(attendance)
                    loads[index].waiters[ObjectIdentifier(attendance)] = attendance
                }
            } else if let answer = place(attendance.request, { attendance }, circumstances, &effects) {
                effects.answers.append((attendance, answer))
            }
        }
    }

    // MARK: Not modified

    /// A 304 has come, whose fields make `freshened` of the response it is about.
    /// - Parameters:
    ///   - own: the same as the request that caused the load gets it.
    ///   - isKept: whether it may still be stored where it was.
    ///   - isForAll: whether all who wait may have it; else it is for the request that caused the load, as a whole
    ///     response would be (C-23.0).
    mutating func receiveNotModified(
        _ freshened: StoredResponse,
        forLeader own: StoredResponse,
        replacing old: StoredResponse,
        isKept: Bool,
        isForAll: Bool,
        from number: UInt64,
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) {
        guard let index = index(of: number), let cause = loads[index].exchange else { return }
        let record = loads.remove(at: index)
        effects.ended.append(record)
        var outcome = CacheOutcome(isHit: false, forward: cause.forward, forwardStatus: 304)
        outcome.isStored = isKept && !record.isDetached
        var moved: [Attendance] = []
        // What was joined by fewer names than the response's Vary has may differ in the others (C-11.1).
        let vary = freshened.metadata.vary
        let selection = Self.selection(vary, cause.request.fields, circumstances)
        for (key, attendance) in record.waiters where !attendance.isCancelled {
            outcome.isCollapsed = key != record.leader
            let isForIt = isForAll && Self.selection(vary, attendance.request.fields, circumstances) == selection
            if outcome.isCollapsed, !isForIt {
                moved.append(attendance)
            } else {
                effects.answers.append((attendance, .stored(outcome.isCollapsed ? freshened : own, outcome)))
            }
        }
        effects.completions += record.requests.map { ($0, .notModified(freshened)) }
        if record.isDetached {
            refreshSnapshot(&effects)
        } else {
            keep(freshened, replacing: old, isKept: isKept, record, circumstances, &effects)
        }
        move(moved, circumstances, &effects)
    }

    private mutating func keep(
        _ freshened: StoredResponse,
        replacing old: StoredResponse,
        isKept: Bool,
        _ record: LoadRecord,
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) {
        let current = variant(old.partition, old.selection)
        if !isKept {
            if let current, current.isSame(as: old) { remove(current, &effects) }
        } else if (current?.loadNumber ?? 0) <= record.number {
            insert(freshened, circumstances, &effects)
            errands.append(.freshen(freshened))
        }
        succeed(record)
        soloUntil = nil
        emit(.notModified, circumstances, &effects)
    }

    /// A 304 that is about nothing we hold: everything once more without conditions (C-21.6, S-098).
    mutating func reload(_ number: UInt64, _ circumstances: Circumstances, _ effects: inout Effects) {
        guard let index = index(of: number), let cause = loads[index].exchange else { return }
        let record = loads.remove(at: index)
        effects.ended.append(record)
        let plan = LoadPlan(forward: cause.forward, offered: [], isSolo: cause.isSolo)
        let next = startLoad(
            plan,
            for: cause.request,
            isBackground: cause.isBackground,
            isModel: cause.isModel,
            circumstances,
            &effects
        )
        guard let place = self.index(of: next) else { return }
        loads[place].isDetached = record.isDetached
        loads[place].leader = record.leader
        loads[place].waiters = record.waiters
        loads[place].requests = record.requests
        for attendance in record.waiters.values { attendance.loadNumber = next }
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
        switch Freshening.match(head: head.status, head.fields, stored: stored.metadata) {
        case .ignored:
            return
        case .freshens:
            let (freshened, isKept) = stored.freshened(
                by: head,
                request,
                sentAt: request.arrival,
                number: stored.loadNumber,
                circumstances
            )
            guard isKept else { return }
            insert(freshened, circumstances, &effects)
            errands.append(.freshen(freshened))
            emit(.notModified, circumstances, &effects)
        case .contradicts:
            let marked = stored.invalidated
            insert(marked, circumstances, &effects)
            errands.append(.freshen(marked))
            refreshSnapshot(&effects)
        }
    }

    // MARK: The end

    /// The response is complete.
    ///
    /// `stored` is what is to be kept of it: for everybody whom `arrival.partition` allows, or, if that is nil, for
    /// `latestResponse` alone.
    mutating func finish(
        _ number: UInt64,
        _ stored: StoredResponse?,
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) {
        guard let index = index(of: number), let cause = loads[index].exchange, let arrival = loads[index].arrival
        else { return }
        let record = loads.remove(at: index)
        effects.ended.append(record)
        let status = arrival.response.status
        let error = status >= 400 ? ResourceError(status: status, time: circumstances.now) : nil
        effects.completions += record.requests.map { ($0, error.map { .failure($0) } ?? .newData(stored)) }
        guard !record.isDetached else { return refreshSnapshot(&effects) }
        if arrival.partition != nil, let stored {
            commit(stored, record, circumstances, &effects)
        } else {
            supersede(record, cause, status, &effects)
            if let error { return fail(error, circumstances, &effects) }
            if cause.isModel, let stored { retained = stored }
            succeed(record)
            emit(.newData(.network), circumstances, &effects)
        }
    }

    private mutating func commit(
        _ stored: StoredResponse,
        _ record: LoadRecord,
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) {
        // A result older than what is held changes nothing (S-256).
        guard (variant(stored.partition, stored.selection)?.loadNumber ?? 0) < record.number else {
            return refreshSnapshot(&effects)
        }
        insert(stored, circumstances, &effects)
        succeed(record)
        soloUntil = nil
        emit(.newData(.network), circumstances, &effects)
        errands.append(.commit(stored))
    }

    /// The origin no longer lets us keep what it let us keep before.
    private mutating func supersede(
        _ record: LoadRecord,
        _ cause: ExchangeCause,
        _ status: UInt16,
        _ effects: inout Effects
    ) {
        guard status < 400 || status == 404 || status == 410 else { return }
        if let old = cause.offered.first, old.loadNumber < record.number { remove(old, &effects) }
        isInvalidated = variants.contains { $0.isInvalidated }
    }

    /// A load succeeded: what failed the same way before is forgotten.
    private mutating func succeed(_ record: LoadRecord) {
        error = nil
        errorLimitsRetries = false
        held = nil
        guard let cause = record.exchange else { return }
        failures.removeAll { $0.own == cause.request.partitions.own && $0.selection == cause.selection }
    }

    private mutating func fail(_ failure: ResourceError, _ circumstances: Circumstances, _ effects: inout Effects) {
        error = LatestError(failure, at: circumstances.timestamp)
        errorLimitsRetries = true
        emit(.error, circumstances, &effects)
    }

    /// The exchange failed, before its head or amid its content.
    mutating func fail(
        _ number: UInt64,
        _ failure: ExchangeFailure,
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) {
        guard let index = index(of: number), let cause = loads[index].exchange else { return }
        let record = loads.remove(at: index)
        effects.ended.append(record)
        let error = ResourceError(failure, time: circumstances.now)
        let isCancelled = failure.kind == .cancelled
        for attendance in record.waiters.values where !attendance.isCancelled {
            let stale =
                failure.isNetworkLevel
                ? stale(for: attendance.request, after: .network, isRemembered: false, circumstances) : nil
            effects.answers.append((attendance, stale ?? .failure(error)))
        }
        effects.completions += record.requests.map { ($0, isCancelled ? .cancelled : .failure(error)) }
        guard !record.isDetached else { return refreshSnapshot(&effects) }
        if isCancelled { return emit(.requestCancelled, circumstances, &effects) }
        // An answer that broke the protocol came from an origin that can be reached: it is asked again.
        let isReachable = failure.kind == .protocolError
        if record.arrival == nil, failure.isNetworkLevel, !isReachable {
            remember(error, of: cause, circumstances, &effects)
        }
        fail(error, circumstances, &effects)
    }

    /// The content could not be redacted: nothing of it is kept, and nobody asks again for a while.
    mutating func failRedaction(
        _ number: UInt64,
        _ error: ResourceError,
        _ circumstances: Circumstances,
        _ effects: inout Effects
    ) {
        guard let index = index(of: number), let cause = loads[index].exchange else { return }
        let record = loads.remove(at: index)
        effects.ended.append(record)
        effects.cancels.append(cause.load)
        effects.answers += record.waiters.values.map { ($0, .failure(error)) }
        effects.completions += record.requests.map { ($0, .failure(error)) }
        guard !record.isDetached else { return refreshSnapshot(&effects) }
        if error.transformation != nil { remember(error, of: cause, circumstances, &effects) }
        fail(error, circumstances, &effects)
    }

    /// A pipeline failed on what is held: that stays, and is loaded no less often.
    mutating func failForm(_ failure: ResourceError, _ circumstances: Circumstances, _ effects: inout Effects) {
        error = LatestError(failure, at: circumstances.timestamp)
        emit(.error, circumstances, &effects)
    }

    // MARK: Interest

    /// A request has left.
    mutating func leave(_ attendance: Attendance, _ circumstances: Circumstances, _ effects: inout Effects) {
        guard let index = index(of: attendance.loadNumber) else { return }
        let key = ObjectIdentifier(attendance)
        if let removed = loads[index].waiters.removeValue(forKey: key) {
            effects.released.append(removed)
            if loads[index].leader == key { loads[index].leader = nil }
        }
        loads[index].followers.remove(key)
        reconsider(loads[index].number, circumstances, &effects)
    }

    /// Ends a load nobody wants any more, unless going on fills the store for little (H-150).
    mutating func reconsider(_ number: UInt64, _ circumstances: Circumstances, _ effects: inout Effects) {
        guard let index = index(of: number), let cause = loads[index].exchange else { return }
        let record = loads[index]
        if record.hasInterest {
            loads[index].abandonedUntil = nil
            if let body = record.unreadBody { effects.unread.append(body) }
            return
        }
        if cause.isBackground, record.mayBeStored { return }
        if record.arrival == nil, !observers.isEmpty, !record.isDetached { return }
        let until = record.abandonedUntil ?? circumstances.now + circumstances.configuration.fillTime
        if let arrival = record.arrival, isWorthFinishing(arrival, record, until, circumstances) {
            loads[index].abandonedUntil = until
            cause.load.isAbandoned.store(true, ordering: .relaxed)
            return
        }
        loads.remove(at: index)
        effects.ended.append(record)
        effects.cancels.append(cause.load)
        if record.isDetached { refreshSnapshot(&effects) } else { emit(.requestCancelled, circumstances, &effects) }
    }

    private func isWorthFinishing(
        _ arrival: LoadRecord.Arrival,
        _ record: LoadRecord,
        _ until: MonotonicTime,
        _ circumstances: Circumstances
    ) -> Bool {
        if arrival.response.body.isComplete { return true }
        guard circumstances.now < until else { return false }
        let received = arrival.response.body.received
        guard record.mayBeStored else {
            // Reading a little to the end keeps the connection.
            return arrival.response.contentLength.map { $0 <= 64 * 1024 } ?? false
        }
        guard let length = arrival.response.contentLength else {
            return received < circumstances.configuration.fillRemainder
        }
        let (share, overflow) = length.multipliedReportingOverflow(by: circumstances.configuration.fillPercent)
        return length - received < circumstances.configuration.fillRemainder
            || (!overflow && received >= share / 100)
    }
}
