public import HTTPCore
import Locking

/// Measures the working time of one run, and knows whether its result is still wanted.
///
/// The driver opens it while a worker runs; transformers check it in loops that may take long. Safe from any thread.
public final class TransformBudget: Sendable {
    private struct State {
        var spent = Duration.zero
        var since: MonotonicTime?
        var isCancelled = false
    }

    private let limit: Duration
    private let now: @Sendable () -> MonotonicTime
    private let state = Lock(State())

    /// - Parameters:
    ///   - limit: the working time allowed.
    ///   - now: the clock, read at each `check`.
    public init(limit: Duration, now: @escaping @Sendable () -> MonotonicTime) {
        self.limit = limit
        self.now = now
    }

    /// A budget without limit, for tests and for work that is bounded otherwise.
    public convenience init() {
        self.init(limit: .seconds(Int64(1) << 32)) { MonotonicTime(nanoseconds: 0) }
    }

    /// Throws `.limit` when the time is used up, and `.failed` when the result is no longer wanted.
    ///
    /// It reads the clock: call it about every 64 KiB, or every few thousand steps.
    public func check() throws(TransformFailure) {
        let now = now()
        let (isCancelled, spent) = state.withLock { state in
            (state.isCancelled, state.spent + (state.since.map { now - $0 } ?? .zero))
        }
        if isCancelled { throw TransformFailure(.failed, "the result is no longer wanted") }
        if spent > limit {
            throw TransformFailure(.limit, "the transformation takes longer than \(limit); see `transform-time`")
        }
    }

    /// Starts the clock: a worker begins.
    package func open() {
        let now = now()
        state.withLock { $0.since = now }
    }

    /// Stops the clock: a worker ends.
    package func close() {
        let now = now()
        state.withLock { state in
            if let since = state.since { state.spent += now - since }
            state.since = nil
        }
    }

    package func cancel() { state.withLock { $0.isCancelled = true } }
}
