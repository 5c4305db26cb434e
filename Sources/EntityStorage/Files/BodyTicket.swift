import Locking
import Platform

/// Owns a body file until a row refers to it; the release of the last reference to the ticket removes the file.
final class BodyTicket: Sendable {
    private enum Fate {
        /// In the directory `spill`, without a row.
        case draft(reserved: Int64)
        /// A row refers to it: the store removes the file with the row.
        case stored
        case removed
    }

    let file: Int64
    /// The database in which the file may get a row; a file of another one gets none.
    let epoch: Int
    let directory: StoreDirectory
    private let diskBudget: DiskBudget
    private let worker: WorkerThread
    private let fate: Lock<Fate>

    /// - Parameter reserved: bytes that the disk budget has reserved for the file.
    init(
        file: Int64,
        epoch: Int,
        directory: StoreDirectory,
        diskBudget: DiskBudget,
        worker: WorkerThread,
        reserved: Int64
    ) {
        self.file = file
        self.epoch = epoch
        self.directory = directory
        self.diskBudget = diskBudget
        self.worker = worker
        fate = Lock(.draft(reserved: reserved))
    }

    deinit { remove() }

    /// Bytes that the disk budget has reserved for the draft; 0 once a row refers to the file.
    var reserved: Int64 {
        fate.withLock { fate in
            if case .draft(let reserved) = fate { reserved } else { 0 }
        }
    }

    /// The disk budget has reserved `bytes` for the draft now.
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

    /// Removes the file if it is still a draft, on the worker's thread; open descriptors stay readable.
    func remove() {
        let reserved: Int64? = fate.withLock { fate in
            guard case .draft(let reserved) = fate else { return nil }
            fate = .removed
            return reserved
        }
        guard let reserved else { return }
        worker.submit { [directory, diskBudget, file] in
            directory.removeDraft(file)
            diskBudget.releaseFiles(reserved)
        }
    }
}
