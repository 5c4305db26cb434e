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
        return counters.state
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
        if connection == nil {
            review.isUnderWay = false
            setReader(nil)
        }
    }

    /// The disk does not let the database be opened: the store is empty until it does.
    private func postpone(_ error: DatabaseError) {
        connection = nil
        openError = StoreError(
            .databaseNotUsable,
            "cannot open the database \(directory.database): \(error.message); make room, or make it writable",
            underlying: error
        )
        directory.root.remove(StoreDirectory.ballast)
        hasBallast = false
        diskRefused(error.message)
    }

    func disable(_ error: StoreError) {
        openError = error
        connection = nil
        counters.enter(
            .disabled(reason: error.userMessage),
            StoreNotice(.error, "the store is not used", [("reason", error.userMessage)])
        )
    }

    /// Throws `DatabaseError` or `StoreError`.
    private func openDatabase() throws {
        let database = try Database(StoreDirectory.database, in: directory.root, at: directory.path)
        databaseIdentity = directory.root.status(of: StoreDirectory.database)?.identity
        let isNew = try prepareSchema(database)
        try refuseTruncated(database)
        let connection = try WriterConnection(database)
        database.setPatience(lockPatience)
        numbers.begin(after: try database.number("SELECT max(id) FROM entry"))
        uses.begin(seed: connection.seed)
        let knownFileBytes = try connection.figure("file_bytes")
        entries = try connection.figure("entries")
        database.logFrames = Int(count(StoreDirectory.log) / Budget.frameSize)
        maximumPages = 0
        space.change { ledger in
            ledger.files += knownFileBytes - fileBytes
            ledger.aside = asideFiles.reduce(0) { $0 + (directory.root.status(of: $1)?.usage ?? 0) }
        }
        fileBytes = knownFileBytes
        self.connection = connection
        openError = nil
        if isNew { clearFiles() }
        try finishInterruptedWork(connection)
        for shelf in 0..<256 { measureShelf(shelf) }
        try beginReview(connection)
        settle(connection)
        counters.enter(.ok, nil)
        // Look-ups go on now, and what they do not find wants a body file at once.
        setReader(directory)
        didOpen(connection.seed, entries)
        do {
            try changeSuppressed()
        } catch {
            if error.isDamage { throw error }
            didFail(error)
        }
        makeBallast()
        enforceLimit()
        report()
    }

    /// Removes or marks the rows of URIs that could not be when they should.
    func changeSuppressed() throws(DatabaseError) {
        guard let connection else { return }
        var rest = Array(pendingDeletes.all)[...]
        while !rest.isEmpty {
            let part = rest.prefix(32)
            rest = rest.dropFirst(part.count)
            let uris = part.compactMap { change in TargetURI(canonical: change.key).map { ($0, change.value) } }
            var rows: [WriterConnection.RowPlace] = []
            for (uri, change) in uris where change == .remove { rows += try connection.rows(of: uri) }
            _ = try remove(rows, connection)
            guard try makeLogRoom(budget.logFrames / 2) else { throw Self.logIsFull }
            try commit(connection) { () throws(DatabaseError) in
                for (uri, change) in uris where change == .mark { try connection.invalidate(uri) }
            }
            pendingDeletes.remove(part.map(\.key))
        }
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
        guard count(StoreDirectory.log) == 0 else { return }
        if count(StoreDirectory.database) < (try database.number("PRAGMA page_count")) * Budget.pageSize {
            throw DatabaseError(code: 11, message: "the file is shorter than the database")
        }
    }

    /// Removes files that were to be removed, and drafts that got no row; moves those that did.
    private func finishInterruptedWork(_ connection: WriterConnection) throws {
        for doomed in try connection.doomedFiles() {
            removeFile(doomed.file, size: doomed.size)
        }
        for file in directory.drafts {
            if try connection.hasRow(file: file) { moveToShelf(file) } else { directory.removeDraft(file) }
        }
    }

    // MARK: Damage

    /// Begins a new database.
    ///
    /// A damaged one is kept beside it, as long as it leaves room; its body files are not.
    func setAside(_ error: DatabaseError) {
        counters.enter(.opening, nil)
        setReader(nil)
        connection = nil
        counters.change { $0.damaged += 1 }
        let aside = "\(Self.asidePrefix)\((asideFiles.compactMap(Self.asideNumber).max() ?? 0) + 1)"
        for name in asideFiles { directory.root.remove(name) }
        let isKept = error.isDamage && count(StoreDirectory.database) <= budget.limit / 4
        if isKept { try? directory.root.rename(StoreDirectory.database, to: directory.root, aside) }
        removeDatabase()
        counters.tell(
            StoreNotice(
                .error,
                "the database could not be used; a new one was begun",
                [("reason", error.message), ("kept", isKept ? "\(directory.path)/\(aside)" : "no")]
            )
        )
        open { error in
            disable(StoreError(.databaseNotUsable, "a new database in \(directory.path) is damaged: \(error.message)"))
        }
    }

    /// Removes the database with all that belongs to it; it is not open.
    func removeDatabase() {
        for name in [StoreDirectory.database, StoreDirectory.log, StoreDirectory.sharedMemory] {
            directory.root.remove(name)
        }
        clearFiles()
        forgetRows()
        pendingDeletes.clear()
        isCondemned = false
    }

    private static let asidePrefix = "cache.db.damaged-"

    /// Damaged databases that were kept.
    private var asideFiles: [String] { directory.root.names.filter { Self.asideNumber($0) != nil } }

    /// Nil: the file is none that was named here.
    private static func asideNumber(_ name: String) -> Int? {
        guard name.hasPrefix(asidePrefix) else { return nil }
        let text = name.dropFirst(asidePrefix.count)
        return Int(text).flatMap { $0 > 0 && String($0) == text ? $0 : nil }
    }

    private func count(_ name: String) -> Int64 { directory.root.status(of: name)?.count ?? 0 }

    /// The rows are gone: so are the body files, whatever they took.
    func forgetRows() {
        let released = removedFiles.reduce(Int64(0)) { $0 + Budget.fileCost($1.size) }
        space.change { ledger in
            ledger.files -= fileBytes - released
            ledger.database = 0
            // What the disk holds was found out with what has gone.
            ledger.found = .max
        }
        fileBytes = 0
        entries = 0
        removedFiles = []
    }

    /// Removes all body files; drafts that are being written stay readable, and get no row.
    private func clearFiles() {
        for shelf in 0..<256 {
            for file in directory.files(onShelf: shelf) { directory.removeBody(file) }
        }
        for file in directory.drafts { directory.removeDraft(file) }
    }
}
