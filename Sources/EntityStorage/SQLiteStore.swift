public import HTTPCaching
public import HTTPCore
import Platform
public import Stores
public import Transforms

/// Stored responses in one SQLite database and body files, under a hard limit.
///
/// One thread writes in batches (up to 100 records, 1 MiB or 50 ms), another reads, a third writes and checks body
/// files. Completions run on these threads and must not block. After a failure the store acts as if it were empty, and
/// reports that once by `notice`.
public final class SQLiteStore: VariantStore {
    /// How long a record waits for others that share its transaction.
    private static let batchTime = Duration.milliseconds(50)
    private static let garbageDelay = Duration.seconds(10)

    private let parts: StoreParts
    private let writer: Writer
    private let reader: Reader
    private let writerThread: WorkerThread
    private let readerThread: WorkerThread

    /// Acquires the directory's lock and begins to open the database; look-ups made before it is open wait.
    ///
    /// Throws if the directory cannot be used, another process uses it, or the limit is below 1 MiB. Problems with the
    /// database are reported by `whenOpen` and `statistics()`.
    /// - Parameter notice: receives messages for a log, on the store's threads.
    public init(
        _ configuration: StoreConfiguration,
        notice: @escaping @Sendable (StoreNotice) -> Void
    ) throws(StoreError) {
        guard configuration.limit >= StoreLimits.minimumLimit else {
            throw StoreError(
                .limitTooSmall(minimum: StoreLimits.minimumLimit),
                "`storage.limit` is \(configuration.limit) bytes; the least is 1 MiB"
            )
        }
        let limits = StoreLimits(limit: configuration.limit, maximumObjectSize: configuration.maximumObjectSize)
        let opened = try StoreDirectory(configuration.directory, isHandedOver: configuration.isHandedOver)
        let hasher = try CredentialHasher(opened)
        let writerThread = WorkerThread(name: "store-write")
        let readerThread = WorkerThread(name: "store-read")
        let link = WriterLink()
        let parts = StoreParts(
            configuration: configuration,
            directory: CurrentDirectory(opened),
            hasher: hasher,
            diskBudget: DiskBudget(limits: limits),
            counters: StoreCounters(limit: configuration.limit, notice: notice),
            pendingDeletes: PendingDeletes(limit: configuration.pendingDeleteLimit),
            writeQueue: WriteQueue(
                limits: limits,
                byteLimit: configuration.queueBytes,
                countLimit: configuration.queueCount
            ) { atOnce in
                let drain: @Sendable () -> Void = { link.writer?.drain() }
                if atOnce {
                    writerThread.submit(drain)
                } else {
                    writerThread.submit(after: SQLiteStore.batchTime, drain)
                }
            },
            filesThread: WorkerThread(name: "store-files")
        )
        let reader = Reader(parts)
        let writer = Writer(parts, Self.hooks(parts, reader, writerThread: writerThread, readerThread: readerThread))
        self.parts = parts
        self.reader = reader
        self.writer = writer
        self.writerThread = writerThread
        self.readerThread = readerThread
        writerThread.submit {
            link.writer = writer
            for notice in opened.notices { parts.counters.send(notice) }
            writer.open()
            writer.collectGarbage(after: SQLiteStore.garbageDelay)
            writer.keepSavingUse()
            writer.keepSavingSavings()
            writer.keepWatchingDirectory()
            writer.drain()
        }
    }

    private static func hooks(
        _ parts: StoreParts,
        _ reader: Reader,
        writerThread: WorkerThread,
        readerThread: WorkerThread
    ) -> WriterHooks {
        WriterHooks(
            setReader: { directory in
                if let directory {
                    readerThread.submit { reader.use(directory) }
                } else {
                    parts.filter.end()
                    readerThread.perform { reader.use(nil) }
                }
            },
            schedule: { delay, work in
                writerThread.submit(after: delay) { parts.writeQueue.addAhead(work) }
            },
            didOpen: { seed, entries in
                let walk = parts.filter.begin(seed: seed, entries: Int(clamping: entries))
                parts.writeQueue.add { _ in reader.walkKeys(walk, on: readerThread) }
            }
        )
    }

    deinit {
        writerThread.stop()
        readerThread.stop()
        parts.filesThread.stop()
    }

    /// Names the partitions of credentials by the key in the store's directory.
    public var hasher: CredentialHasher { parts.hasher }
    public var keepsPrivate: Bool { parts.configuration.keepsPrivate }

    // MARK: Records

    public func lookUp(_ uri: TargetURI, _ completion: @escaping @Sendable ([StoredRecord]) -> Void) {
        afterChanges(of: uri) { reader, hidden in
            if hidden.contains(uri.bytes) { completion([]) } else { reader.lookUp(uri, completion) }
        }
    }

    public func mayHold(_ uri: TargetURI) -> Bool { parts.filter.mayHold(uri) }

    public func commit(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void) {
        if parts.writeQueue.add(.commit(record, durable)) { return addToFilter(record.uri) }
        parts.counters.change { $0.refused += 1 }
        _ = parts.writeQueue.add(.removeVariant(record.uri, record.partition, record.selection))
        writerThread.submit { durable(false) }
    }

    /// Call it when the change is queued: a walk that another thread announces meanwhile then runs after the change.
    private func addToFilter(_ uri: TargetURI) {
        let filter = parts.filter
        guard filter.add(uri), let walk = filter.renew(entries: Int(clamping: parts.counters.snapshot.entries)) else {
            return
        }
        parts.writeQueue.add { [reader, readerThread] _ in reader.walkKeys(walk, on: readerThread) }
    }

    public func commit(
        _ rendition: StoredRendition,
        of original: StoredRecord,
        durable: @escaping @Sendable (Bool) -> Void
    ) {
        if parts.writeQueue.add(.commitRendition(rendition, of: original, durable)) { return }
        parts.counters.change { $0.refused += 1 }
        writerThread.submit { durable(false) }
    }

    public func lookUp(
        _ name: RenditionName,
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
        _ = parts.writeQueue.add(.freshen(record, durable))
    }

    public func invalidate(_ uri: TargetURI, durable: @escaping @Sendable (Bool) -> Void) {
        // If nothing is stored, no caller has to wait.
        guard parts.filter.contains(uri) else { return durable(true) }
        _ = parts.writeQueue.add(.invalidate(uri, durable), isUrgent: true)
    }

    public func remove(_ uri: TargetURI, partition: Partition, selection: [UInt8]) {
        _ = parts.writeQueue.add(.removeVariant(uri, partition, selection))
    }

    public func remove(_ uri: TargetURI, _ completion: @escaping @Sendable (Int) -> Void) {
        _ = parts.writeQueue.add(.remove(uri, completion), isUrgent: true)
    }

    public func removeAll(
        where condition: @escaping @Sendable (TargetURI) -> Bool,
        _ completion: @escaping @Sendable (Int) -> Void
    ) {
        let number = parts.removals.begin(condition)
        parts.writeQueue.add { writer in writer.remove(where: condition, number: number, completion) }
    }

    public func removeAll(taggedBy tags: Set<CacheTag>, _ completion: @escaping @Sendable (Int) -> Void) {
        let number = parts.removals.begin(taggedBy: tags) { _ in true }
        // Rows that come later stay; those of a database that is not open yet have any ids.
        let bound = parts.rowIDs.bound()
        if bound.epoch > 0 { parts.removals.limit(number, to: bound.id) }
        parts.writeQueue.add { writer in
            writer.remove(taggedBy: tags, number: number, bound: bound, completion)
        }
    }

    public func mayHoldQuestions(to uri: TargetURI) -> Bool { parts.filter.containsQuestions(to: uri) }

    public func removeQuestions(to uri: TargetURI, _ completion: @escaping @Sendable (Int) -> Void) {
        guard mayHoldQuestions(to: uri) else { return completion(0) }
        let condition: @Sendable (TargetURI) -> Bool = { $0.isQuestion(of: uri) }
        let number = parts.removals.begin(condition)
        parts.writeQueue.add { writer in
            writer.remove(where: condition, number: number, questionsTo: uri, completion)
        }
    }

    public func list(
        after cursor: Int64,
        limit: Int,
        where test: any RowTest,
        _ completion: @escaping @Sendable (StoredPage) -> Void
    ) {
        afterChanges(of: nil) { [readerThread] reader, hidden in
            let listing = RowListing(after: cursor, limit: limit, without: hidden, where: test)
            reader.list(listing, on: readerThread, completion)
        }
    }

    public func list(taggedBy tags: Set<CacheTag>, _ then: @escaping @Sendable ([TargetURI]) -> Void) {
        afterChanges(of: nil) { [readerThread] reader, hidden in
            reader.list(taggedBy: tags, without: hidden, on: readerThread, then)
        }
    }

    public func flush(_ completion: @escaping @Sendable () -> Void) {
        parts.writeQueue.add { writer in
            writer.finishRemovals { writer in
                writer.report()
                completion()
            }
        }
    }

    /// Reads on the reader's thread, once the queued changes of `uri` (nil: of any URI) are committed.
    ///
    /// If the changes must wait for another program, `read` gets the URIs to hide.
    private func afterChanges(
        of uri: TargetURI?,
        _ read: @escaping @Sendable (Reader, HiddenChanges) -> Void
    ) {
        let submit: @Sendable () -> Void = { [queue = parts.writeQueue, reader, readerThread] in
            queue.afterChanges(of: uri) { hidden in readerThread.submit { read(reader, hidden) } }
        }
        guard let uri, parts.review.isUnderWay else { return submit() }
        parts.writeQueue.addAhead { writer in
            writer.reviewRows(of: uri)
            submit()
        }
    }

    // MARK: Bodies

    public func acceptsBody(of length: Int64) -> Bool {
        parts.counters.state.keepsBodies && length <= parts.limits.maximumObjectSize
    }

    public func makeBody(expected: Int64?) -> (any BodyWriter)? {
        guard acceptsBody(of: expected ?? 0) else { return nil }
        return SpillWriter(
            ticket: parts.makeTicket(),
            diskBudget: parts.diskBudget,
            worker: parts.filesThread,
            makeRoom: { [queue = parts.writeQueue] bytes, completion in
                queue.addAhead { writer in completion(writer.makeRoomForFiles(bytes)) }
            },
            onFull: { [queue = parts.writeQueue] error in
                queue.addAhead { writer in writer.diskRefused(error.text) }
            }
        )
    }

    // MARK: Operation

    /// Calls back once the database is open, or with the reason why it cannot be opened.
    package func whenOpen(_ completion: @escaping @Sendable (StoreError?) -> Void) {
        parts.writeQueue.add { writer in completion(writer.openError) }
    }

    /// A response of `uri` was used from memory: eviction keeps its records longer.
    ///
    /// Cheap enough for each entry that leaves memory, but not for each hit.
    public func touch(_ uri: TargetURI) { parts.uses.touch(uri) }

    /// Tries a full disk or a locked database again now, rather than when the next try is due.
    public func retry(_ completion: @escaping @Sendable () -> Void) {
        parts.writeQueue.addAhead { writer in
            writer.probeDisk()
            writer.tryLock()
            completion()
        }
    }

    /// Checks now that the directory is still the one that was opened, without waiting for the next check.
    package func checkDirectory(_ completion: @escaping @Sendable () -> Void) {
        parts.writeQueue.add { writer in
            writer.checkDirectory()
            completion()
        }
    }

    /// Why the directory at `path` cannot be a store; nil if it can, or is missing.
    ///
    /// Changes nothing.
    public static func refusal(ofDirectory path: String, isHandedOver: Bool) -> StoreError? {
        StoreClaim.refusal(at: path, isHandedOver: isHandedOver)
    }

    /// Completes the review of rows from an earlier version or other settings now, in place of small steps.
    package func finishReview(_ completion: @escaping @Sendable () -> Void) {
        parts.writeQueue.add { writer in
            writer.finishReview()
            completion()
        }
    }

    /// Calls back once every body that is committed by then was compared with the bodies that may have the same bytes.
    package func finishComparisons(_ completion: @escaping @Sendable () -> Void) {
        parts.writeQueue.add { writer in writer.sharing.whenIdle(completion) }
    }

    /// Removes all body files without a row at once; after each start the store does so slowly.
    package func collectGarbage(_ completion: @escaping @Sendable () -> Void) {
        parts.writeQueue.add { writer in
            for shelf in 0..<256 { writer.collectGarbage(onShelf: shelf) }
            completion()
        }
    }

    /// Adds to the saved sums what `source` counts since the start of the process; it is called on any thread.
    public func keepSavings(of source: @escaping @Sendable () -> Savings) { parts.savings.begin(source) }

    /// What was saved since the store was made, over restarts; from any thread, cheap.
    public var savings: Savings { parts.savings.total }

    /// Writes the saved sums now, without waiting for the next time.
    package func writeSavings(_ completion: @escaping @Sendable () -> Void) {
        parts.writeQueue.add { writer in
            writer.saveSavings()
            completion()
        }
    }

    /// The statistics at this moment; from any thread, cheap.
    public func statistics() -> StoreStatistics {
        var current = parts.counters.snapshot
        current.queued = parts.writeQueue.count
        current.pendingInvalidations = parts.writeQueue.invalidationCount + parts.pendingDeletes.count
        current.misses += parts.filter.absenceCount
        return current
    }

    /// Completes all queued work, saves what a restart needs, closes the database and releases the lock.
    public func close(_ completion: @escaping @Sendable () -> Void) {
        let filesThread = parts.filesThread
        // Complete bodies become records first: their last bytes are written, then they are finished.
        filesThread.submit { [closeWriter] in
            if !filesThread.submit({ closeWriter(completion) }) { closeWriter(completion) }
        }
    }

    private func closeWriter(_ completion: @escaping @Sendable () -> Void) {
        parts.writeQueue.add { [readerThread, writerThread, filesThread = parts.filesThread] writer in
            writer.close { [writer] in
                filesThread.perform {}
                writer.directory.unlock()
                filesThread.stop()
                readerThread.stop()
                writerThread.stop()
                completion()
            }
        }
        // Has no effect if the writer has ended by then.
        writerThread.submit(after: parts.configuration.closingPatience) { [writer] in writer.endPatience() }
    }
}

/// Connects the write queue to the writer, which is made after it; used on the writer's thread only.
private final class WriterLink: @unchecked Sendable {
    weak var writer: Writer?
}
