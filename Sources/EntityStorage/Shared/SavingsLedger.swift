import HTTPCore
import Locking

/// What was saved before this process, and what this process has added since; safe from any thread.
///
/// Hits count in memory. The writer adds the difference to the database every few seconds.
final class SavingsLedger: Sendable {
    private struct State {
        /// As the open database has it.
        var stored = Savings()
        /// The part of this process's counts that `stored` includes.
        var credited = Savings()
        /// Counts since the start of the process.
        var source: @Sendable () -> Savings = { Savings() }
    }

    private let state = Lock(State())

    func begin(_ source: @escaping @Sendable () -> Savings) { state.withLock { $0.source = source } }

    /// A database was opened, with these sums.
    func adopt(_ stored: Savings) { state.withLock { $0.stored = stored } }

    /// All that was saved.
    var total: Savings {
        let (stored, added) = present
        return Savings(
            requests: stored.requests &+ added.requests,
            bytes: stored.bytes &+ added.bytes,
            since: stored.since
        )
    }

    /// What the database lacks; nil if nothing.
    var unsaved: Savings? {
        let added = present.added
        return added.requests != 0 || added.bytes != 0 ? added : nil
    }

    /// The database has `added`, and counts since `since`.
    func credit(_ added: Savings, since: HTTPDate) {
        state.withLock { state in
            state.stored.requests &+= added.requests
            state.stored.bytes &+= added.bytes
            state.stored.since = state.stored.since ?? since
            state.credited.requests &+= added.requests
            state.credited.bytes &+= added.bytes
        }
    }

    private var present: (stored: Savings, added: Savings) {
        // The source is called without the lock.
        let source = state.withLock { $0.source }
        let counted = source()
        return state.withLock { state in
            let added = Savings(
                requests: counted.requests &- state.credited.requests,
                bytes: counted.bytes &- state.credited.bytes
            )
            return (state.stored, added)
        }
    }
}
