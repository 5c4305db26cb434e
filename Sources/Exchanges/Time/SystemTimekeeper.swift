public import HTTPCore
import Platform

/// The system's clocks, for programs that have no clocks of their own.
///
/// Timers run on threads of the concurrency runtime.
public final class SystemTimekeeper: Timekeeper {
    private final class Token: TimerToken {
        private let task: Task<Void, Never>
        init(_ task: Task<Void, Never>) { self.task = task }
        func cancel() { task.cancel() }
    }

    public static let shared = SystemTimekeeper()

    private let start = SystemClock.monotonicNanoseconds()

    private init() {}

    /// The time since the first use in this process.
    public var now: MonotonicTime {
        MonotonicTime(nanoseconds: SystemClock.monotonicNanoseconds() - start)
    }

    public var wallNow: HTTPDate { timestamp.date }
    public var timestamp: Timestamp { .now }

    /// Longer than any process runs; the runtime traps on durations that its clock cannot express.
    private static let longest = Duration.seconds(100 * 365 * 86_400)

    public func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> any TimerToken {
        let delay = min(delay, Self.longest)
        return Token(
            Task.detached {
                do { try await Task.sleep(for: delay) } catch { return }
                work()
            }
        )
    }
}
