import Exchanges
import Locking
import ResourceCore

/// A queue of work that runs when told.
final class ManualContext: DeliveryContext {
    private struct State {
        var queue: [@Sendable () -> Void] = []
        var isRunning = false
        var submissions = 0
        var isClosed = false
    }

    private let state = Lock(State())

    /// Only while it runs.
    var isCurrent: Bool { state.withLock { $0.isRunning } }
    /// How often work was submitted.
    var submissions: Int { state.withLock { $0.submissions } }

    func submit(_ work: @escaping @Sendable () -> Void) {
        state.withLock {
            if !$0.isClosed { $0.queue.append(work) }
            $0.submissions += 1
        }
    }

    /// Drops what is queued, and what comes.
    func close() {
        let dropped = state.withLock { state in
            state.isClosed = true
            defer { state.queue = [] }
            return state.queue
        }
        withExtendedLifetime(dropped) {}
    }

    /// Runs what is queued, and what that queues; true if there was anything.
    @discardableResult
    func run() -> Bool {
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
    func perform<R>(_ body: () -> R) -> R {
        state.withLock { $0.isRunning = true }
        defer { state.withLock { $0.isRunning = false } }
        return body()
    }
}
