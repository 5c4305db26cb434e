import Exchanges
import HTTPCore
import Locking
import ResourceCore

/// One attempt to get a response, and all who want to know how it ends (S-119 to S-136).
///
/// Hooks are called in the order they were attached, each at most once, never inside the call that attaches them, on the
/// service's delivery context. Any function may be called from any thread.
public final class Request: Sendable {
    let delegate: any RequestDelegate
    let timekeeper: any Timekeeper
    private let machine: Lock<RequestMachine>

    /// - Parameters:
    ///   - delivery: where hooks are called; nil: on that of the first resource which follows the request, else on one
    ///     for all requests that belong to none.
    ///   - result: of a request that is complete from the start.
    ///   - isUnderWay: the operation has begun; somebody else knows its end.
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

    // MARK: Where it stands

    public var state: RequestState { machine.withLock { $0.state } }
    public var isCompleted: Bool { state == .completed }

    /// How it ended; nil while it has not.
    public var result: ResponseInfo? { machine.withLock { $0.result } }

    /// 0…1, covering upload, waiting and download; not a number if nothing can be said; never falls (S-220).
    ///
    /// 1 once it is completed, however it ended; 1 does not imply that it is.
    public var progress: Double {
        if state == .inProgress { updateProgress() }
        return machine.withLock { $0.progress }
    }

    // MARK: Starting and ending

    /// Begins; without effect on a request that has begun or completed (S-131, S-132).
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

    /// Completes the request at once as cancelled, and gives up what it does (S-129); without effect once it is
    /// completed.
    ///
    /// Promises nothing about the server: after cancelling an unsafe request its state there is unknown (S-134).
    public func cancel() {
        let (action, completion) = machine.withLock { ($0.cancel(), $0.takeCompletion()) }
        completion?.release(isCancelled: true)
        guard action != .nothing else {
            return RespiteLog.log(.network, "\(delegate.requestDescription) is completed: not cancelled")
        }
        RespiteLog.log(.network, "\(delegate.requestDescription) cancelled")
        if action == .cancelDelegate { delegate.cancelUnderlyingOperation() }
        tellFollowers()
        drain()
    }

    /// A new request, not started, for the same operation (S-135).
    ///
    /// Configured fields are read again and mutations run again; hooks and decorations are not taken over. A repeated load
    /// does not update its resource unless it is promoted.
    public func repeated() -> Request {
        if delegate is HardWiredResponse { return self }
        if let source = (delegate as? ExchangeLoad)?.sourceRequest { return source.repeated() }
        return Request(
            delegate: delegate.repeated(),
            delivery: machine.withLock { $0.delivery },
            timekeeper: timekeeper
        )
    }

    /// Takes the operation's result, the first one (S-133); tells whether it was taken.
    @discardableResult
    func receive(_ info: ResponseInfo) -> Bool {
        let (reception, completion) = machine.withLock { ($0.receive(info), $0.takeCompletion()) }
        completion?.release(isCancelled: false)
        switch reception {
        case .accepted:
            RespiteLog.log(.network, "\(delegate.requestDescription) completed: \(info.response)")
            tellFollowers()
            drain()
        case .tooLate:
            RequestCompletion.logIgnored(info, by: delegate.requestDescription, isCancelled: false)
        case .afterCancellation:
            RequestCompletion.logIgnored(info, by: delegate.requestDescription, isCancelled: true)
        }
        return reception == .accepted
    }

    // MARK: Hooks

    /// Calls `hook` once, when the request has ended in whatever way.
    @discardableResult
    public func onCompletion(_ hook: @escaping @Sendable (ResponseInfo) -> Void) -> Request {
        attach(.completion(hook))
    }

    /// Calls `hook` once if there is content: new, or confirmed by the server (S-128).
    @discardableResult
    public func onSuccess(_ hook: @escaping @Sendable (Entity<any Sendable>) -> Void) -> Request {
        attach(.success(hook))
    }

    /// Calls `hook` once if there is content that was not known before.
    @discardableResult
    public func onNewData(_ hook: @escaping @Sendable (Entity<any Sendable>) -> Void) -> Request {
        attach(.newData(hook))
    }

    /// Calls `hook` once if the data known before was confirmed.
    @discardableResult
    public func onNotModified(_ hook: @escaping @Sendable () -> Void) -> Request { attach(.notModified(hook)) }

    /// Calls `hook` once if there is no content, cancelling included.
    @discardableResult
    public func onFailure(_ hook: @escaping @Sendable (RequestError) -> Void) -> Request { attach(.failure(hook)) }

    /// Calls `hook` with growing values, as often as configured, and with a last 1 before any hook is told of the
    /// result (S-221).
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

    /// The hook of a resource that follows the request: from now on hooks are called on `delivery`, if nobody has said
    /// where before.
    ///
    /// Attached before the request is handed to the caller and after decorators had it, its call comes between theirs
    /// (S-124). Where no hook comes before it, it is called at once, by the thread that completes the request: the state of
    /// a resource does not wait for those who are being told of something else.
    ///
    /// - Parameters:
    ///   - delivery: where hooks are called, if nobody has said.
    ///   - ended: called at once, where the hook has to wait; told whether the request was cancelled.
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

    /// Where hooks are called; nil: nobody has said yet.
    var delivery: (any DeliveryContext)? { machine.withLock { $0.delivery } }

    // MARK: Calling hooks

    private func tellFollowers() {
        for call in machine.withLock({ $0.takeCallsAtOnce() }) { call() }
        machine.withLock { $0.didTellFollowers() }
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
        // Hooks that came while this ended, or that are to be called elsewhere.
        drain()
    }

    // MARK: Progress

    private func updateProgress() {
        let value = delegate.computeProgress()
        machine.withLock { $0.note(progress: value) }
    }

    /// One timer at a time, and only while somebody wants to know.
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
