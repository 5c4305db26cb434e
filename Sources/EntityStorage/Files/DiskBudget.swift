import Locking

/// What a store uses of its limit.
///
/// Whatever is about to grow asks here first, so that the sum never exceeds the limit. Safe from any thread: the writer
/// and the thread that writes body files use it.
final class DiskBudget: Sendable {
    struct Ledger {
        /// The size of the database file, or the size it may grow to before it asks again.
        var database: Int64 = 0
        /// Body files, drafts included.
        var files: Int64 = 0
        var directories: Int64 = 0
        /// Damaged databases that were kept.
        var setAside: Int64 = 0
        /// What the disk has room for, if that is less than the limit.
        var diskRoom: Int64 = .max

        var total: Int64 { database + files + directories + setAside }
    }

    /// At least this much of the limit remains when a disk turns out to be smaller.
    private static let leastRoom: Int64 = 256 << 10

    let limits: StoreLimits
    private let ledger = Lock(Ledger())

    init(limits: StoreLimits) { self.limits = limits }

    /// Bytes that rows, pages and files may take together.
    var capacity: Int64 { ledger.withLock { capacity($0) } }

    private func capacity(_ ledger: Ledger) -> Int64 { min(limits.limit - limits.fixed, ledger.diskRoom) }

    var used: Ledger { ledger.withLock { $0 } }

    /// Bytes above the capacity; nil if the store keeps within it.
    var excess: Int64? {
        ledger.withLock { ledger in
            let excess = ledger.total - capacity(ledger)
            return excess > 0 ? excess : nil
        }
    }

    func change(_ body: (inout Ledger) -> Void) { ledger.withLock { body(&$0) } }

    /// The disk has less room than the limit: from now on three quarters of what was tried must do.
    func lowerCapacity() {
        ledger.withLock { $0.diskRoom = max(DiskBudget.leastRoom, min($0.total, capacity($0)) / 4 * 3) }
    }

    /// Tries a quarter more; returns whether the limit itself holds again.
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
