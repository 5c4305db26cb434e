import Locking

/// Marks that one response has caused and that are not at rest in the store yet.
///
/// Stores tell on any thread.
final class PendingMarks: Sendable {
    private struct State {
        var count = 0
        var onEnd: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    /// Counts one more; what it returns is told how it ended.
    ///
    /// One that could not be made yet stays pending.
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

    var isPending: Bool { state.withLock { $0.count > 0 } }

    /// Has `work` called once nothing is pending, on any thread; false, and without effect, if nothing is now.
    func wait(_ work: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.count > 0 else { return false }
            state.onEnd = work
            return true
        }
    }

    /// Nobody waits any more.
    func forget() { withExtendedLifetime(state.withLock { $0.onEnd.take() }) {} }
}
