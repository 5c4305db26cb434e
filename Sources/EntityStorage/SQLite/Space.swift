import Locking

/// What a store takes of its limit: asked before anything grows, so that the sum never passes the limit.
///
/// Used by the writer and by the worker that writes body files.
final class Space: Sendable {
    struct Ledger {
        /// What the database file has or may grow to before it is asked again.
        var database: Int64 = 0
        /// Body files, those being written included.
        var files: Int64 = 0
        var directories: Int64 = 0
        /// A damaged database that was set aside.
        var aside: Int64 = 0

        var total: Int64 { database + files + directories + aside }
    }

    let budget: Budget
    private let ledger = Lock(Ledger())

    init(budget: Budget) { self.budget = budget }

    /// Octets that rows, pages and files may take together.
    var capacity: Int64 { budget.limit - budget.fixed }
    var taken: Ledger { ledger.withLock { $0 } }
    var isOver: Bool { taken.total > capacity }

    func change(_ body: (inout Ledger) -> Void) { ledger.withLock { body(&$0) } }

    /// Takes `octets` for body files; false if there is no room for them.
    func reserveFiles(_ octets: Int64) -> Bool {
        ledger.withLock { ledger in
            guard ledger.total + octets <= capacity else { return false }
            ledger.files += octets
            return true
        }
    }

    func releaseFiles(_ octets: Int64) { ledger.withLock { $0.files -= octets } }

    /// Lets the database file grow to `octets`; false if there is no room for that.
    func reserveDatabase(_ octets: Int64) -> Bool {
        ledger.withLock { ledger in
            guard octets > ledger.database else { return true }
            guard ledger.total - ledger.database + octets <= capacity else { return false }
            ledger.database = octets
            return true
        }
    }
}
