import HTTPCaching
import HTTPCore

/// Loads that requests of the program's bring: beginning and end.
extension ResourceState {
    // MARK: Beginning

    /// Begins a load, whatever brings its result: the one entry for clients' requests and for those of the program.
    mutating func begin(_ record: LoadRecord, _ context: ResourceContext, _ effects: inout Effects) {
        loads.append(record)
        if let load = record.exchange?.load { effects.starts.append(load) }
        for request in record.faces { track(request) }
        context.notes?.add(.stateChanges, "\(context.uri.text) load \(record.number) began")
        guard record.reportsToObservers else { return show(&effects) }
        emitActivity(.requested, context, &effects)
        if !observers.isEmpty { watchProgress(&effects) }
    }

    /// A number for a load that `request`, whose decorators have to be asked first, will bring.
    mutating func reserveNumber() -> UInt64 {
        lastLoad += 1
        reserved[lastLoad] = .some(nil)
        return lastLoad
    }

    /// Begins the load for which `number` was reserved.
    ///
    /// - Parameter face: what the caller holds, if it is not `request` itself.
    mutating func begin(
        _ number: UInt64,
        _ request: Request,
        for face: Request? = nil,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        let record = LoadRecord(number: number, source: .request(request))
        if let face {
            record.requests = [face]
            record.lendProgress()
        }
        let early = reserved.removeValue(forKey: number) ?? nil
        begin(record, context, &effects)
        if let early { complete(number, early, context, &effects) }
    }

    /// The load for which `number` was reserved is not needed.
    mutating func discard(_ number: UInt64) { reserved[number] = nil }

    /// `request` belongs to this resource until it completes (S-073).
    mutating func track(_ request: Request) {
        if !tracked.contains(where: { $0 === request }) { tracked.append(request) }
    }

    // MARK: The lists

    /// Whether `request` is a load of this resource already, under way.
    func isLoading(by request: Request) -> Bool {
        loads.contains { load in
            load.isJoinable(by: plainPartitions)
                && (load.sourceRequest === request || load.completed.contains { $0 === request })
        }
    }

    /// Load requests in the order they began, without those that have ended (S-074).
    var loadRequests: [Request] {
        let waiting = lookUpRequest.map { [$0] } ?? []
        return waiting + loads.filter(\.isActive).flatMap(\.faces)
    }

    /// All requests in the order they began, without those that have ended.
    var allRequests: [Request] {
        let loading = loadRequests
        return tracked.filter { request in !request.isCompleted || loading.contains { $0 === request } }
    }

    /// Lets go of requests that have completed.
    mutating func prune(_ effects: inout Effects) {
        guard !tracked.isEmpty else { return }
        let loading = loadRequests
        tracked.removeAll { request in request.isCompleted && !loading.contains { $0 === request } }
        effects.isChanged = true
    }

    // MARK: The end

    /// The request of load `number` has ended: what it brought becomes the state (S-096 to S-100).
    mutating func complete(
        _ number: UInt64,
        _ info: ResponseInfo,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        if reserved[number] != nil {
            // Faster than the one who begins it.
            reserved[number] = .some(info)
            return
        }
        guard let record = load(number), record.sourceRequest != nil else { return }
        end(record, &effects)
        effects.completions += record.completed.map { ($0, .info(info)) }
        tracked.removeAll { request in record.completed.contains { $0 === request } }
        prune(&effects)
        reportEnd(of: record, &effects)
        guard !record.isDetached else { return emit(.requestCancelled, context, &effects) }
        switch info.response {
        case .success(let entity) where info.isNew: accept(entity, info, record, context, &effects)
        case .success(let entity): confirm(entity, info, record, context, &effects)
        case .failure(let error): fail(error, record, context, &effects)
        }
    }

    private mutating func accept(
        _ entity: Entity<any Sendable>,
        _ info: ResponseInfo,
        _ record: LoadRecord,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        let new = HeldEntity(entity, .network, number: record.number, head: info.head, context)
        guard record.number > lastAccepted || isLater(new) else { return supersede(record, context, &effects) }
        lastAccepted = max(lastAccepted, record.number)
        replaceData(by: new, &effects)
        emit(.newData(.network), context, &effects)
        if context.isOwn(info.origin) { operations.append(.write(info.stageOutputs)) }
    }

    /// Whether the origin itself dates `new` later than what is held (S-107).
    private func isLater(_ new: HeldEntity) -> Bool {
        guard let new = new.metadata, let old = held?.metadata, new.hasDate, old.hasDate else { return false }
        return new.date > old.date
    }

    private mutating func confirm(
        _ entity: Entity<any Sendable>,
        _ info: ResponseInfo,
        _ record: LoadRecord,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        guard let old = held else {
            let error = RequestError(cause: RequestError.Cause.NoLocalDataFor304(), timestamp: context.timestamp)
            return fail(error, record, context, &effects)
        }
        // What came later is not what the origin speaks of, and knows better (S-256).
        if !old.isLocal, old.number > record.number { return supersede(record, context, &effects) }
        // Nor is what was changed here.
        if !old.isLocal {
            lastAccepted = max(lastAccepted, record.number)
            // The moment the origin confirmed it, which is what the request's hooks are told, too.
            let time = context.isOwn(info.origin) ? entity.timestamp : context.timestamp
            let new = old.confirmed(by: info.head, at: time, number: record.number, context)
            held = new
            if context.isOwn(info.origin) { operations.append(.touch(new.entity.timestamp)) }
        }
        clearError()
        isInvalidated = false
        emit(.notModified, context, &effects)
    }

    private mutating func fail(
        _ failure: RequestError,
        _ record: LoadRecord,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        if failure.isCancellation || record.number < lastAccepted {
            return supersede(record, context, &effects)
        }
        // The mark of an invalidation outlives a failure (RFC 9111 §4.4).
        error = LatestError(failure, context)
        errorLimitsRetries = true
        emit(.error, context, &effects)
    }

    /// A load that was cancelled, or whose result came after a newer one's, changes nothing (S-100, S-256).
    private mutating func supersede(
        _ record: LoadRecord,
        _ context: ResourceContext,
        _ effects: inout Effects
    ) {
        emit(.requestCancelled, context, &effects)
    }

    // MARK: Data

    /// Puts `new` in the place of all data there is (S-096, S-199).
    mutating func replaceData(by new: HeldEntity, _ effects: inout Effects) {
        effects.left += variants
        variants = []
        retained = nil
        held = new
        clearError()
        isInvalidated = false
    }

    mutating func clearError() {
        error = nil
        errorLimitsRetries = false
        failures = []
    }

    // MARK: Progress

    /// Has observers told of the progress of all loads.
    mutating func watchProgress(_ effects: inout Effects) {
        for record in loads where !record.reportsProgress && record.reportsToObservers {
            record.reportsProgress = true
            switch record.source {
            case .request(let request): effects.watchedRequests.append((record.number, request))
            case .exchange(let cause): effects.watchedLoads.append(cause.load)
            }
        }
    }

    /// The load over an exchange with this number has come so far; whether that is to be asked again.
    mutating func mayGoOn(_ number: UInt64, _ progress: Double, _ effects: inout Effects) -> Bool {
        guard let record = load(number), !record.isDetached else { return false }
        releaseDefunctObservers(&effects)
        guard !observers.isEmpty else {
            record.reportsProgress = false
            return false
        }
        self.progress(number, progress, &effects)
        return true
    }

    /// Load `number` has come so far.
    mutating func progress(_ number: UInt64, _ progress: Double, _ effects: inout Effects) {
        guard let record = load(number), progress > record.progress, progress < 1 else { return }
        record.progress = progress
        report(progress, of: record, &effects)
    }

    /// Observers hear of a last 1 before they hear how a load ended (S-219).
    mutating func reportEnd(of record: LoadRecord, _ effects: inout Effects) {
        if !observers.isEmpty, !record.isDetached, record.reportsToObservers { report(1, of: record, &effects) }
    }

    private mutating func report(_ progress: Double, of record: LoadRecord, _ effects: inout Effects) {
        guard !record.isDetached else { return }
        releaseDefunctObservers(&effects)
        notices.append(PendingNotice(.progress(progress), to: observers.handles))
    }
}

extension ResourceContext {
    /// Only what a GET of this very resource brought goes into its caches (S-242).
    fileprivate func isOwn(_ origin: RequestOrigin?) -> Bool {
        origin.map { $0.resourceID == resource.id && $0.method == .get } ?? false
    }
}
