import Locking

/// The disk space that a store uses of its limit.
///
/// Code that needs more space reserves it here first, so that the sum never exceeds the limit. Safe from any thread:
/// the writer and the thread that writes body files use it.
final class DiskBudget: Sendable {
    struct Ledger {
        /// The size of the database file, or the size to which it may grow without asking again.
        var database: Int64 = 0
        /// Body files, drafts included.
        var files: Int64 = 0
        var directories: Int64 = 0
        /// Damaged databases that were kept.
        var setAside: Int64 = 0
        /// The space on the disk, if that is less than the limit.
        var diskRoom: Int64 = .max

        var total: Int64 { database + files + directories + setAside }
    }

    /// The least capacity that remains when a disk is smaller than the limit.
    private static let leastRoom: Int64 = 256 << 10

    let limits: StoreLimits
    private let ledger = Lock(Ledger())

    init(limits: StoreLimits) { self.limits = limits }

    /// Bytes that rows, pages and files may use together.
    var capacity: Int64 { ledger.withLock { capacity($0) } }

    private func capacity(_ ledger: Ledger) -> Int64 { min(limits.limit - limits.fixed, ledger.diskRoom) }

    var used: Ledger { ledger.withLock { $0 } }

    /// Bytes above the capacity; nil if the store stays within it.
    var excess: Int64? {
        ledger.withLock { ledger in
            let excess = ledger.total - capacity(ledger)
            return excess > 0 ? excess : nil
        }
    }

    func change(_ body: (inout Ledger) -> Void) { ledger.withLock { body(&$0) } }

    /// The disk has less space than the limit: lowers the capacity to three quarters of what was tried.
    func lowerCapacity() {
        ledger.withLock { $0.diskRoom = max(DiskBudget.leastRoom, min($0.total, capacity($0)) / 4 * 3) }
    }

    /// Raises the capacity by a quarter; returns whether the full limit holds again.
    func raiseCapacity() -> Bool {
        ledger.withLock { ledger in
            guard ledger.diskRoom < limits.limit else { return true }
            ledger.diskRoom += ledger.diskRoom / 4
            if ledger.diskRoom >= limits.limit - limits.fixed { ledger.diskRoom = .max }
            return ledger.diskRoom == .max
        }
    }

    /// Reserves `bytes` for body files; returns false if there is no room for them.
    func reserveFiles(_ bytes: Int64) -> Bool {
        ledger.withLock { ledger in
            guard ledger.total + bytes <= capacity(ledger) else { return false }
            ledger.files += bytes
            return true
        }
    }

    func releaseFiles(_ bytes: Int64) { ledger.withLock { $0.files -= bytes } }

    /// Lets the database file grow to `bytes`; returns false if there is no room for that.
    func reserveDatabase(_ bytes: Int64) -> Bool {
        ledger.withLock { ledger in
            guard bytes > ledger.database else { return true }
            guard ledger.total - ledger.database + bytes <= capacity(ledger) else { return false }
            ledger.database = bytes
            return true
        }
    }
}
