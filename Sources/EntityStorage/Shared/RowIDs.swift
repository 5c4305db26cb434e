import Locking

/// Hands out ascending numbers for rows and body files, and counts databases; safe from any thread.
final class RowIDs: Sendable {
    private struct State {
        var next: Int64 = 1
        var epoch = 0
    }

    private let state = Lock(State())

    func next() -> Int64 {
        state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
    }

    /// A number below which all earlier ones are, and the database to which they belong.
    func bound() -> (id: Int64, epoch: Int) {
        state.withLock { state in
            defer { state.next += 1 }
            return (state.next, state.epoch)
        }
    }

    /// The number of databases that this process has opened; a body file of an earlier one gets no row.
    var epoch: Int { state.withLock { $0.epoch } }

    /// Another database is open now; its numbers so far are at most `last`.
    func begin(after last: Int64) {
        state.withLock { state in
            state.next = max(state.next, last + 1)
            state.epoch += 1
        }
    }
}
