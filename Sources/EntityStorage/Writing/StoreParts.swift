import Platform

/// What the threads of a store share; each part is safe from any thread.
struct StoreParts: Sendable {
    let configuration: StoreConfiguration
    /// The directory the store has now.
    let directory: CurrentDirectory
    let hasher: CredentialHasher
    let diskBudget: DiskBudget
    let counters: StoreCounters
    let uses = UseBits()
    let rowIDs = RowIDs()
    let filter = KeyFilter()
    let review = ReviewFlag()
    let removals = Removals()
    let pendingDeletes: PendingDeletes
    let writeQueue: WriteQueue
    /// The thread that writes, checks and removes body files.
    let filesThread: WorkerThread

    var limits: StoreLimits { diskBudget.limits }

    /// A new body file of the database that is open, with nothing in it.
    ///
    /// - Parameter reserved: bytes that the disk budget has reserved for it.
    func makeTicket(reserved: Int64 = 0) -> BodyTicket {
        // The epoch first: a directory that has come since then must not pass for that of an older database.
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

/// What the writer asks of the store around it.
struct WriterHooks: Sendable {
    /// Moves reading to the database in a directory, or ends it (nil); returns when that is done.
    let setReader: @Sendable (StoreDirectory?) -> Void
    /// Has the writer do something after a time, before what is queued then.
    let schedule: @Sendable (Duration, @escaping @Sendable (Writer) -> Void) -> Void
    /// A database was opened, with the seed of its hashes and the number of its rows.
    let didOpen: @Sendable (_ seed: UInt64, _ entries: Int64) -> Void
}
