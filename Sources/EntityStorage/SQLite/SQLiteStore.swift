public import HTTPCore
import Platform
public import ResourceCore
public import Transforms

/// Stored responses in one SQLite database and body files, under a hard limit.
///
/// A thread writes in batches (up to 100 records, 1 MiB or 50 ms), another reads, a third writes and checks body files.
/// Completions run on these threads: they must not block. Whatever fails, the store answers as if it were empty; `notice`
/// says so once.
public final class SQLiteStore: VariantStore {
    /// How long a record waits for company in its transaction.
    private static let batchTime = Duration.milliseconds(50)
    private static let garbageDelay = Duration.seconds(10)

    private let budget: Budget
    private let space: DiskBudget
    private let directory: CurrentDirectory
    /// Names the partitions of credentials by the key in the store's directory.
    public let hasher: CredentialHasher
    private let counters: StoreCounters
    private let uses: UseBits
    private let numbers: RowIDs
    private let writeQueue: WriteQueue
    private let removals: Removals
    private let pendingDeletes: PendingDeletes
    private let closingPatience: Duration
    private let review = Review()
    public let keepsPrivate: Bool
    private let filter = KeyFilter()
    private let writer: Writer
    private let reader: Reader
    private let writerThread: WorkerThread
    private let readerThread: WorkerThread
    private let filesThread: WorkerThread

    /// Takes the directory's lock and begins to open the database; look-ups made before it is open wait.
    ///
    /// Throws if the directory cannot be used, another process uses it, or the limit is below 1 MiB. What is wrong with the
    /// database shows in `whenOpen` and `statistics()`.
    /// - Parameter notice: called on the store's threads with what belongs into a log.
    public init(
        _ configuration: StoreConfiguration,
        notice: @escaping @Sendable (StoreNotice) -> Void
    ) throws(StoreError) {
        guard configuration.limit >= Budget.minimumLimit else {
            throw StoreError(
                .limitTooSmall(minimum: Budget.minimumLimit),
                "`storage.limit` is \(configuration.limit) bytes; the least is 1 MiB"
            )
        }
        let opened = try StoreDirectory(configuration.directory, isHandedOver: configuration.isHandedOver)
        directory = CurrentDirectory(opened)
        hasher = try CredentialHasher(opened)
        keepsPrivate = configuration.keepsPrivate
        budget = Budget(limit: configuration.limit, maximumObjectSize: configuration.maximumObjectSize)
        space = DiskBudget(budget: budget)
        counters = StoreCounters(limit: configuration.limit, notice: notice)
        uses = UseBits()
        numbers = RowIDs()
        let pendingDeletes = PendingDeletes(limit: configuration.suppressionLimit)
        removals = Removals()
        let writerThread = WorkerThread(name: "store-write")
        let readerThread = WorkerThread(name: "store-read")
        filesThread = WorkerThread(name: "store-files")
        let link = WriterLink()
        let writeQueue = WriteQueue(
            budget: budget,
            byteLimit: configuration.queueBytes,
            countLimit: configuration.queueCount
        ) { atOnce in
            let drain: @Sendable () -> Void = { link.writer?.drain() }
            if atOnce { writerThread.submit(drain) } else { writerThread.submit(after: SQLiteStore.batchTime, drain) }
        }
        let filter = filter
        let reader = Reader(
            uses: uses,
            pendingDeletes: pendingDeletes,
            removals: removals,
            counters: counters,
            writeQueue: writeQueue,
            filter: filter,
            files: filesThread,
            keepsPrivate: configuration.keepsPrivate
        )
        writer = Writer(
            directory: directory,
            hasher: hasher,
            review: review,
            space: space,
            uses: uses,
            pendingDeletes: pendingDeletes,
            removals: removals,
            counters: counters,
            writeQueue: writeQueue,
            numbers: numbers,
            files: filesThread,
            configuration: configuration,
            setReader: { directory in
                if let directory {
                    readerThread.submit { reader.use(directory) }
                } else {
                    filter.end()
                    readerThread.perform { reader.use(nil) }
                }
            },
            schedule: { delay, work in
                writerThread.submit(after: delay) { writeQueue.addAhead(work) }
            },
            didOpen: { seed, entries in
                SQLiteStore.walk(
                    filter.begin(seed: seed, entries: Int(clamping: entries)),
                    writeQueue,
                    readerThread,
                    reader
                )
            }
        )
        self.writeQueue = writeQueue
        self.pendingDeletes = pendingDeletes
        closingPatience = configuration.closingPatience
        self.reader = reader
        self.writerThread = writerThread
        self.readerThread = readerThread
        writerThread.submit { [writer] in
            link.writer = writer
            for notice in opened.notices { writer.counters.tell(notice) }
            writer.open()
            writer.schedule(SQLiteStore.garbageDelay) { $0.walkForGarbage() }
            writer.keepSavingUse()
            writer.keepWatchingDirectory()
            writer.drain()
        }
    }

    deinit {
        writerThread.stop()
        readerThread.stop()
        filesThread.stop()
    }

    // MARK: Records

    public func lookUp(_ uri: TargetURI, _ completion: @escaping @Sendable ([StoredRecord]) -> Void) {
        afterChanges(of: uri) { reader, hidden in
            if hidden.contains(uri.bytes) { completion([]) } else { reader.lookUp(uri, completion) }
        }
    }

    public func mayHold(_ uri: TargetURI) -> Bool { filter.mayHold(uri) }

    /// Behind the change in the queue: a walk that is announced in between comes after that.
    private func note(_ uri: TargetURI) {
        guard filter.note(uri), let number = filter.renew(entries: Int(clamping: counters.snapshot.entries)) else {
            return
        }
        SQLiteStore.walk(number, writeQueue, readerThread, reader)
    }

    /// Has the reader walk over all keys, behind what is on its way to the database.
    private static func walk(_ number: Int, _ writeQueue: WriteQueue, _ thread: WorkerThread, _ reader: Reader) {
        writeQueue.add { _ in reader.walkKeys(number, on: thread) }
    }

    public func commit(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void) {
        if writeQueue.add(.commit(record, durable)) { return note(record.uri) }
        counters.change { $0.refused += 1 }
        _ = writeQueue.add(.removeVariant(record.uri, record.partition, record.selection))
        writerThread.submit { durable(false) }
    }

    public func commit(
        _ rendition: StoredRendition,
        of original: StoredRecord,
        durable: @escaping @Sendable (Bool) -> Void
    ) {
        if writeQueue.add(.commitRendition(rendition, of: original, durable)) { return }
        counters.change { $0.refused += 1 }
        writerThread.submit { durable(false) }
    }

    public func lookUp(
        _ name: FormName,
        of original: StoredRecord,
        _ completion: @escaping @Sendable (StoredRendition?) -> Void
    ) {
        afterChanges(of: original.uri) { reader, hidden in
            if hidden.contains(original.uri.bytes) {
                completion(nil)
            } else {
                reader.lookUp(name, of: original, completion)
            }
        }
    }

    public func listRenditions(of uri: TargetURI, _ completion: @escaping @Sendable ([StoredRenditionSummary]) -> Void)
    {
        afterChanges(of: uri) { reader, hidden in
            if hidden.contains(uri.bytes) { completion([]) } else { reader.listRenditions(of: uri, completion) }
        }
    }

    public func freshen(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void) {
        _ = writeQueue.add(.freshen(record, durable))
    }

    public func invalidate(_ uri: TargetURI, durable: @escaping @Sendable (Bool) -> Void) {
        // Nobody waits where nothing is stored.
        guard filter.contains(uri) else { return durable(true) }
        _ = writeQueue.add(.invalidate(uri, durable), isUrgent: true)
    }

    public func remove(_ uri: TargetURI, partition: Partition, selection: [UInt8]) {
        _ = writeQueue.add(.removeVariant(uri, partition, selection))
    }

    public func remove(_ uri: TargetURI, _ completion: @escaping @Sendable (Int) -> Void) {
        _ = writeQueue.add(.remove(uri, completion), isUrgent: true)
    }

    public func removeAll(
        where condition: @escaping @Sendable (TargetURI) -> Bool,
        _ completion: @escaping @Sendable (Int) -> Void
    ) {
        let number = removals.begin(condition)
        writeQueue.add { writer in writer.remove(where: condition, number: number, completion) }
    }

    public func list(after cursor: Int64, limit: Int, _ completion: @escaping @Sendable (StoredPage) -> Void) {
        afterChanges(of: nil) { reader, hidden in
            reader.list(after: cursor, limit: limit, without: hidden, completion)
        }
    }

    public func flush(_ completion: @escaping @Sendable () -> Void) {
        writeQueue.add { writer in
            writer.finishRemovals { writer in
                writer.report()
                completion()
            }
        }
    }

    /// Reads on the reader's thread, not before changes on their way to `uri` (nil: to any) are committed, or hides what
    /// they change where they must wait.
    private func afterChanges(
        of uri: TargetURI?,
        _ read: @escaping @Sendable (Reader, HiddenChanges) -> Void
    ) {
        let submit: @Sendable () -> Void = { [writeQueue, reader, readerThread] in
            writeQueue.afterChanges(of: uri) { hidden in readerThread.submit { read(reader, hidden) } }
        }
        guard let uri, review.isUnderWay else { return submit() }
        writeQueue.addAhead { writer in
            writer.reviewRows(of: uri)
            submit()
        }
    }

    // MARK: Bodies

    public func acceptsBody(of length: Int64) -> Bool {
        counters.state.keepsBodies && length <= budget.maximumObjectSize
    }

    public func makeBody(expected: Int64?) -> (any BodyWriter)? {
        guard acceptsBody(of: expected ?? 0) else { return nil }
        // The epoch first: a directory that has come since is never taken for that of an older database.
        let epoch = numbers.epoch
        let directory = directory.value
        let ticket = BodyTicket(
            file: numbers.next(),
            epoch: epoch,
            directory: directory,
            space: space,
            worker: filesThread
        )
        return SpillWriter(
            ticket: ticket,
            directory: directory,
            space: space,
            worker: filesThread,
            makeRoom: { [writeQueue] bytes, completion in
                writeQueue.addAhead { writer in completion(writer.makeFileRoom(bytes)) }
            },
            onFull: { [writeQueue] error in
                writeQueue.addAhead { writer in writer.diskRefused(error.text) }
            }
        )
    }

    // MARK: Around

    /// Calls back once the database is open or it is known why it will not be.
    package func whenOpen(_ completion: @escaping @Sendable (StoreError?) -> Void) {
        writeQueue.add { writer in completion(writer.openError) }
    }

    /// Records of `uri` were used from memory: eviction lets them stay longer.
    ///
    /// Cheap enough for every departure from memory, not meant for every hit.
    public func touch(_ uri: TargetURI) {
        uses.touch(uri)
    }

    /// Tries a full disk or a locked database again now, not only when its time has come.
    public func retry(_ completion: @escaping @Sendable () -> Void) {
        writeQueue.addAhead { writer in
            writer.probe()
            writer.tryLock()
            completion()
        }
    }

    /// Looks now whether the directory is still the one that was opened, not only when its time has come.
    package func checkDirectory(_ completion: @escaping @Sendable () -> Void) {
        writeQueue.add { writer in
            writer.checkDirectory()
            completion()
        }
    }

    /// Why the directory at `path` would not be taken for a store; nil if it would, or is not there.
    ///
    /// Changes nothing.
    public static func refusal(ofDirectory path: String, isHandedOver: Bool) -> StoreError? {
        StoreClaim.refusal(at: path, isHandedOver: isHandedOver)
    }

    /// Ends the review of what was stored under other settings or by an earlier version, which else goes on slowly.
    package func finishReview(_ completion: @escaping @Sendable () -> Void) {
        writeQueue.add { writer in
            writer.finishReview()
            completion()
        }
    }

    /// Removes files that have no row, all at once; the store does so by itself, slowly, after each start.
    package func collectGarbage(_ completion: @escaping @Sendable () -> Void) {
        writeQueue.add { writer in
            for shelf in 0..<256 { writer.collectGarbage(shelf: shelf) }
            completion()
        }
    }

    /// The statistics of this moment; from any thread, cheap.
    public func statistics() -> StoreStatistics {
        var current = counters.snapshot
        current.queued = writeQueue.count
        current.pendingInvalidations = writeQueue.invalidationCount + pendingDeletes.count
        current.misses += filter.absenceCount
        return current
    }

    /// Does what is queued, saves what a restart should know, closes the database and gives the lock back.
    public func close(_ completion: @escaping @Sendable () -> Void) {
        // Bodies that have come whole become records first: their last bytes are written, then they are finished.
        filesThread.submit { [filesThread, closeWriter] in
            if !filesThread.submit({ closeWriter(completion) }) { closeWriter(completion) }
        }
    }

    private func closeWriter(_ completion: @escaping @Sendable () -> Void) {
        writeQueue.add { [readerThread, filesThread, writerThread] writer in
            writer.close { [writer] in
                filesThread.perform {}
                writer.directory.unlock()
                filesThread.stop()
                readerThread.stop()
                writerThread.stop()
                completion()
            }
        }
        // Dropped when the writer has ended by then.
        writerThread.submit(after: closingPatience) { [writer] in writer.loseLastPatience() }
    }
}

/// Lets the intake reach the writer that is made after it; set and read on the writer's thread only.
private final class WriterLink: @unchecked Sendable {
    weak var writer: Writer?
}
