public import Exchanges
import Locking
import Platform
import ResourceCore

/// A delivery context of its own: it runs one piece of work at a time, first in, first out.
///
/// Hooks and observers of a program's service run on one (S-123, S-226). Work should be short: later work waits for it.
public final class SerialDelivery: DeliveryContext {
    private struct State {
        var queue: [@Sendable () -> Void] = []
        var isDraining = false
        /// The thread that drains the queue; work never suspends, so it stays on it.
        var thread: UInt?
    }

    /// For requests that belong to no service.
    static let shared = SerialDelivery()

    private let state = Lock(State())
    private let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// A context on threads of Swift's runtime.
    public convenience init() { self.init { work in Task.detached { work() } } }

    /// A context on threads or an actor of the program's.
    ///
    /// - Parameter run: runs the closure that it gets once, later, anywhere; it MUST NOT call it itself. The next
    ///   closure comes after that one has ended, so `run` need not keep an order.
    public init(running run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) { self.run = run }

    /// Whether the caller is work of this context.
    public var isCurrent: Bool {
        let thread = Thread.currentIdentifier
        return state.withLock { $0.thread == thread }
    }

    public func submit(_ work: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.queue.append(work)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if isFirst { run { self.runBatch() } }
    }

    /// Returns once everything submitted so far has run.
    public func flush() async {
        await withCheckedContinuation { continuation in submit { continuation.resume() } }
    }

    /// Runs what waits now; then others on the same executor have their turn before what came meanwhile.
    private func runBatch() {
        let thread = Thread.currentIdentifier
        let batch = state.withLock { state -> [@Sendable () -> Void] in
            state.thread = thread
            defer { state.queue = [] }
            return state.queue
        }
        for work in batch { work() }
        let isMore = state.withLock { state in
            state.thread = nil
            state.isDraining = !state.queue.isEmpty
            return state.isDraining
        }
        if isMore { run { self.runBatch() } }
    }
}
