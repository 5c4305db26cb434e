import Locking
import Platform

/// The right to a body file that has no row: whoever drops the last reference removes it.
final class BodyTicket: Sendable {
    private enum Fate {
        /// In `spill`, without a row.
        case draft(reserved: Int64)
        /// A row refers to it: the store removes it.
        case stored
        case removed
    }

    let file: Int64
    /// Which database the file may get a row in: a new one knows nothing of files of the old.
    let epoch: Int
    private let directory: StoreDirectory
    private let space: DiskBudget
    private let worker: WorkerThread
    private let fate = Lock(Fate.draft(reserved: 0))

    init(file: Int64, epoch: Int, directory: StoreDirectory, space: DiskBudget, worker: WorkerThread) {
        self.file = file
        self.epoch = epoch
        self.directory = directory
        self.space = space
        self.worker = worker
    }

    deinit { remove() }

    var isStored: Bool {
        fate.withLock { fate in
            if case .stored = fate { true } else { false }
        }
    }

    /// What `du` may count for the file so far.
    var reserved: Int64 {
        fate.withLock { fate in
            if case .draft(let reserved) = fate { reserved } else { 0 }
        }
    }

    /// The space ledger has been asked for what lets the file grow to `bytes`.
    func setReserved(_ bytes: Int64) {
        fate.withLock { fate in
            if case .draft = fate { fate = .draft(reserved: bytes) }
        }
    }

    /// A row refers to the file now.
    func markStored() {
        fate.withLock { fate in
            if case .draft = fate { fate = .stored }
        }
    }

    /// Removes a draft's file, off the caller's thread; descriptors that are open stay readable.
    func remove() {
        let reserved: Int64? = fate.withLock { fate in
            guard case .draft(let reserved) = fate else { return nil }
            fate = .removed
            return reserved
        }
        guard let reserved else { return }
        worker.submit { [directory, space, file] in
            directory.removeDraft(file)
            space.releaseFiles(reserved)
        }
    }
}
