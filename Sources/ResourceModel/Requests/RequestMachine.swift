import Exchanges
import ResourceCore

/// The state of a request: its phase, its result, and the calls of hooks that are due.
///
/// Calls wait in one queue, in order: progress reports, hooks as they were attached, then hooks attached later (S-121
/// to S-123). The caller for which `beginDraining` returns true drains the queue on the delivery context, alone, until
/// it is empty.
struct RequestMachine {
    typealias Call = @Sendable () -> Void
    typealias ProgressHook = @Sendable (Double) -> Void

    private(set) var result: ResponseInfo?
    private(set) var isCancelled = false
    private(set) var isStarted = false
    /// The delegate is being started; it is cancelled only after that.
    private var isStarting = false
    /// Between 0 and 1, or not a number; never falls (S-220).
    private(set) var progress: Double
    /// Where calls are made; nil: not set yet.
    var delivery: (any DeliveryContext)?

    /// Keeps the request while its operation runs.
    var completion: RequestCompletion?

    private var hooks: [RequestHook] = []
    /// How many of the hooks belong to tasks that wait no longer.
    private var abandonedHooks = 0
    private var progressHooks: [ProgressHook] = []
    private var calls: [Call] = []
    /// Made at once by the thread that completes the request.
    private var calledAtOnce: [Call] = []
    /// Whether following resources still have to get the result; hooks behind them wait for that (S-124).
    private var isNotifyingFollowers = false
    private var isDraining = false
    /// The last value that progress hooks got.
    private var reported = 0.0
    private(set) var hasTimer = false

    /// - Parameter result: for a request that is complete from the start.
    init(delivery: (any DeliveryContext)?, result: ResponseInfo? = nil, isStarted: Bool = false) {
        self.delivery = delivery
        self.result = result
        progress = result == nil ? 0 : 1
        self.isStarted = isStarted || result != nil
    }

    var state: RequestState { result != nil ? .completed : isStarted ? .inProgress : .notStarted }

    // MARK: Life

    /// Whether the caller must start the delegate now, and then call `didStart`.
    mutating func start() -> Bool {
        guard state == .notStarted else { return false }
        isStarted = true
        isStarting = true
        return true
    }

    /// Whether the caller must cancel the delegate: the request was cancelled during the start.
    mutating func didStart() -> Bool {
        isStarting = false
        return isCancelled
    }

    /// What a call to cancel has to do.
    enum CancelAction: Equatable { case nothing, cancelDelegate, waitForStart }

    mutating func cancel(because reason: (any Error)?) -> CancelAction {
        guard result == nil else { return .nothing }
        isCancelled = true
        complete(.cancellation(reason))
        return isStarting ? .waitForStart : .cancelDelegate
    }

    /// How a result was received.
    enum Reception: Equatable { case accepted, tooLate, afterCancellation }

    mutating func receive(_ info: ResponseInfo) -> Reception {
        if isCancelled { return .afterCancellation }
        guard result == nil else { return .tooLate }
        complete(info)
        return .accepted
    }

    private mutating func complete(_ info: ResponseInfo) {
        result = info
        progress = 1
        isNotifyingFollowers = true
        for hook in progressHooks { calls.append { hook(1) } }
        let leading = hooks.prefix { if case .following = $0 { true } else { false } }
        calledAtOnce = leading.compactMap { $0.call(for: info) }
        let isCancellation = info.response.isCancellation
        for case .following(let ended, _) in hooks.dropFirst(leading.count) {
            calledAtOnce.append { ended(isCancellation) }
        }
        calls += hooks.dropFirst(leading.count).compactMap { $0.call(for: info) }
        hooks = []
        progressHooks = []
    }

    /// What kept the request, once that has ended; to be released outside of the lock.
    mutating func takeCompletion() -> RequestCompletion? {
        guard result != nil else { return nil }
        defer { completion = nil }
        return completion
    }

    /// Calls that do not wait for the delivery context.
    mutating func takeCallsAtOnce() -> [Call] {
        defer { calledAtOnce = [] }
        return calledAtOnce
    }

    /// Following resources have the result: hooks behind them may be called.
    mutating func didNotifyFollowers() { isNotifyingFollowers = false }

    // MARK: Hooks

    mutating func attach(_ hook: RequestHook) {
        guard let result else { return hooks.append(hook) }
        if let call = hook.call(for: result) { calls.append(call) }
    }

    mutating func attach(progress hook: @escaping ProgressHook) {
        if result == nil { progressHooks.append(hook) } else { calls.append { hook(1) } }
    }

    // MARK: Waiting

    /// A task whose hook is attached waits no longer.
    mutating func abandonHook() { abandonedHooks += 1 }

    /// Whether a hook waits for the result that neither a decorator nor a resource has attached, and nobody abandoned.
    ///
    /// Decorators attach theirs before the resource follows (S-124).
    var isAwaited: Bool {
        let own = hooks.firstIndex { if case .following = $0 { true } else { false } } ?? hooks.startIndex
        let waiting = hooks[own...].count(where: { if case .following = $0 { false } else { true } })
        return waiting > abandonedHooks
    }

    // MARK: Progress

    /// Notes a progress value, unless it is smaller or unknown.
    mutating func note(progress value: Double) {
        guard result == nil else { return }
        if value.isNaN {
            if progress == 0 { progress = value }
        } else {
            let value = min(max(value, 0), 1)
            progress = progress.isNaN ? value : max(progress, value)
        }
    }

    /// Calls the progress hooks if the value has changed (S-221).
    mutating func reportProgress() {
        guard result == nil, progress != reported, !(progress.isNaN && reported.isNaN) else { return }
        reported = progress
        for hook in progressHooks { calls.append { [reported] in hook(reported) } }
    }

    /// Whether the caller must set a timer for the next report.
    mutating func needsTimer() -> Bool {
        guard state == .inProgress, !progressHooks.isEmpty, !hasTimer else { return false }
        hasTimer = true
        return true
    }

    mutating func timerDidFire() { hasTimer = false }

    // MARK: Draining

    /// Whether the caller must begin to drain the queue.
    mutating func beginDraining() -> Bool {
        guard !isDraining, !isNotifyingFollowers, !calls.isEmpty else { return false }
        isDraining = true
        return true
    }

    /// The calls to make now on `context`; nil: draining ends here, or continues elsewhere.
    mutating func takeCalls(on context: any DeliveryContext) -> [Call]? {
        guard !calls.isEmpty, !isNotifyingFollowers, delivery == nil || delivery === context else {
            isDraining = false
            return nil
        }
        defer { calls = [] }
        return calls
    }
}
