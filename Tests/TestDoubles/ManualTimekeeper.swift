public import Exchanges
public import HTTPCore
import Locking

/// Two clocks that stand still until a test advances them.
public final class ManualTimekeeper: Timekeeper {
    public final class Token: TimerToken {
        private let cancelled = Lock(false)
        public var isCancelled: Bool { cancelled.withLock { $0 } }
        public func cancel() { cancelled.withLock { $0 = true } }
    }

    private struct Timer {
        var due: Int64
        var token: Token
        var work: @Sendable () -> Void
    }

    private struct State {
        var now: Int64 = 1_000_000_000_000
        var wall: Int64 = 1_000_000
        var timers: [Timer] = []
    }

    private let state = Lock(State())

    public init() {}

    public var now: MonotonicTime { MonotonicTime(nanoseconds: state.withLock { $0.now }) }
    public var wallNow: HTTPDate { HTTPDate(seconds: state.withLock { $0.wall }) }

    public func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> any TimerToken {
        let token = Token()
        state.withLock { $0.timers.append(Timer(due: $0.now + delay.wholeNanoseconds, token: token, work: work)) }
        return token
    }

    /// Moves both clocks and runs the timers that are due.
    public func advance(by duration: Duration) {
        let due = state.withLock { state -> [Timer] in
            state.now += duration.wholeNanoseconds
            state.wall += duration.wholeNanoseconds / 1_000_000_000
            let now = state.now
            defer { state.timers.removeAll { $0.due <= now } }
            return state.timers.filter { $0.due <= now }
        }
        for timer in due where !timer.token.isCancelled { timer.work() }
    }

    /// Sets the wall clock alone, as an administrator may.
    public func setWall(_ date: HTTPDate) { state.withLock { $0.wall = date.seconds } }
}
