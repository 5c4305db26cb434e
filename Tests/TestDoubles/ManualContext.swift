public import Exchanges
import Locking

/// A queue of work that runs when a test calls `run`.
public final class ManualContext: DeliveryContext {
    private struct State {
        var queue: [@Sendable () -> Void] = []
        var isRunning = false
        var submissions = 0
        var isClosed = false
    }

    private let state = Lock(State())

    public init() {}

    /// Only while it runs.
    public var isCurrent: Bool { state.withLock { $0.isRunning } }
    /// How often work was submitted.
    public var submissions: Int { state.withLock { $0.submissions } }

    public func submit(_ work: @escaping @Sendable () -> Void) {
        state.withLock {
            if !$0.isClosed { $0.queue.append(work) }
            $0.submissions += 1
        }
    }

    /// Drops the work in the queue and all that is submitted later.
    public func close() {
        let dropped = state.withLock { state in
            state.isClosed = true
            defer { state.queue = [] }
            return state.queue
        }
        withExtendedLifetime(dropped) {}
    }

    /// Runs the work in the queue, and the work that this submits.
    ///
    /// Returns whether there was any.
    @discardableResult
    public func run() -> Bool {
        var didRun = false
        while let work = state.withLock({ $0.queue.isEmpty ? nil : $0.queue.removeFirst() }) {
            didRun = true
            state.withLock { $0.isRunning = true }
            work()
            state.withLock { $0.isRunning = false }
        }
        return didRun
    }

    /// Runs `body` as if it were on this context.
    public func perform<R>(_ body: () -> R) -> R {
        state.withLock { $0.isRunning = true }
        defer { state.withLock { $0.isRunning = false } }
        return body()
    }
}
