public import Exchanges
import Glibc
import Locking
import ResourceCore

/// A delivery context of its own: it runs one piece of work at a time, first in, first out, on threads of Swift's
/// runtime.
///
/// Hooks and observers of a program's service run on one (S-123, S-226). Work should be short: later work waits for it.
public final class SerialDelivery: DeliveryContext {
    private struct State {
        var queue: [@Sendable () -> Void] = []
        var isDraining = false
        /// The thread that drains the queue; work never suspends, so it stays on it.
        var thread: pthread_t?
    }

    /// For requests that belong to no service.
    static let shared = SerialDelivery()

    private let state = Lock(State())

    public init() {}

    public var isCurrent: Bool {
        let thread = pthread_self()
        return state.withLock { $0.thread == thread }
    }

    public func submit(_ work: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.queue.append(work)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if isFirst { Task.detached { self.drain() } }
    }

    /// Returns once everything submitted so far has run.
    public func flush() async {
        await withCheckedContinuation { continuation in submit { continuation.resume() } }
    }

    private func drain() {
        let thread = pthread_self()
        while true {
            let batch = state.withLock { state -> [@Sendable () -> Void] in
                state.isDraining = !state.queue.isEmpty
                state.thread = state.queue.isEmpty ? nil : thread
                defer { state.queue = [] }
                return state.queue
            }
            if batch.isEmpty { return }
            for work in batch { work() }
        }
    }
}
