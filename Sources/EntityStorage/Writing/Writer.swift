import HTTPCore
import RecordFormat

/// Writes the database, on a thread of its own.
///
/// Changes come in batches, with one transaction for each. Before a transaction the writer makes room within the limit
/// and in the log. Callbacks, and changes of body files, follow COMMIT. Other types do the work; the writer decides
/// when each runs, and what follows from an error.
final class Writer: @unchecked Sendable {
    // The writer's thread makes `@unchecked Sendable` true: everything here is used on it only.
    let parts: StoreParts
    let hooks: WriterHooks
    /// Nil if none could be opened.
    var database: WritableDatabase?
    /// Why the database could not be opened.
    var openError: StoreError?
    /// Whether the database could not be opened, and rows in it had to be removed: it is removed before the next
    /// attempt.
    var isCondemned = false
    /// Whether the directory was removed or replaced, and nothing could be opened in its place yet.
    var isAbandoned = false
    var walks = RemovalWalks()
    var ballast: Ballast
    var diskProbing: DiskProbing
    var lockWait: LockWait
    let sharing: BodySharing
    private let compressor = ContentCompressor()

    init(_ parts: StoreParts, _ hooks: WriterHooks) {
        self.parts = parts
        self.hooks = hooks
        ballast = Ballast(size: parts.limits.ballast)
        diskProbing = DiskProbing(firstDelay: parts.configuration.firstRetryDelay)
        lockWait = LockWait(parts.configuration)
        sharing = BodySharing(parts)
    }

    var counters: StoreCounters { parts.counters }
    var directory: StoreDirectory { parts.directory.value }

    /// Eviction in the open database.
    var eviction: Eviction? { database.map { Eviction(database: $0, parts: parts, mayMove: walks.isEmpty) } }

    /// Does all queued work.
    func drain() {
        while let work = parts.writeQueue.take() {
            let time = ContinuousClock().measure {
                switch work {
                case .control(let run): run(self)
                case .reading(let read): read(HiddenChanges())
                case .rows(let rows): process(rows)
                case .excess(let rows): giveUp(rows)
                }
            }
            counters.change { $0.longestWrite = max($0.longestWrite, time) }
        }
        report()
    }

    /// Updates the statistics: the number of rows, and their space.
    func report() {
        let usedBytes = parts.diskBudget.used.total + directory.logUsage + ballast.usage
        counters.change { statistics in
            if let database {
                statistics.entries = database.entries
                statistics.space = database.space
            }
            statistics.usedBytes = usedBytes
        }
    }

    // MARK: Batches

    private func process(_ operations: [RowOperation]) {
        if database != nil {
            guard let outcomes = attempt(operations) else { return waitForLock(with: operations) }
            complete(operations, outcomes)
        } else {
            hide(operations)
            let isLost = if case .disabled = counters.state { true } else { false }
            complete(operations, operations.map { isLost ? $0.outcomeOfLoss : nil })
        }
        if let error = database?.takeTrouble() { didFail(error) }
        if let database { sharing.compareBodies(of: database) }
    }

    /// Reports outcomes to the callers: how many rows an operation changed, or nil if it was given up.
    func complete(_ operations: [RowOperation], _ outcomes: [Int?]) {
        parts.writeQueue.didEnd(operations)
        report()
        for (operation, outcome) in zip(operations, outcomes) { operation.complete(outcome) }
    }

    /// Runs a batch; if the disk refuses, runs it again without records.
    ///
    /// If that fails too, look-ups no longer find what was to change. But a removal that a caller waits for must be
    /// made: for that the writer discards the database.
    ///
    /// Returns nil if another program has locked the database, and the batch must wait.
    private func attempt(_ operations: [RowOperation]) -> [Int?]? {
        do {
            return try run(operations, storing: counters.state == .ok)
        } catch {
            if lockWait.waits(for: error) { return nil }
            if error.isDamage {
                setAside(error)
                return operations.map(\.outcomeOfLoss)
            }
            diskRefused(error.message)
        }
        do {
            return try run(operations, storing: false)
        } catch {
            if lockWait.waits(for: error) { return nil }
            if error.isDamage || parts.pendingDeletes.isFull || operations.contains(where: \.isPromise) {
                setAside(error)
                return operations.map(\.outcomeOfLoss)
            }
            hide(operations)
            return operations.map { _ in nil }
        }
    }

    private func run(_ operations: [RowOperation], storing: Bool) throws(DatabaseError) -> [Int?] {
        let rows = storing ? prepare(operations) : []
        // Preparing rows may have ended the database.
        guard let database, let eviction else { return operations.map { _ in nil } }
        let batch = RowBatch(operations: operations, database: database, eviction: eviction, parts: parts)
        return try storing ? batch.store(rows) : batch.storeNothing()
    }

    private func prepare(_ operations: [RowOperation]) -> [PreparedRow?] {
        guard let database else { return operations.map { _ in nil } }
        let preparation = RowPreparation(
            seed: database.connection.seed,
            configuration: parts.configuration,
            limits: parts.limits,
            compressor: compressor,
            writeFile: writeFile
        )
        return operations.map(preparation.row)
    }

    /// Hides the rows that these changes would have removed or invalidated, until that is possible.
    func hide(_ operations: [RowOperation]) {
        if case .disabled = counters.state { return }
        for operation in operations {
            parts.pendingDeletes.add(operation.uri.bytes, operation.pendingChange)
        }
    }

    // MARK: Body files

    /// Keeps a body once with `other`, which has the same bytes, if their database is still open.
    func share(_ body: StoredBodyFile, with other: Int64, of epoch: Int) {
        guard let database, database.epoch == epoch, counters.state == .ok else { return }
        do {
            try database.share(body, with: other)
            report()
        } catch {
            didFail(error)
        }
    }

    /// Reserves `bytes` for body files, evicting rows if needed; returns false if that is impossible.
    func makeRoomForFiles(_ bytes: Int64) -> Bool {
        let budget = parts.diskBudget
        if budget.reserveFiles(bytes) { return true }
        guard let eviction, counters.state == .ok, bytes < budget.capacity else { return false }
        do {
            return try eviction.makeRoomForFiles(bytes)
        } catch {
            didFail(error)
            return budget.reserveFiles(bytes)
        }
    }

    /// Writes content that is too large for a row into a body file; nil if there is no room, or the disk refuses.
    private func writeFile(_ bytes: [UInt8]) -> StoredBodyFile? {
        let cost = StoreLimits.fileCost(Int64(bytes.count))
        guard makeRoomForFiles(cost) else { return nil }
        do {
            let spill = try SpillFile(parts.makeTicket(reserved: cost))
            try spill.append(ByteChunk(bytes))
            return spill.finish(worker: parts.filesThread)
        } catch {
            diskRefused(error.text)
            return nil
        }
    }
}
