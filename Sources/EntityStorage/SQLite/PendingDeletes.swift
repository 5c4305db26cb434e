import Locking

/// URIs whose rows should be gone or marked and cannot be changed now, as the disk refuses: look-ups do not find them.
final class PendingDeletes: Sendable {
    /// What is to be done with the rows of a URI.
    enum Change { case mark, remove }

    /// Beyond this many the database is given up instead.
    private let limit: Int
    private let changes = Lock<[[UInt8]: Change]>([:])

    init(limit: Int) { self.limit = limit }

    var count: Int { changes.withLock { $0.count } }
    var isEmpty: Bool { changes.withLock { $0.isEmpty } }
    var isFull: Bool { changes.withLock { $0.count >= limit } }
    var all: [[UInt8]: Change] { changes.withLock { $0 } }

    func contains(_ uri: [UInt8]) -> Bool { changes.withLock { !$0.isEmpty && $0[uri] != nil } }

    func add(_ uri: [UInt8], _ change: Change) {
        changes.withLock { changes in
            if changes[uri] != .remove { changes[uri] = change }
        }
    }

    func remove(_ uris: some Sequence<[UInt8]>) { changes.withLock { for uri in uris { $0[uri] = nil } } }
    func clear() { changes.withLock { $0 = [:] } }
}
