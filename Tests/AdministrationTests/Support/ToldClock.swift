import Exchanges
import HTTPCore

/// Clocks that begin as those of `StandingClock`, and show as much more time as closures say.
final class ToldClock: Timekeeper {
    private final class Token: TimerToken { func cancel() {} }

    private let passed: @Sendable () -> Duration
    private let wallPassed: @Sendable () -> Duration

    /// - Parameters:
    ///   - passed: the time that has passed on the clock that never jumps.
    ///   - wallPassed: the time that has passed on the wall clock.
    init(passed: @escaping @Sendable () -> Duration, wallPassed: @escaping @Sendable () -> Duration) {
        self.passed = passed
        self.wallPassed = wallPassed
    }

    var now: MonotonicTime { MonotonicTime(nanoseconds: 1_000_000_000_000) + passed() }
    var wallNow: HTTPDate { HTTPDate(seconds: 1_700_000_000 + wallPassed().components.seconds) }

    func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> any TimerToken { Token() }
}
