import Exchanges
import HTTPCore
import Locking
public import ResourceCore

/// Loads for programs.
extension Resource {
    /// Starts a load, even if another one is in progress (S-093).
    ///
    /// The request is started. When its hooks are called, the resource and its observers have the result (S-124). Keep
    /// the service until then: a load whose service is dropped is cancelled, with `RequestError.Cause.ServiceDropped`.
    @discardableResult
    public func load() -> Request {
        if loadsByRequests { return load(using: prepareLoad()) }
        let request = Request(self)
        perform { $0.load(request) }
        return request
    }

    /// The load in progress, or a new one if the data is not up to date; nil if it is (S-087).
    ///
    /// If a look-up in persistent caches has to come first, the request waits for that, and then for a load if one is
    /// needed (S-091).
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
            // Another thread may have been faster.
            switch transition.loadIfNeeded(caller) {
            case .load: .begin(for: nil)
            case .request(let request): .useInstead(request)
            case .nothing, .loadCaller: .useInstead(nil)
            }
        }
    }

    /// Makes `request`, of any method and resource, update this resource like a load (S-101 to S-103).
    ///
    /// A request that is not started is started now. The result of a completed one is applied, even if it was before.
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

    /// A GET with the validators of the data; decorated, not started (S-093).
    ///
    /// The validators are read when the request is made, and again for each repetition (S-136).
    private func prepareLoad() -> Request {
        makeRequest(.get) { [weak self] request in self?.addValidators(to: &request) }
    }

    /// The order for a load; does not keep the resource.
    var loadOrder: NetworkRequestDelegate.Order {
        order(.get) { [weak self] request in self?.addValidators(to: &request) }
    }

    private func addValidators(to request: inout HTTPRequest) {
        guard let data = dataToConfirm else { return }
        if let etag = data.etag { request[field: "If-None-Match"] = etag }
        if let date = data.header(forKey: "Last-Modified") { request[field: "If-Modified-Since"] = date }
    }

    /// The data, unless it was changed locally: the origin cannot confirm that (S-249).
    var dataToConfirm: Entity<any Sendable>? {
        state.withLock { state in
            if let own = state.model.entity { return own.isLocal ? nil : own.entity }
            return state.latestResponse.flatMap { $0.isLocal ? nil : $0.entity }
        }
    }

    /// What to do with a request that was made for a load.
    private enum Use {
        /// The request is the load; `for`: of a caller that has another request.
        case begin(for: Request?)
        /// The request is not needed; the caller gets this one.
        case useInstead(Request?)
    }

    /// Makes `request` a load if `decide` still wants one.
    ///
    /// The load's number is reserved first, so that this resource's hook comes before those of callers that join.
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
            // No other code has the request: it is cancelled, so that its decorators can clean up.
            if request !== other, request.state == .notStarted { request.cancel() }
            return other
        }
    }

    /// Tracks a request that is no load, until it has completed (S-073, S-110).
    func track(_ request: Request) {
        perform { $0.state.model.track(request) }
        request.follow(on: core.delivery) { [weak self] _ in
            self?.perform { $0.state.model.untrack(request) }
        } then: { [weak self] _ in
            self?.perform { $0.state.model.untrack(request) }
        }
    }

    /// Reports the progress of a load to observers.
    func watch(_ request: Request, of number: UInt64) {
        request.onProgress { [weak self] progress in
            self?.perform { $0.add($0.state.model.noteProgress(progress, of: number)) }
        }
    }

    /// The same for a load over an exchange, at the configured interval, while it runs and is observed.
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

    /// Cancels all loads that the program asked for, unless the resource is observed (S-105).
    public func cancelLoadIfUnobserved() {
        perform { $0.cancelLoadsIfUnobserved() }
    }

    /// The same after `delay`; only observers at that time matter (S-106).
    ///
    /// - Parameters:
    ///   - delay: on the monotonic clock.
    ///   - completion: called after that in any case, on the service's delivery context.
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

    /// Whether the data is fresh by its fields, or else by the configuration (S-084).
    ///
    /// The first call starts the look-up in persistent caches, and does not wait for it (S-187).
    public var isUpToDate: Bool {
        perform { transition in
            transition.beginLookUp()
            return transition.isUpToDate
        }
    }

    /// Starts the look-up of data from an earlier life of the resource, unless that is done (S-187).
    func beginLookUp() {
        if state.withLock({ $0.variants.lookUp == .unknown }) { perform { $0.beginLookUp() } }
    }
}
