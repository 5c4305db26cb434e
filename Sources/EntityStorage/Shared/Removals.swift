import HTTPCaching
import HTTPCore
import Locking

/// Removals in progress of all URIs that satisfy a condition, or of all responses with a tag; safe from any thread.
///
/// A removal begins with the call and ends when the last row is removed. Meanwhile look-ups do not find the rows that
/// it covers, so no look-up and no batch has to wait for the walk over all rows.
final class Removals: Sendable {
    fileprivate struct Removal {
        var number: Int
        var condition: @Sendable (TargetURI) -> Bool
        /// Only responses with one of these tags; empty: all.
        var tags: Set<CacheTag>
        /// Rows with this id or a higher one came later; nil before the walk has begun.
        var bound: Int64?
    }

    /// The removals in progress at one moment.
    struct Snapshot {
        private let all: [Removal]

        fileprivate init(_ all: [Removal]) { self.all = all }

        /// Whether the row with this id was about to be removed at that moment; it may be removed by now.
        ///
        /// Before a walk has begun, newer rows count, too. Missing one of those does no harm.
        ///
        /// - Parameter fields: the response's; asked only for removals by tag.
        func cover(_ uri: TargetURI, row id: Int64, _ fields: @autoclosure () -> Fields?) -> Bool {
            all.contains { removal in
                guard id < removal.bound ?? .max, removal.condition(uri) else { return false }
                return removal.tags.isEmpty || fields().map { removal.tags.contains(anyOf: $0, from: uri) } ?? false
            }
        }
    }

    private let removals = Lock<(next: Int, all: [Removal])>((0, []))

    var isEmpty: Bool { removals.withLock { $0.all.isEmpty } }

    /// Begins a removal of the URIs that satisfy `condition`; returns its number for the calls below.
    func begin(taggedBy tags: Set<CacheTag> = [], _ condition: @escaping @Sendable (TargetURI) -> Bool) -> Int {
        removals.withLock { removals in
            removals.next += 1
            removals.all.append(Removal(number: removals.next, condition: condition, tags: tags))
            return removals.next
        }
    }

    /// Removal `number` does not cover rows that get an id of `bound` or above.
    func limit(_ number: Int, to bound: Int64) {
        removals.withLock { removals in
            guard let index = removals.all.firstIndex(where: { $0.number == number }) else { return }
            removals.all[index].bound = bound
        }
    }

    func end(_ number: Int) { removals.withLock { $0.all.removeAll { $0.number == number } } }

    /// Take it before you read rows: a removal may end meanwhile, once its rows are removed.
    var snapshot: Snapshot { Snapshot(removals.withLock { $0.all }) }
}
