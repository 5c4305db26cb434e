/// An open database, with the disk space that it and its body files use.
///
/// It belongs to one database file in one directory; for another one there is another object. Used on the writer's
/// thread only.
final class WritableDatabase {
    let connection: WriterConnection
    let directory: StoreDirectory
    /// The number of this database among all that the process opened.
    let epoch: Int
    /// The number of rows.
    private(set) var entries: Int64

    private let identity: FileIdentity?
    private let parts: StoreParts
    private var shelves: BodyShelves
    /// The bytes of body files with rows, as the next transaction will write them into the table `meta`.
    private var fileBytes: Int64
    /// Files that were removed; the next transaction deletes them from the table `doomed`.
    private var removedFiles: [DoomedTable.DoomedFile] = []
    /// The changes of body files to make after COMMIT of the running transaction.
    var changes = FileChanges()
    /// What compression and shared body files save.
    private(set) var space: SpaceSavings
    /// Stored bodies that are to be compared with others; see `takeAlike`.
    private var alike: [(body: StoredBodyFile, other: Int64)] = []
    private var maximumPages: Int64 = 0
    /// An error after COMMIT; see `takeTrouble`.
    private var trouble: DatabaseError?

    /// Opens the database in `directory`, or makes it; scans nothing.
    ///
    /// Throws `DatabaseError` or `StoreError`.
    init(in directory: StoreDirectory, _ parts: StoreParts) throws {
        let database = try Database(StoreDirectory.database, in: directory.root, at: directory.path)
        database.setPatience(parts.configuration.lockPatience)
        identity = directory.root.status(of: StoreDirectory.database)?.identity
        let isNew = try Schema.prepare(database, at: directory.databasePath)
        try Self.refuseTruncated(database, in: directory)
        connection = try WriterConnection(database)
        parts.rowIDs.begin(after: try database.number("SELECT max(id) FROM entry"))
        parts.uses.begin(seed: connection.seed)
        let fileBytes = try connection.meta.number(.fileBytes)
        entries = try connection.meta.number(.entries)
        space = try connection.meta.spaceSavings()
        database.logFrames = Int(directory.size(of: StoreDirectory.log) / StoreLimits.frameSize)
        epoch = parts.rowIDs.epoch
        shelves = BodyShelves(in: directory, diskBudget: parts.diskBudget)
        parts.diskBudget.change { ledger in
            ledger.files += fileBytes
            ledger.setAside = directory.setAsideUsage
        }
        self.fileBytes = fileBytes
        self.directory = directory
        self.parts = parts
        if isNew { directory.removeAllBodies() }
    }

    /// Throws if the file was truncated: it is shorter than its own page count.
    ///
    /// SQLite would notice only when it reads there. The log may contain the missing pages.
    private static func refuseTruncated(_ database: Database, in directory: StoreDirectory) throws(DatabaseError) {
        guard directory.size(of: StoreDirectory.log) == 0 else { return }
        let pages = try database.number("PRAGMA page_count")
        if directory.size(of: StoreDirectory.database) < pages * StoreLimits.pageSize {
            throw DatabaseError(code: 11, message: "the file is shorter than the database")
        }
    }

    /// Completes the work of an earlier run: removes doomed files and drafts without a row, moves drafts with one.
    func finishInterruptedWork() throws(DatabaseError) {
        for doomed in try connection.doomed.all { removeFile(doomed) }
        for file in directory.drafts {
            if try connection.entries.hasRow(file: file) {
                moveToShelf(file)
            } else {
                directory.removeDraft(file)
            }
        }
        shelves.measure()
    }

    /// Whether the path of the database still leads to the file that is open.
    var isInPlace: Bool {
        guard let identity else { return true }
        return directory.root.status(of: StoreDirectory.database)?.identity == identity
    }

    /// Subtracts the body files from the disk budget: the database is discarded, or will be opened again.
    func release() {
        let released = removedFiles.reduce(Int64(0)) { $0 + StoreLimits.fileCost($1.size) }
        parts.diskBudget.change { $0.files -= fileBytes - released }
        shelves.release()
    }

    // MARK: Transactions

    /// Runs `body` in a transaction, which also updates `doomed` and `meta`; moves and removes body files after COMMIT.
    func commit<R>(_ body: () throws(DatabaseError) -> R) throws(DatabaseError) -> R {
        changes = FileChanges()
        let forgotten = removedFiles
        let remainingBytes = fileBytes - forgotten.reduce(0) { $0 + StoreLimits.fileCost($1.size) }
        let result = try connection.transaction { () throws(DatabaseError) -> R in
            for removed in forgotten { try connection.doomed.remove(removed.file) }
            let result = try body()
            let addedBytes = changes.addedBytes
            if addedBytes != 0 || remainingBytes != fileBytes {
                try connection.meta.set(.fileBytes, remainingBytes + addedBytes)
            }
            if changes.addedEntries != 0 {
                try connection.meta.set(.entries, entries + changes.addedEntries)
            }
            try connection.meta.add(changes.space)
            return result
        }
        entries += changes.addedEntries
        space = space + changes.space
        removedFiles.removeFirst(forgotten.count)
        fileBytes = remainingBytes + changes.addedBytes
        changeFiles()
        checkpointIfDue()
        return result
    }

    /// Adds a row in the running transaction; after COMMIT its body file goes to its shelf.
    ///
    /// - Parameters:
    ///   - id: a new one.
    ///   - previous: the row that it replaces, which may have the same file.
    func insert(
        _ row: PreparedRow,
        id: Int64,
        _ key: RecordKey,
        replacing previous: RowReference?,
        vary: [UInt8]
    ) throws(DatabaseError) {
        try connection.changes.insert(row.head, id: id, key: key, vary: vary, tags: row.tags, body: row.body)
        changes.addedEntries += 1
        changes.space.count(1, content: row.head.size, compressed: row.head.compressed)
        guard let file = row.file, previous?.file != file.number else { return }
        changes.stored.append(file)
        try noteContent(of: row)
    }

    /// Deletes a row in the running transaction; after COMMIT its body file is removed, unless that is `keptFile`.
    ///
    /// Returns the bytes that this frees.
    @discardableResult
    func delete(_ row: RowReference, keeping keptFile: Int64 = 0) throws(DatabaseError) -> Int64 {
        try connection.changes.delete(row)
        changes.addedEntries -= 1
        changes.space.count(-1, content: row.size, compressed: row.compressed)
        guard row.file != 0 else { return row.sizeAtRest + 1024 }
        guard row.file != keptFile else { return 0 }
        let isShared = try connection.contents.remove(row.file)
        if isShared { changes.space.countShared(-1, size: row.size) }
        // The bytes of a shared file stay, under its other names.
        let doomed = (file: row.file, size: isShared ? 0 : row.size)
        try connection.doomed.add(doomed)
        changes.doomed.append(doomed)
        return StoreLimits.fileCost(doomed.size)
    }

    /// Whether a row of the running transaction may have this body file.
    ///
    /// A file gets one row: as a draft of this database, or again in place of the row it has.
    func accepts(_ file: StoredBodyFile, replacing previous: RowReference?) -> Bool {
        if previous?.file == file.number { return true }
        guard let ticket = file.ticket, ticket.epoch == epoch, ticket.reserved > 0 else { return false }
        return !changes.stored.contains { $0.number == file.number }
    }

    // MARK: Body files

    private func changeFiles() {
        for body in changes.stored {
            body.ticket?.markStored()
            moveToShelf(body.number)
        }
        for doomed in changes.doomed { removeFile(doomed) }
        parts.diskBudget.releaseFiles(changes.releasedBytes)
        alike += changes.alike
        changes = FileChanges()
    }

    /// Returns the stored bodies that may have the same bytes as another body file, and forgets them.
    func takeAlike() -> [(body: StoredBodyFile, other: Int64)] {
        defer { alike = [] }
        return alike
    }

    private func moveToShelf(_ file: Int64) {
        do {
            try shelves.add(file)
        } catch {
            parts.counters.change { $0.damaged += error.isMissing ? 1 : 0 }
        }
    }

    private func removeFile(_ doomed: DoomedTable.DoomedFile) {
        shelves.remove(doomed.file, size: doomed.size)
        removedFiles.append(doomed)
    }

    // MARK: Log and pages

    /// The most frames in the log.
    var logFrames: Int { parts.limits.logFrames }

    /// Ensures that a transaction of `frames` fits into the log's share; returns false if readers keep the log full.
    func makeLogRoom(_ frames: Int) throws(DatabaseError) -> Bool {
        let database = connection.database
        if database.logFrames + frames <= logFrames { return true }
        try database.checkpoint(truncating: true)
        return database.logFrames + frames <= logFrames
    }

    /// The same, but throws if readers keep the log full.
    func requireLogRoom(_ frames: Int) throws(DatabaseError) {
        guard try makeLogRoom(frames) else { throw DatabaseError.logIsFull }
    }

    /// Ensures half of the log's share, for work that needs many frames.
    func requireHalfOfLog() throws(DatabaseError) { try requireLogRoom(logFrames / 2) }

    /// Ensures that rows of `bytes` find pages, free ones or new ones within the limit; returns how many bytes are
    /// missing.
    func reservePages(_ bytes: Int64) throws(DatabaseError) -> Int64 {
        let pages = try connection.pageCount()
        let missing = bytes - (try connection.freePages()) * StoreLimits.pageSize
        guard missing <= 0 || parts.diskBudget.reserveDatabase(pages * StoreLimits.pageSize + missing) else {
            return missing
        }
        let allowed = max(pages, parts.diskBudget.used.database / StoreLimits.pageSize)
        if allowed != maximumPages {
            try connection.setMaximumPages(allowed)
            maximumPages = allowed
        }
        return 0
    }

    /// Whether the database is close to SQLite's limit of pages.
    func isNearMaximumPages() throws(DatabaseError) -> Bool { try connection.pageCount() >= maximumPages - 8 }

    /// Releases at least `bytes` of free pages to the file system, if there are so many.
    func shrink(_ bytes: Int64) throws(DatabaseError) {
        let step = Int64(min(256, max(8, logFrames / 8)))
        var wanted = min(bytes / StoreLimits.pageSize + 16, try connection.freePages())
        guard wanted > 0 else { return }
        while wanted > 0 {
            // A moved page costs up to three frames.
            guard try makeLogRoom(Int(min(step, wanted)) * 3 + 8) else { return }
            try connection.vacuum(min(step, wanted))
            wanted -= step
        }
        // Only a checkpoint shortens the file.
        try connection.database.checkpoint(truncating: true)
        checkpointIfDue()
    }

    /// Makes a checkpoint if one is due, then notes the true size of the file.
    ///
    /// Runs after each transaction. An error here does not affect committed changes: it is kept for `takeTrouble`.
    func checkpointIfDue() {
        do {
            if connection.database.logFrames >= parts.limits.checkpointFrames {
                try connection.database.checkpoint(truncating: false)
            }
            let pages = try connection.pageCount() * StoreLimits.pageSize
            let size = max(pages, directory.size(of: StoreDirectory.database))
            parts.diskBudget.change { $0.database = size }
        } catch {
            if !error.isBusy { trouble = error }
        }
    }

    /// Returns the error after a COMMIT, and forgets it.
    func takeTrouble() -> DatabaseError? { trouble.take() }
}

extension DatabaseError {
    /// The log has no space, and cannot be emptied.
    static let logIsFull = DatabaseError(
        code: 0x0D,
        message: "the log cannot be emptied: another program reads the database"
    )
}
