import Locking

/// URIs whose rows must be removed or marked, but the disk or a lock prevents that; safe from any thread.
///
/// Look-ups do not find these URIs.
final class PendingDeletes: Sendable {
    /// The change that the rows of a URI need.
    enum Change {
        case invalidate, remove
        /// A newer response could not be stored: the rows go, though a cache may serve them while they are fresh.
        case supersede
    }

    /// With this many URIs the list is full; the store then discards the database instead.
    private let limit: Int
    private let changes = Lock<[[UInt8]: Change]>([:])

    init(limit: Int) { self.limit = limit }

    var count: Int { changes.withLock { $0.count } }
    var isEmpty: Bool { changes.withLock { $0.isEmpty } }
    var isFull: Bool { changes.withLock { $0.count >= limit } }
    /// The changes by the canonical text of the URI.
    var all: [[UInt8]: Change] { changes.withLock { $0 } }

    func contains(_ uri: [UInt8]) -> Bool { changes.withLock { !$0.isEmpty && $0[uri] != nil } }

    func add(_ uri: [UInt8], _ change: Change) {
        changes.withLock { changes in
            let former = changes[uri] ?? change
            // What needs two changes is removed.
            changes[uri] = former == change ? change : .remove
        }
    }

    func remove(_ uris: some Sequence<[UInt8]>) { changes.withLock { for uri in uris { $0[uri] = nil } } }
    func clear() { changes.withLock { $0 = [:] } }
}
