import Locking

/// Counts invalidations that one response has caused and that the store has not committed yet.
///
/// Stores call back on any thread.
final class PendingMarks: Sendable {
    private struct State {
        var count = 0
        var onEnd: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    /// Counts one more; the store calls the returned closure when it has ended.
    ///
    /// An invalidation stays pending if the store could not commit it.
    func begin() -> @Sendable (_ isDurable: Bool) -> Void {
        state.withLock { $0.count += 1 }
        return { isDurable in if isDurable { self.end() } }
    }

    private func end() {
        let onEnd = state.withLock { state -> (@Sendable () -> Void)? in
            state.count -= 1
            return state.count == 0 ? state.onEnd.take() : nil
        }
        onEnd?()
    }

    /// Calls `work` on any thread once nothing is pending; returns false, without effect, if nothing is pending now.
    func wait(_ work: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.count > 0 else { return false }
            state.onEnd = work
            return true
        }
    }

    /// Drops the closure: the response no longer waits.
    func forget() { withExtendedLifetime(state.withLock { $0.onEnd.take() }) {} }
}
