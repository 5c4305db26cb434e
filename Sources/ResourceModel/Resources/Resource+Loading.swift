import Exchanges
import HTTPCore
import Locking
public import ResourceCore

/// Loads, as programs ask for them.
extension Resource {
    /// Starts a load, even if one is running (S-093).
    ///
    /// The request is started. By the time its hooks are called the resource and its observers know the result (S-124).
    @discardableResult
    public func load() -> Request {
        if loadsByRequests { return load(using: prepareLoad()) }
        let request = Request(self)
        perform { $0.load(request) }
        return request
    }

    /// The running load, or a new one if the data is not up to date; nil if it is (S-087).
    ///
    /// While it is not known yet whether a persistent cache has the data, the request waits for that, and then for a load
    /// if one is needed (S-091).
    @discardableResult
    public func loadIfNeeded() -> Request? {
        var caller: Request?
        while true {
            switch perform({ $0.loadIfNeeded(caller) }) {
            case .request(let request): return request
            case .nothing: return nil
            case .loadCaller: caller = Request(self)
            case .load: return loadUnlessNeedless()
            }
        }
    }

    private func loadUnlessNeedless() -> Request? {
        let caller = Request(self)
        return begin(prepareLoad()) { transition in
            // Somebody else may have been faster.
            switch transition.loadIfNeeded(caller) {
            case .load: .begin(for: nil)
            case .request(let request): .useInstead(request)
            case .nothing, .loadCaller: .useInstead(nil)
            }
        }
    }

    /// Has `request`, of whatever method and resource, update this resource as a load would (S-101 to S-103).
    ///
    /// One that has not been started is; the result of one that has completed is applied, or applied again.
    /// - Returns: `request`.
    @discardableResult
    public func load(using request: Request) -> Request {
        begin(request) { $0.state.model.isLoading(by: request) ? .useInstead(request) : .begin(for: nil) }
        return request
    }

    /// The request of `loadIfNeeded` that waited for the look-up needs a load.
    func loadForLookUp() {
        begin(prepareLoad()) { transition in
            guard let waiting = transition.state.model.lookUpRequest else { return .useInstead(nil) }
            if transition.completeIfNeedless(waiting) || transition.joinLoad(waiting) { return .useInstead(nil) }
            transition.state.model.lookUpRequest = nil
            return .begin(for: waiting)
        }
    }

    // MARK: Beginning

    /// A GET with the validators of the data, decorated, not started (S-093).
    ///
    /// They are read when the request is made, and again for each repetition (S-136).
    private func prepareLoad() -> Request {
        makeRequest(.get) { [weak self] request in self?.addValidators(to: &request) }
    }

    /// What a load asks for; does not keep the resource.
    var loadOrder: NetworkRequestDelegate.Order {
        order(.get) { [weak self] request in self?.addValidators(to: &request) }
    }

    private func addValidators(to request: inout HTTPRequest) {
        guard let data = dataToConfirm else { return }
        if let etag = data.etag { request[field: "If-None-Match"] = etag }
        if let date = data.header(forKey: "Last-Modified") { request[field: "If-Modified-Since"] = date }
    }

    /// The data, unless it was changed locally: that is not for the origin to confirm (S-249).
    var dataToConfirm: Entity<any Sendable>? {
        state.withLock { state in
            if let own = state.model.entity { return own.isLocal ? nil : own.entity }
            return state.latestResponse.flatMap { $0.isLocal ? nil : $0.entity }
        }
    }

    /// What becomes of a request that was made for a load.
    private enum Use {
        /// It is the load; for somebody who holds another request, if there is one.
        case begin(for: Request?)
        /// It is not needed.
        case useInstead(Request?)
    }

    /// Makes `request` a load if `decide` still wants it.
    ///
    /// Its number is known before, so that this resource's hook comes before those of anybody who joins it.
    @discardableResult
    private func begin(_ request: Request, _ decide: (inout Transition) -> Use) -> Request? {
        let number = perform { $0.reserveLoad() }
        request.follow(on: core.delivery) { [weak self] isCancellation in
            self?.perform { $0.state.model.sourceDidEnd(number, isCancelled: isCancellation) }
        } then: { [weak self] info in
            self?.perform { $0.complete(number, info) }
        }
        let use = perform { transition in
            let use = decide(&transition)
            switch use {
            case .begin(let caller): transition.begin(number, request, for: caller)
            case .useInstead: transition.state.model.discard(number)
            }
            return use
        }
        switch use {
        case .begin:
            return request.start()
        case .useInstead(let other):
            // Nobody else has it: whoever cleans up behind it learns that it is over.
            if request !== other, request.state == .notStarted { request.cancel() }
            return other
        }
    }

    /// Enters a request that is no load into the lists, until it has completed (S-073, S-110).
    func track(_ request: Request) {
        perform { $0.state.model.track(request) }
        request.follow(on: core.delivery) { [weak self] _ in
            self?.perform { $0.state.model.untrack(request) }
        } then: { [weak self] _ in
            self?.perform { $0.state.model.untrack(request) }
        }
    }

    /// Has observers told of the progress of a load.
    func watch(_ request: Request, of number: UInt64) {
        request.onProgress { [weak self] progress in
            self?.perform { $0.add($0.state.model.noteProgress(progress, of: number)) }
        }
    }

    /// The same of a load over an exchange, as often as configured, as long as it runs and somebody observes.
    func watch(_ load: Load) {
        let interval = configuration.values.progressReportingInterval
        environment.timekeeper.after(max(interval, .milliseconds(1))) { [weak self, weak load] in
            guard let self, let load else { return }
            let progress = load.progress
            if perform({ $0.mayGoOn(load.number, progress) }) { watch(load) }
        }
    }

    // MARK: Cancelling

    /// `request`, which this resource completes, was cancelled.
    func cancel(_ request: Request) {
        perform { $0.leave(request) }
    }

    /// Gives up all loads the program asked for, if nobody observes; else does nothing (S-105).
    public func cancelLoadIfUnobserved() {
        perform { $0.cancelLoadsIfUnobserved() }
    }

    /// The same after `delay`: who observes by then saves the loads, who has ceased to does not (S-106).
    ///
    /// - Parameters:
    ///   - delay: on the clock that never jumps.
    ///   - completion: called after that in either case, on the service's delivery context.
    public func cancelLoadIfUnobserved(
        afterDelay delay: Duration,
        then completion: @escaping @Sendable () -> Void = {}
    ) {
        let delivery = core.delivery
        environment.timekeeper.after(delay) { [weak self] in
            self?.cancelLoadIfUnobserved()
            if let delivery { delivery.submit(completion) } else { completion() }
        }
    }

    // MARK: State

    /// Whether the data is as fresh as its fields, or else the configuration, ask (S-084).
    ///
    /// The first test has the persistent caches looked up, and does not wait for them (S-187).
    public var isUpToDate: Bool {
        perform { transition in
            transition.beginLookUp()
            return transition.isUpToDate
        }
    }

    /// Starts the look-up of what was kept of a former life, unless that is done (S-187).
    func beginLookUp() {
        if state.withLock({ $0.variants.lookUp == .unknown }) { perform { $0.beginLookUp() } }
    }
}
