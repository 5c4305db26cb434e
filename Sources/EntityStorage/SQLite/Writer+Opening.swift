import HTTPCore

extension Writer {
    /// Opens the database, or begins one; sets a damaged one aside first.
    ///
    /// Scans nothing.
    func open() { open { error in setAside(error) } }

    /// Tries again what could not be opened; the state that results.
    func reopen() -> StoreState {
        if isCondemned { removeDatabase() }
        open { error in setAside(error) }
        return board.state
    }

    private func open(ifDamaged: (DatabaseError) -> Void) {
        do {
            try openDatabase()
        } catch let error as DatabaseError where error.isDamage {
            connection = nil
            ifDamaged(error)
        } catch let error as DatabaseError {
            postpone(error)
        } catch let error as StoreError {
            disable(error)
        } catch {
            disable(StoreError(.databaseNotUsable, "cannot open the database \(directory.database): \(error)"))
        }
        if connection == nil { setReader(nil) }
    }

    /// The disk does not let the database be opened: the store is empty until it does.
    private func postpone(_ error: DatabaseError) {
        connection = nil
        openError = StoreError(
            .databaseNotUsable,
            "cannot open the database \(directory.database): \(error.message); make room, or make it writable",
            underlying: error
        )
        FileSystem.remove(directory.ballast)
        hasBallast = false
        diskRefused(error.message)
    }

    private func disable(_ error: StoreError) {
        openError = error
        connection = nil
        board.enter(
            .disabled(reason: error.userMessage),
            StoreNotice(.error, "the store is not used", [("reason", error.userMessage)])
        )
    }

    /// Throws `DatabaseError` or `StoreError`.
    private func openDatabase() throws {
        let database = try Database(path: directory.database)
        let isNew = try prepareSchema(database)
        try refuseTruncated(database)
        let connection = try WriterConnection(database)
        numbers.begin(after: try database.number("SELECT max(id) FROM entry"))
        uses.begin(seed: connection.seed)
        let knownFileBytes = try connection.figure("file_bytes")
        entries = try connection.figure("entries")
        database.logFrames = Int((FileSystem.count(directory.log) ?? 0) / Budget.frameSize)
        maximumPages = 0
        space.change { ledger in
            ledger.files += knownFileBytes - fileBytes
            ledger.aside = asideFiles.reduce(0) { $0 + FileSystem.usage(directory.path + "/" + $1) }
        }
        fileBytes = knownFileBytes
        self.connection = connection
        openError = nil
        if isNew { clearFiles() }
        try finishInterruptedWork(connection)
        for shelf in 0..<256 { measureShelf(shelf) }
        settle(connection)
        board.enter(.ok, nil)
        // Look-ups go on now, and what they do not find wants a body file at once.
        setReader(directory.database)
        didOpen(connection.seed, entries)
        if !removeSuppressed() { diskRefused("what was removed meanwhile cannot be removed from the database") }
        makeBallast()
        enforceLimit()
        report()
    }

    /// Removes the rows of URIs that could not be removed when they should; whether that is done.
    func removeSuppressed() -> Bool {
        guard !suppression.isEmpty else { return true }
        let hidden = suppression.all
        guard connection != nil, removeRows(where: { hidden.contains($0.octets) }) != nil else { return false }
        suppression.clear()
        return true
    }

    /// Makes or migrates the tables; whether there were none.
    private func prepareSchema(_ database: Database) throws -> Bool {
        let version = Int(try database.number("PRAGMA user_version"))
        let owner = try database.number("PRAGMA application_id")
        let isNew = try version == 0 && owner == 0 && database.number("SELECT count(*) FROM sqlite_schema") == 0
        guard isNew || owner == Schema.applicationID else {
            throw StoreError(
                .foreignDatabase,
                "\(directory.database) is a database of another program; move it away or change `storage.directory`"
            )
        }
        guard version <= Schema.version else {
            throw StoreError(
                .newerVersion(found: version, known: Schema.version),
                "the database \(directory.database) has version \(version), this program knows \(Schema.version): "
                    + "use the newer program, or another `storage.directory`"
            )
        }
        if isNew { try database.execute(Schema.beforeTables) }
        try database.execute(Schema.writer)
        for step in version..<Schema.version {
            try database.execute("BEGIN IMMEDIATE;\(Schema.migrations[step])PRAGMA user_version=\(step + 1);COMMIT")
        }
        return isNew
    }

    /// A file shorter than its own page count was cut; SQLite notices only when it reads there.
    ///
    /// The log may hold the missing pages.
    private func refuseTruncated(_ database: Database) throws {
        guard (FileSystem.count(directory.log) ?? 0) == 0, let count = FileSystem.count(directory.database) else {
            return
        }
        if count < (try database.number("PRAGMA page_count")) * Budget.pageSize {
            throw DatabaseError(code: 11, message: "the file is shorter than the database")
        }
    }

    /// Removes files that were to be removed, and drafts that got no row; moves those that did.
    private func finishInterruptedWork(_ connection: WriterConnection) throws {
        for doomed in try connection.doomedFiles() {
            removeFile(doomed.file, size: doomed.size)
        }
        for name in FileSystem.names(in: directory.spill) {
            guard let file = Int64(name), try connection.hasRow(file: file) else {
                FileSystem.remove(directory.spill + "/" + name)
                continue
            }
            moveToShelf(file)
        }
    }

    // MARK: Damage

    /// Begins a new database.
    ///
    /// A damaged one is kept beside it, as long as it leaves room; its body files are not.
    func setAside(_ error: DatabaseError) {
        board.enter(.opening, nil)
        setReader(nil)
        connection = nil
        board.change { $0.damaged += 1 }
        let aside = "\(directory.database).damaged-\((asideNumbers.max() ?? 0) + 1)"
        for name in asideFiles { FileSystem.remove(directory.path + "/" + name) }
        let isKept = error.isDamage && (FileSystem.count(directory.database) ?? 0) <= budget.limit / 4
        if isKept { try? FileSystem.rename(directory.database, aside) }
        removeDatabase()
        board.tell(
            StoreNotice(
                .error,
                "the database could not be used; a new one was begun",
                [("reason", error.message), ("kept", isKept ? aside : "no")]
            )
        )
        open { error in
            disable(StoreError(.databaseNotUsable, "a new database in \(directory.path) is damaged: \(error.message)"))
        }
    }

    /// Removes the database with all that belongs to it; it is not open.
    private func removeDatabase() {
        for path in [directory.database, directory.log, directory.sharedMemory] { FileSystem.remove(path) }
        forgetFiles()
        suppression.clear()
        isCondemned = false
    }

    private var asideNumbers: [Int] { asideFiles.compactMap { Int($0.split(separator: "-").last ?? "") } }

    private var asideFiles: [String] {
        FileSystem.names(in: directory.path).filter { $0.hasPrefix("cache.db.damaged-") }
    }

    /// The rows are gone: so are the body files, whatever they take.
    private func forgetFiles() {
        clearFiles()
        let released = removedFiles.reduce(Int64(0)) { $0 + Budget.fileCost($1.size) }
        space.change { ledger in
            ledger.files -= fileBytes - released
            ledger.database = 0
        }
        fileBytes = 0
        entries = 0
        removedFiles = []
    }

    /// Removes all body files; drafts that are being written stay readable, and get no row.
    private func clearFiles() {
        for shelf in 0..<256 {
            let path = directory.shelf(shelf)
            for name in FileSystem.names(in: path) { FileSystem.remove(path + "/" + name) }
        }
        for name in FileSystem.names(in: directory.spill) { FileSystem.remove(directory.spill + "/" + name) }
    }
}
