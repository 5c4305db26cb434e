import Platform

/// The objects that the threads of a store share; each is safe from any thread.
struct StoreParts: Sendable {
    let configuration: StoreConfiguration
    /// The present directory of the store.
    let directory: CurrentDirectory
    let hasher: CredentialHasher
    let diskBudget: DiskBudget
    let counters: StoreCounters
    let uses = UseBits()
    let savings = SavingsLedger()
    let rowIDs = RowIDs()
    let filter = KeyFilter()
    let review = ReviewFlag()
    let removals = Removals()
    let pendingDeletes: PendingDeletes
    let writeQueue: WriteQueue
    /// The thread that writes, checks and removes body files.
    let filesThread: WorkerThread

    var limits: StoreLimits { diskBudget.limits }

    /// A new, empty body file of the open database.
    ///
    /// - Parameter reserved: bytes that the disk budget has reserved for it.
    func makeTicket(reserved: Int64 = 0) -> BodyTicket {
        // The epoch is read first: a directory that comes later must not count as that of an older database.
        let epoch = rowIDs.epoch
        return BodyTicket(
            file: rowIDs.next(),
            epoch: epoch,
            directory: directory.value,
            diskBudget: diskBudget,
            worker: filesThread,
            reserved: reserved
        )
    }
}

/// Calls of the writer to the store around it.
struct WriterHooks: Sendable {
    /// Makes the reader use the database in a directory, or none (nil); returns when that is done.
    let setReader: @Sendable (StoreDirectory?) -> Void
    /// Makes the writer do something after a time, before other work that is queued then.
    let schedule: @Sendable (Duration, @escaping @Sendable (Writer) -> Void) -> Void
    /// A database was opened, with the seed of its hashes and the number of its rows.
    let didOpen: @Sendable (_ seed: UInt64, _ entries: Int64) -> Void
}
