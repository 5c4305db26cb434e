import Exchanges
import HTTPCore
import Locking
import ResourceCore

/// One attempt to get a response, with hooks that run when it ends (S-119 to S-136).
///
/// Hooks are called on the service's delivery context, in the order they were attached, each at most once. They never
/// run inside the call that attaches them. Any function may be called from any thread.
public final class Request: Sendable {
    let delegate: any RequestDelegate
    let timekeeper: any Timekeeper
    private let machine: Lock<RequestMachine>

    /// - Parameters:
    ///   - delivery: calls hooks; nil: that of the first resource which follows the request, else one shared by all
    ///     requests without a resource.
    ///   - result: for a request that is complete from the start.
    ///   - isUnderWay: whether the operation has begun elsewhere, and ends there.
    init(
        delegate: any RequestDelegate,
        delivery: (any DeliveryContext)?,
        timekeeper: any Timekeeper = SystemTimekeeper.shared,
        result: ResponseInfo? = nil,
        isUnderWay: Bool = false
    ) {
        self.delegate = delegate
        self.timekeeper = timekeeper
        machine = Lock(RequestMachine(delivery: delivery, result: result, isStarted: isUnderWay))
    }

    // MARK: State

    public var state: RequestState { machine.withLock { $0.state } }
    public var isCompleted: Bool { state == .completed }

    /// The result; nil before the request has completed.
    public var result: ResponseInfo? { machine.withLock { $0.result } }

    /// Between 0 and 1, for upload, waiting and download; not a number if unknown; never falls (S-220).
    ///
    /// It is 1 once the request is completed, however it ended. It may be 1 before that.
    public var progress: Double {
        if state == .inProgress { updateProgress() }
        return machine.withLock { $0.progress }
    }

    // MARK: Starting and ending

    /// Begins the request; without effect if it has begun or completed (S-131, S-132).
    @discardableResult
    public func start() -> Request {
        guard machine.withLock({ $0.start() }) else { return self }
        RespiteLog.log(.network, "\(delegate.requestDescription) started")
        let completion = RequestCompletion(self)
        machine.withLock { $0.completion = completion }
        delegate.startUnderlyingOperation(passingResponseTo: completion)
        if machine.withLock({ $0.didStart() }) { delegate.cancelUnderlyingOperation() }
        setTimer()
        return self
    }

    /// Completes the request at once as cancelled, and stops what it does (S-129); without effect once it is completed.
    ///
    /// Guarantees nothing about the server: after an unsafe request was cancelled, its state there is unknown (S-134).
    public func cancel() { cancel(because: nil) }

    /// - Parameter reason: why it is cancelled if the program did not ask for that.
    func cancel(because reason: (any Error)?) { cancel(because: reason, unless: { _ in false }) }

    /// Cancels the request unless a hook waits for it; see `RequestMachine.isAwaited`.
    func cancelUnlessAwaited() { cancel(because: nil, unless: \.isAwaited) }

    private func cancel(because reason: (any Error)?, unless isWanted: (RequestMachine) -> Bool) {
        let cancelled = machine.withLock { machine -> (RequestMachine.CancelAction, RequestCompletion?)? in
            if isWanted(machine) { return nil }
            return (machine.cancel(because: reason), machine.takeCompletion())
        }
        guard let (action, completion) = cancelled else { return }
        completion?.release(isCancelled: true)
        guard action != .nothing else {
            return RespiteLog.log(.network, "\(delegate.requestDescription) is completed: not cancelled")
        }
        RespiteLog.log(.network, "\(delegate.requestDescription) cancelled")
        if action == .cancelDelegate { delegate.cancelUnderlyingOperation() }
        notifyFollowers()
        drain()
    }

    /// A new request, not started, for the same operation (S-135).
    ///
    /// It reads configured fields again and runs mutations again, without the hooks and decorations of this one. A
    /// repeated load does not update its resource unless it is passed to `load(using:)`.
    public func repeated() -> Request {
        if delegate is HardWiredResponse { return self }
        if let source = (delegate as? ExchangeLoad)?.sourceRequest { return source.repeated() }
        return Request(
            delegate: delegate.repeated(),
            delivery: machine.withLock { $0.delivery },
            timekeeper: timekeeper
        )
    }

    /// Accepts the operation's result if it is the first one (S-133).
    func receive(_ info: ResponseInfo) {
        let (reception, completion) = machine.withLock { ($0.receive(info), $0.takeCompletion()) }
        completion?.release(isCancelled: false)
        switch reception {
        case .accepted:
            RespiteLog.log(.network, "\(delegate.requestDescription) completed: \(info.response)")
            notifyFollowers()
            drain()
        case .tooLate:
            RequestCompletion.logIgnored(info, by: delegate.requestDescription, isCancelled: false)
        case .afterCancellation:
            RequestCompletion.logIgnored(info, by: delegate.requestDescription, isCancelled: true)
        }
    }

    // MARK: Hooks

    /// Calls `hook` once, when the request has ended in any way.
    @discardableResult
    public func onCompletion(_ hook: @escaping @Sendable (ResponseInfo) -> Void) -> Request {
        attach(.completion(hook))
    }

    /// Calls `hook` once if there is content: new, or confirmed by the server (S-128).
    @discardableResult
    public func onSuccess(_ hook: @escaping @Sendable (Entity<any Sendable>) -> Void) -> Request {
        attach(.success(hook))
    }

    /// Calls `hook` once if there is new content.
    @discardableResult
    public func onNewData(_ hook: @escaping @Sendable (Entity<any Sendable>) -> Void) -> Request {
        attach(.newData(hook))
    }

    /// Calls `hook` once if the known data was confirmed.
    @discardableResult
    public func onNotModified(_ hook: @escaping @Sendable () -> Void) -> Request { attach(.notModified(hook)) }

    /// Calls `hook` once if there is no content, also after a cancellation.
    @discardableResult
    public func onFailure(_ hook: @escaping @Sendable (RequestError) -> Void) -> Request { attach(.failure(hook)) }

    /// Calls `hook` with growing values, as often as configured, and with a last 1 before any hook gets the result
    /// (S-221).
    @discardableResult
    public func onProgress(_ hook: @escaping @Sendable (Double) -> Void) -> Request {
        machine.withLock { $0.attach(progress: hook) }
        drain()
        setTimer()
        return self
    }

    private func attach(_ hook: RequestHook) -> Request {
        machine.withLock { $0.attach(hook) }
        drain()
        return self
    }

    /// Attaches the hook of a resource that follows the request; sets where hooks are called unless that is set.
    ///
    /// It is attached after decorators and before the caller has the request, so its call comes between their hooks
    /// (S-124). If no hook comes before it, the thread that completes the request calls it at once. So the state of a
    /// resource does not wait for other hooks.
    ///
    /// - Parameters:
    ///   - delivery: calls hooks, unless another one is set.
    ///   - ended: called at once if the hook has to wait; receives whether the request was cancelled.
    ///   - hook: called once, with the result.
    func follow(
        on delivery: (any DeliveryContext)?,
        ended: @escaping @Sendable (Bool) -> Void,
        then hook: @escaping @Sendable (ResponseInfo) -> Void
    ) {
        machine.withLock { machine in
            if machine.delivery == nil { machine.delivery = delivery }
            machine.attach(.following(ended: ended, hook))
        }
        drain()
    }

    /// Whether a hook waits for the result; see `RequestMachine.isAwaited`.
    var isAwaited: Bool { machine.withLock { $0.isAwaited } }

    /// A task whose hook is attached waits no longer.
    func abandonHook() { machine.withLock { $0.abandonHook() } }

    /// Where hooks are called; nil: not set yet.
    var delivery: (any DeliveryContext)? { machine.withLock { $0.delivery } }

    // MARK: Calling hooks

    private func notifyFollowers() {
        for call in machine.withLock({ $0.takeCallsAtOnce() }) { call() }
        machine.withLock { $0.didNotifyFollowers() }
    }

    private func drain() {
        let context = machine.withLock { machine -> (any DeliveryContext)? in
            machine.beginDraining() ? machine.delivery ?? SerialDelivery.shared : nil
        }
        if let context { context.submit { self.drain(on: context) } }
    }

    private func drain(on context: any DeliveryContext) {
        while let calls = machine.withLock({ $0.takeCalls(on: context) }) {
            for call in calls { call() }
        }
        // For hooks that were added during the end of this, or that are called elsewhere.
        drain()
    }

    // MARK: Progress

    private func updateProgress() {
        let value = delegate.computeProgress()
        machine.withLock { $0.note(progress: value) }
    }

    /// One timer at a time, and only while there are progress hooks.
    private func setTimer() {
        guard machine.withLock({ $0.needsTimer() }) else { return }
        timekeeper.after(max(delegate.progressReportingInterval, .milliseconds(1))) { [weak self] in self?.tick() }
    }

    private func tick() {
        updateProgress()
        machine.withLock { machine in
            machine.timerDidFire()
            machine.reportProgress()
        }
        drain()
        setTimer()
    }
}
