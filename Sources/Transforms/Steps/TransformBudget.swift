public import HTTPCore
import Locking

/// The working time of one run, and whether anybody still wants its result.
///
/// The driver opens it for the time a worker is at work; transformers ask it from loops that may take long. Safe from any
/// thread.
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
    ///   - limit: of working time.
    ///   - now: the clock; asked for each `check`.
    public init(limit: Duration, now: @escaping @Sendable () -> MonotonicTime) {
        self.limit = limit
        self.now = now
    }

    /// One that is never spent, for tests and for work that is bounded otherwise.
    public convenience init() {
        self.init(limit: .seconds(Int64(1) << 32)) { MonotonicTime(nanoseconds: 0) }
    }

    /// Throws `.limit` when the time is spent, `.failed` when nobody wants the result any more.
    ///
    /// Costs a clock reading: ask about every 64 KiB, or every few thousand steps.
    public func check() throws(TransformFailure) {
        let now = now()
        let (isCancelled, spent) = state.withLock { state in
            (state.isCancelled, state.spent + (state.since.map { now - $0 } ?? .zero))
        }
        if isCancelled { throw TransformFailure(.failed, "nobody waits for the result any more") }
        if spent > limit {
            throw TransformFailure(.limit, "the transformation takes longer than \(limit); see `transform-time`")
        }
    }

    /// A worker begins.
    package func open() {
        let now = now()
        state.withLock { $0.since = now }
    }

    /// A worker ends.
    package func close() {
        let now = now()
        state.withLock { state in
            if let since = state.since { state.spent += now - since }
            state.since = nil
        }
    }

    package func cancel() { state.withLock { $0.isCancelled = true } }
}
