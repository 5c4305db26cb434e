import Locking

/// What a store takes of its limit: asked before anything grows, so that the sum never passes the limit.
///
/// Used by the writer and by the worker that writes body files.
final class DiskBudget: Sendable {
    struct Ledger {
        /// What the database file has or may grow to before it is asked again.
        var database: Int64 = 0
        /// Body files, those being written included.
        var files: Int64 = 0
        var directories: Int64 = 0
        /// A damaged database that was set aside.
        var aside: Int64 = 0
        /// What the disk has been found to hold, if less than the limit.
        var found: Int64 = .max

        var total: Int64 { database + files + directories + aside }
    }

    /// Never less than this remains of the limit when a disk turns out to be smaller.
    private static let least: Int64 = 256 << 10

    let budget: Budget
    private let ledger = Lock(Ledger())

    init(budget: Budget) { self.budget = budget }

    /// Bytes that rows, pages and files may take together.
    var capacity: Int64 { ledger.withLock { capacity($0) } }

    private func capacity(_ ledger: Ledger) -> Int64 { min(budget.limit - budget.fixed, ledger.found) }

    var taken: Ledger { ledger.withLock { $0 } }
    var isOver: Bool { taken.total > capacity }

    func change(_ body: (inout Ledger) -> Void) { ledger.withLock { body(&$0) } }

    /// The disk is smaller than the limit: three quarters of what was tried must do.
    func lowerCapacity() {
        ledger.withLock { $0.found = max(DiskBudget.least, min($0.total, capacity($0)) / 4 * 3) }
    }

    /// Tries a quarter more; whether the limit itself holds again.
    func raiseCapacity() -> Bool {
        ledger.withLock { ledger in
            guard ledger.found < budget.limit else { return true }
            ledger.found += ledger.found / 4
            if ledger.found >= budget.limit - budget.fixed { ledger.found = .max }
            return ledger.found == .max
        }
    }

    /// Takes `bytes` for body files; false if there is no room for them.
    func reserveFiles(_ bytes: Int64) -> Bool {
        ledger.withLock { ledger in
            guard ledger.total + bytes <= capacity(ledger) else { return false }
            ledger.files += bytes
            return true
        }
    }

    func releaseFiles(_ bytes: Int64) { ledger.withLock { $0.files -= bytes } }

    /// Lets the database file grow to `bytes`; false if there is no room for that.
    func reserveDatabase(_ bytes: Int64) -> Bool {
        ledger.withLock { ledger in
            guard bytes > ledger.database else { return true }
            guard ledger.total - ledger.database + bytes <= capacity(ledger) else { return false }
            ledger.database = bytes
            return true
        }
    }
}
