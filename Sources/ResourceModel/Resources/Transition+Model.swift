import Exchanges
import HTTPCaching
import HTTPCore
import Outcomes
import ResourceCore

/// Events of the program's half of a resource.
extension Transition {
    // MARK: loadIfNeeded

    /// What `loadIfNeeded` must do (S-087).
    enum Need {
        /// Return this request, which is the load.
        case request(Request)
        /// Return nil: the data is up to date.
        case nothing
        /// Make a request and begin it as a load.
        case load
        /// Make a request that the resource completes, and call again with it.
        case loadCaller
    }

    /// Decides what `loadIfNeeded` does.
    ///
    /// - Parameter made: a request that the resource completes, if one was needed.
    mutating func loadIfNeeded(_ made: Request?) -> Need {
        // The oldest load (S-088).
        switch oldestJoinable {
        case .request(let load)?:
            if let running = load.visible.first { return .request(running) }
        case .exchange(let record)?:
            if let running = record.callers.lazy.compactMap({ $0 as? Request }).first { return .request(running) }
            guard let made else { return .loadCaller }
            attach(made, to: record.number)
            state.model.track(made)
            return .request(made)
        case nil: break
        }
        if let waiting = state.model.lookUpRequest { return .request(waiting) }
        if isUpToDate { return .nothing }
        if variants.lookUp == .known, resource.loadsByRequests { return .load }
        guard let made else { return .loadCaller }
        if variants.lookUp == .known {
            load(made)
        } else {
            state.model.lookUpRequest = made
            state.model.track(made)
            beginLookUp()
        }
        return .request(made)
    }

    /// A load that a request without credentials may join.
    private enum Joinable {
        case exchange(LoadRecord)
        case request(ModelState.RequestLoad)

        var number: UInt64 {
            switch self {
            case .exchange(let record): record.number
            case .request(let load): load.number
            }
        }
    }

    private var oldestJoinable: Joinable? {
        let exchange = state.loads.records.first { $0.isJoinable(by: state.anonymousPartitions) }
        let request = state.model.loads.first(where: \.isJoinable)
        let all = [exchange.map { Joinable.exchange($0) }, request.map { Joinable.request($0) }].compactMap(\.self)
        return all.min { $0.number < $1.number }
    }

    /// Starts a load over an exchange for no client; `request` completes with it.
    mutating func load(_ request: Request) {
        if load(for: request) { state.model.track(request) } else { state.model.untrack(request) }
    }

    // MARK: Look-up

    /// The caches of the pipeline have answered the look-up.
    ///
    /// Data that came meanwhile stays (S-189), and so do an error and an invalidation (S-248). The entity keeps its own
    /// timestamp (S-241).
    mutating func finishLookUp(_ number: UInt32, _ hit: Entity<any Sendable>?) {
        guard variants.endLookUp(number) else { return }
        if let hit, state.model.entity == nil {
            state.model.replaceData(by: ModelEntity(hit, .cache, head: ModelEntity.head(of: hit), context))
            emit(.newData(.cache))
        } else {
            if hit != nil { context.notes?.add(.cache, "hit for \(context.uri.text) ignored: there is newer data") }
            if state.isEmpty { variants.clearMark() }
        }
        resumeAfterLookUp()
    }

    /// The request of `loadIfNeeded` succeeds with the present data, or gets a load (S-091, S-247).
    mutating func resumeLookUpRequest() {
        guard let request = state.model.lookUpRequest, !completeIfNeedless(request), !joinLoad(request) else { return }
        if resource.loadsByRequests {
            add(.loadForLookUp)
        } else {
            state.model.lookUpRequest = nil
            load(request)
        }
    }

    /// Lets the request that waited for the look-up join a load that began meanwhile, if there is one (S-087, S-090).
    mutating func joinLoad(_ request: Request) -> Bool {
        switch oldestJoinable {
        case .exchange(let record)?: attach(request, to: record.number)
        case .request(let load)?: state.model.join(request, load.number)
        case nil: return false
        }
        state.model.lookUpRequest = nil
        return true
    }

    /// Completes the request that waited for the look-up if the data is up to date; returns whether it is.
    mutating func completeIfNeedless(_ request: Request) -> Bool {
        guard isUpToDate, let outcome = presentOutcome else { return false }
        state.model.lookUpRequest = nil
        add(.complete(request, outcome))
        state.model.untrack(request)
        emit(.notModified)
        return true
    }

    /// The result of a request that needs no load any more.
    private var presentOutcome: RequestOutcome? {
        if let entity = state.model.entity?.entity {
            return .info(.known(entity))
        }
        return state.latestResponse.map { .info(.known($0.entity)) }
    }

    // MARK: Loads that requests bring

    /// Reserves a number for a load whose request does not exist yet: decorators run first.
    mutating func reserveLoad() -> UInt64 {
        let number = state.nextLoad()
        state.model.reserve(number)
        return number
    }

    /// Begins the load for which `number` was reserved.
    ///
    /// - Parameter caller: the request that the caller has, if it is not `request` itself.
    mutating func begin(_ number: UInt64, _ request: Request, for caller: Request? = nil) {
        let isCancelled = request.result?.response.isCancellation ?? false
        let early = state.model.begin(number, request, for: caller, isCancelled: isCancelled)
        if let caller { add(.follow(caller, request)) }
        context.notes?.add(.stateChanges, "\(context.uri.text) load \(number) began")
        emitActivity(.requested)
        if state.model.isObserved { watchProgress() }
        if let early { complete(number, early) }
    }

    /// The request of load `number` has ended: its result becomes the state (S-096 to S-100).
    mutating func complete(_ number: UInt64, _ info: ResponseInfo) {
        guard case .ended(let load) = state.model.end(number, info) else { return }
        for request in load.completed { add(.complete(request, .info(info))) }
        if load.isDetached { return emit(.requestCancelled) }
        add(state.model.loadWillEnd(number))
        switch info.response {
        case .success(let entity) where info.isNew: accept(entity, info, number)
        case .success(let entity): confirm(entity, info, number)
        case .failure(let error): fail(error, number)
        }
    }

    private mutating func accept(_ entity: Entity<any Sendable>, _ info: ResponseInfo, _ number: UInt64) {
        let new = ModelEntity(entity, .network, number: number, head: info.head, context)
        // A result that came after that of a newer load changes nothing (S-100, S-256).
        guard state.model.accept(new) else { return emit(.requestCancelled) }
        dropResponses()
        clearError()
        emit(.newData(.network))
        if isOwn(info.origin) {
            let outputs = info.stageOutputs
            add(inCaches: { CacheWrites.write(outputs, for: $0) })
        }
    }

    private mutating func confirm(_ entity: Entity<any Sendable>, _ info: ResponseInfo, _ number: UInt64) {
        // The result of a look-up: no server has confirmed anything (S-241).
        if info.isKnown, !state.isEmpty { return emit(.notModified) }
        guard let former = state.model.entity else {
            let error = RequestError(cause: RequestError.Cause.NoLocalDataFor304(), timestamp: context.timestamp)
            return fail(error, number)
        }
        // The origin did not confirm data that came later (S-256), or local changes.
        if !former.isLocal {
            if former.number > number { return emit(.requestCancelled) }
            // The time of the confirmation, which the request's hooks get, too.
            let time = isOwn(info.origin) ? entity.timestamp : context.timestamp
            let new = former.confirmed(by: info.head, at: time, number: number, context)
            state.model.confirm(new)
            if isOwn(info.origin) {
                let timestamp = new.entity.timestamp
                add(inCaches: { CacheWrites.touch(timestamp, in: $0.configuration.values.pipeline, for: $0) })
            }
        }
        clearError()
        variants.clearMark()
        emit(.notModified)
    }

    private mutating func fail(_ failure: RequestError, _ number: UInt64) {
        // A cancelled load, or one whose result came after that of a newer one, changes nothing (S-100, S-256).
        if failure.isCancellation || state.model.isSuperseded(number) { return emit(.requestCancelled) }
        // The mark of an invalidation outlives a failure (RFC 9111 §4.4).
        show(LatestError(failure, context))
    }

    /// Whether a GET of this very resource brought the result: only then caches are written (S-242).
    private func isOwn(_ origin: RequestOrigin?) -> Bool {
        origin.map { $0.resourceID == resource.id && $0.method == .get } ?? false
    }

    /// `request`, which this resource completes, was cancelled.
    mutating func leave(_ request: Request) {
        if state.model.lookUpRequest === request {
            // Observers saw a load (S-257).
            state.model.lookUpRequest = nil
            state.model.untrack(request)
            return emit(.requestCancelled)
        }
        if case .cancel(let source) = state.model.leave(request) {
            add(ProgramChange(cancelled: [source]))
        } else {
            leave(request as any LoadCaller)
        }
        state.model.untrack(request)
    }

    /// Cancels all loads that the program asked for, unless the resource is observed (S-105).
    mutating func cancelLoadsIfUnobserved() {
        releaseDefunctObservers()
        if state.model.isObserved { return }
        add(ProgramChange(cancelled: loadRequests))
    }

    // MARK: The lists

    /// The load requests in progress, in the order they began (S-074).
    var loadRequests: [Request] { state.loadRequests }

    // MARK: Local changes

    /// Replaces the data by an entity of the program (S-199).
    ///
    /// Requests in progress continue, and may replace it.
    mutating func override(with entity: Entity<any Sendable>) {
        clear()
        state.model.replaceData(by: ModelEntity(entity, .localOverride, context))
        variants.restartLookUp(as: .known)
        removeCopies { _ in }
        emit(.newData(.localOverride))
        resumeAfterLookUp()
    }

    // MARK: Observers

    /// Adds an observer.
    ///
    /// - Returns: the notices that it must get first; nil if it was added before.
    mutating func addObserver(
        _ add: (inout ObserverList) -> ObserverHandle?
    ) -> (handle: ObserverHandle, change: ResourceChange, former: [(ObserverHandle, ObserverNotice.Event)])? {
        releaseDefunctObservers()
        guard let handle = state.model.change(add) else { return nil }
        let former = takeNotices(for: handle.identity)
        beginLookUp()
        watchProgress()
        let change = change(.observerAdded)
        return (handle, change, former)
    }

    /// Removes and returns the notices for an observer of this identity that observed before; they are delivered
    /// elsewhere.
    private mutating func takeNotices(for identity: ObserverIdentity?) -> [(ObserverHandle, ObserverNotice.Event)] {
        guard let identity else { return [] }
        var taken: [(ObserverHandle, ObserverNotice.Event)] = []
        updateNotices { pending in
            guard var notice = pending as? ObserverNotice else { return }
            taken += notice.take(identity)
            pending = notice
        }
        return taken
    }

    /// Removes `owner` from the observers; those without another one are notified that observation ends (S-212).
    mutating func removeObservers(ownedBy owner: ObjectIdentifier) {
        state.model.change { $0.remove(owner: owner) }
        releaseDefunctObservers()
        for number in state.loads.records.map(\.number) { reconsider(number) }
    }

    // MARK: Progress

    /// Reports the progress of all loads to observers.
    private mutating func watchProgress() {
        for record in state.loads.records where record.reportsToObservers {
            add(state.model.loadDidBegin(record.load))
        }
        for load in state.model.loads where state.model.watchProgress(of: load.number) {
            add(.watchRequest(load.source, load.number))
        }
    }

    /// Notes the progress of a load over an exchange; returns whether to ask again.
    mutating func mayGoOn(_ number: UInt64, _ progress: Double) -> Bool {
        guard let record = state.loads[number], !record.isDetached else { return false }
        releaseDefunctObservers()
        guard state.model.isObserved else {
            state.model.unwatchProgress(of: number)
            return false
        }
        add(state.model.noteProgress(progress, of: number))
        return true
    }
}

extension Transition {
    private mutating func add(_ effect: ModelEffect) { add(ProgramChange(effects: [effect])) }

    private mutating func add(inCaches change: @escaping @Sendable (Resource) -> Void) {
        add(ProgramChange(operations: [ComingWrites.shared.operation(change)]))
    }
}

extension ResourceState {
    /// The program's half of the state.
    var model: ModelState {
        get { program as? ModelState ?? ModelState() }
        _modify {
            // Moved out meanwhile, so that it is changed in place.
            var model = takeProgram() as? ModelState ?? ModelState()
            defer { program = model }
            yield &model
        }
    }

    /// The load requests in progress, in the order they began (S-074).
    var loadRequests: [Request] {
        let exchanges = loads.records.filter(\.isActive).map { record in
            (number: record.number, requests: record.callers.compactMap { $0 as? Request })
        }
        return model.loadRequests(exchanges)
    }
}
