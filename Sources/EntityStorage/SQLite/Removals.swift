import HTTPCore
import Locking

/// Removals of all URIs a condition holds for, from the call until the last row is gone.
///
/// What one covers is not found by who asks after the call, so that no look-up, and no batch, waits for the walk over all rows.
final class Removals: Sendable {
    fileprivate struct Removal {
        var number: Int
        var condition: @Sendable (TargetURI) -> Bool
        /// Rows from this on came later; nil: all there are came before.
        var bound: Int64?
    }

    /// Those under way at one moment.
    struct Snapshot {
        private let all: [Removal]

        fileprivate init(_ all: [Removal]) { self.all = all }

        /// Whether the row with this id was about to be removed at that moment; it may be gone since.
        ///
        /// Where the walk had not begun, rows that have come since count, too: to miss one of those does no harm.
        func cover(_ uri: TargetURI, row id: Int64) -> Bool {
            all.contains { removal in id < removal.bound ?? .max && removal.condition(uri) }
        }
    }

    private let removals = Lock<(next: Int, all: [Removal])>((0, []))

    /// Covers rows of URIs `condition` holds for, from now on; a number for the calls below.
    func begin(_ condition: @escaping @Sendable (TargetURI) -> Bool) -> Int {
        removals.withLock { removals in
            removals.next += 1
            removals.all.append(Removal(number: removals.next, condition: condition))
            return removals.next
        }
    }

    /// Rows that get an id of `bound` or above are not covered.
    func limit(_ number: Int, to bound: Int64) {
        removals.withLock { removals in
            guard let place = removals.all.firstIndex(where: { $0.number == number }) else { return }
            removals.all[place].bound = bound
        }
    }

    func end(_ number: Int) { removals.withLock { $0.all.removeAll { $0.number == number } } }

    /// To be taken before the rows are read that it is asked about: a removal may end in between, its rows with it.
    var snapshot: Snapshot { Snapshot(removals.withLock { $0.all }) }
}
