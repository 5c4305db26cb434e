import Exchanges
import ResourceCore

/// What a request knows: its phase, its result, and whom it still has to tell.
///
/// Calls to be made wait in one queue, in order: progress reports, then the hooks in the order they were attached, then
/// hooks attached later (S-121 to S-123). Who is told by `enqueue…` that the queue is to be drained does that, on the
/// delivery context; nobody else until the queue is empty.
struct RequestMachine {
    typealias Call = @Sendable () -> Void
    typealias ProgressHook = @Sendable (Double) -> Void

    private(set) var result: ResponseInfo?
    private(set) var isCancelled = false
    private(set) var isStarted = false
    /// The delegate is being told to start; it is told to cancel only after that.
    private var isStarting = false
    /// Between 0 and 1, or not a number; never falls (S-220).
    private(set) var progress: Double
    /// Where calls are made; nil: nobody has said.
    var delivery: (any DeliveryContext)?

    /// Holds the request while its operation runs.
    var completion: RequestCompletion?

    private var hooks: [RequestHook] = []
    private var progressHooks: [ProgressHook] = []
    private var calls: [Call] = []
    /// To be made at once by whoever completes the request.
    private var calledAtOnce: [Call] = []
    /// Resources that follow have yet to learn of the result; hooks behind them wait for that (S-124).
    private var isTellingFollowers = false
    private var isDraining = false
    /// What the hooks were told last.
    private var reported = 0.0
    private(set) var hasTimer = false

    /// - Parameter result: of a request that is complete from the start.
    init(delivery: (any DeliveryContext)?, result: ResponseInfo? = nil, isStarted: Bool = false) {
        self.delivery = delivery
        self.result = result
        progress = result == nil ? 0 : 1
        self.isStarted = isStarted || result != nil
    }

    var state: RequestState { result != nil ? .completed : isStarted ? .inProgress : .notStarted }

    // MARK: Life

    /// Whether the delegate is to be started now, followed by `didStart`.
    mutating func start() -> Bool {
        guard state == .notStarted else { return false }
        isStarted = true
        isStarting = true
        return true
    }

    /// Whether the delegate is to be cancelled: that was asked for while it was starting.
    mutating func didStart() -> Bool {
        isStarting = false
        return isCancelled
    }

    /// What to do about a request to cancel.
    enum CancelAction: Equatable { case nothing, cancelDelegate, waitForStart }

    mutating func cancel() -> CancelAction {
        guard result == nil else { return .nothing }
        isCancelled = true
        complete(.cancellation())
        return isStarting ? .waitForStart : .cancelDelegate
    }

    /// How a result was taken.
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
        isTellingFollowers = true
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

    /// What held the request, once that has ended: to be let go outside of the lock.
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

    /// Resources that follow have taken in the result: the hooks behind them may be called.
    mutating func didTellFollowers() { isTellingFollowers = false }

    // MARK: Hooks

    mutating func attach(_ hook: RequestHook) {
        guard let result else { return hooks.append(hook) }
        if let call = hook.call(for: result) { calls.append(call) }
    }

    mutating func attach(progress hook: @escaping ProgressHook) {
        if result == nil { progressHooks.append(hook) } else { calls.append { hook(1) } }
    }

    // MARK: Progress

    /// Takes note of a new value, unless it is smaller or says nothing.
    mutating func note(progress value: Double) {
        guard result == nil else { return }
        if value.isNaN {
            if progress == 0 { progress = value }
        } else {
            let value = min(max(value, 0), 1)
            progress = progress.isNaN ? value : max(progress, value)
        }
    }

    /// Tells the hooks, if the value is another than before (S-221).
    mutating func reportProgress() {
        guard result == nil, progress != reported, !(progress.isNaN && reported.isNaN) else { return }
        reported = progress
        for hook in progressHooks { calls.append { [reported] in hook(reported) } }
    }

    /// Whether a timer for the next report is to be set.
    mutating func needsTimer() -> Bool {
        guard state == .inProgress, !progressHooks.isEmpty, !hasTimer else { return false }
        hasTimer = true
        return true
    }

    mutating func timerDidFire() { hasTimer = false }

    // MARK: Draining

    /// Whether somebody has to begin to drain.
    mutating func beginDraining() -> Bool {
        guard !isDraining, !isTellingFollowers, !calls.isEmpty else { return false }
        isDraining = true
        return true
    }

    /// The calls to make now, on `context`; nil: draining ends here, or goes on elsewhere.
    mutating func takeCalls(on context: any DeliveryContext) -> [Call]? {
        guard !calls.isEmpty, !isTellingFollowers, delivery == nil || delivery === context else {
            isDraining = false
            return nil
        }
        defer { calls = [] }
        return calls
    }
}
