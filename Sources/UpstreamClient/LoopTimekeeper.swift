public import Eventing
public import Exchanges
public import HTTPCore
import Locking

/// The system's clocks, and timers of a loop.
///
/// All its timers run on one loop.
public final class LoopTimekeeper: Timekeeper {
    private let loop: LoopHandle

    public init(loop: LoopHandle) { self.loop = loop }

    public var now: MonotonicTime { MonotonicTime.now }
    public var wallNow: HTTPDate { HTTPDate.now }

    @discardableResult
    public func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> any TimerToken {
        let token = LoopTimerToken(loop: loop, work: work)
        loop.submit { loop in token.arm(on: loop, after: delay) }
        return token
    }
}

/// A timer of a loop that any thread may cancel.
private final class LoopTimerToken: TimerToken {
    private enum State {
        case waiting(@Sendable () -> Void)
        case armed(@Sendable () -> Void, LoopBound<ArmedTimer>)
        case over
    }

    private let loop: LoopHandle
    private let state: Lock<State>

    init(loop: LoopHandle, work: @escaping @Sendable () -> Void) {
        self.loop = loop
        state = Lock(.waiting(work))
    }

    func arm(on loop: EventLoop, after delay: Duration) {
        let timer = loop.schedule(after: delay) { [self] in fire() }
        let bound = LoopBound(ArmedTimer(timer), loop: loop)
        let isOver = state.withLock { state in
            guard case .waiting(let work) = state else { return true }
            state = .armed(work, bound)
            return false
        }
        if isOver { timer.cancel() }
    }

    private func fire() {
        let work: (@Sendable () -> Void)? = state.withLock { state in
            defer { state = .over }
            switch state {
            case .waiting(let work), .armed(let work, _): return work
            case .over: return nil
            }
        }
        work?()
    }

    func cancel() {
        let timer: LoopBound<ArmedTimer>? = state.withLock { state in
            defer { state = .over }
            if case .armed(_, let timer) = state { return timer }
            return nil
        }
        if let timer { loop.submit { _ in timer.value.timer?.cancel() } }
    }
}

/// Refers to a timer, which its loop retains while it is armed.
///
/// The reference is weak, because the timer's work retains the token that owns this object.
private final class ArmedTimer {
    private(set) weak var timer: LoopTimer?

    init(_ timer: LoopTimer) { self.timer = timer }
}
