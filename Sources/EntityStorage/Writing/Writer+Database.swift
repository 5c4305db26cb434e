import HTTPCore

/// Opens and closes the database.
extension Writer {
    /// Opens the database, or makes one; sets a damaged one aside first.
    ///
    /// Scans nothing.
    func open() { open { error in setAside(error) } }

    /// Tries again to open a database after a failure; returns whether one is in use now.
    func reopen() -> Bool {
        if isCondemned { removeDatabase() }
        open()
        return counters.state == .ok
    }

    private func open(ifDamaged: (DatabaseError) -> Void) {
        do {
            try openDatabase()
        } catch let error as DatabaseError where error.isDamage {
            endDatabase()
            ifDamaged(error)
        } catch let error as DatabaseError {
            postpone(error)
        } catch let error as StoreError {
            disable(error)
        } catch {
            disable(StoreError(.databaseNotUsable, "cannot open the database \(directory.databasePath): \(error)"))
        }
        if database == nil {
            parts.review.isUnderWay = false
            hooks.setReader(nil)
        }
    }

    /// Throws `DatabaseError` or `StoreError`.
    private func openDatabase() throws {
        let database = try WritableDatabase(in: directory, parts)
        self.database = database
        openError = nil
        try database.finishInterruptedWork()
        try beginReview(database)
        parts.savings.adopt(try database.connection.meta.savings())
        database.checkpointIfDue()
        counters.beginStoring()
        // Look-ups continue from here; a load after one needs a body file at once.
        hooks.setReader(directory)
        hooks.didOpen(database.connection.seed, database.entries)
        do {
            try database.carryOut(parts.pendingDeletes)
        } catch {
            if error.isDamage { throw error }
            didFail(error)
        }
        makeBallast()
        enforceLimit()
        report()
    }

    /// Releases the database, which is discarded or will be opened again.
    func endDatabase() {
        database?.release()
        database = nil
    }

    /// The disk or another program prevents opening the database: the store is empty until it permits it.
    private func postpone(_ error: DatabaseError) {
        endDatabase()
        openError = StoreError(
            .databaseNotUsable,
            "cannot open the database \(directory.databasePath): \(error.message); "
                + (error.isBusy ? "end the program that uses it" : "make room, or make it writable"),
            underlying: error
        )
        if lockWait.waits(for: error) { waitForLock() } else { diskRefused(error.message) }
    }

    func disable(_ error: StoreError) {
        openError = error
        endDatabase()
        counters.enter(
            .disabled(reason: error.userMessage),
            StoreNotice(.error, "the store is not used", [("reason", error.userMessage)])
        )
    }

    // MARK: Damage

    /// Begins a new database; keeps a damaged one beside it, without its body files, if that leaves enough room.
    func setAside(_ error: DatabaseError) {
        counters.enter(.opening, nil)
        hooks.setReader(nil)
        endDatabase()
        counters.change { $0.damaged += 1 }
        let isKept = error.isDamage && directory.size(of: StoreDirectory.database) <= parts.limits.limit / 4
        let path = directory.setDatabaseAside(isKept: isKept)
        removeDatabase()
        counters.send(
            StoreNotice(
                .error,
                "the database could not be used; a new one was begun",
                [("reason", error.message), ("kept", path ?? "no")]
            )
        )
        open { error in
            disable(StoreError(.databaseNotUsable, "a new database in \(directory.path) is damaged: \(error.message)"))
        }
    }

    /// Removes the database, which must not be open, with all that belongs to it.
    func removeDatabase() {
        directory.removeDatabase()
        directory.removeAllBodies()
        forgetRows()
        parts.pendingDeletes.clear()
        isCondemned = false
    }

    /// The rows are gone, and with them the known space on the disk.
    func forgetRows() {
        parts.diskBudget.change { ledger in
            ledger.database = 0
            ledger.diskRoom = .max
        }
        counters.change { statistics in
            statistics.entries = 0
            statistics.space = SpaceSavings()
        }
    }

    // MARK: Closing

    /// Ends removals, saves what a restart should know, and closes the database; `completion` follows.
    ///
    /// All work that was queued before is done.
    func close(_ completion: @escaping @Sendable () -> Void) {
        finishRemovals { writer in
            writer.saveUse()
            writer.saveSavings()
            writer.closeDatabase()
            completion()
        }
    }

    private func closeDatabase() {
        let isOutdated = hasOutdatedRows()
        try? database?.connection.database.checkpoint(truncating: true)
        hooks.setReader(nil)
        if isOutdated {
            endDatabase()
            removeDatabase()
            counters.send(StoreNotice(.error, "changes could not be made in the database: it was removed"))
        }
        database = nil
        counters.enter(.closed, nil)
    }

    /// Whether rows that must be gone or invalid still cannot be changed: the next start would serve them.
    private func hasOutdatedRows() -> Bool {
        let pending = parts.pendingDeletes
        guard let database else {
            // Another version may be able to open it.
            if case .disabled = counters.state { return false }
            return isCondemned || pending.all.values.contains { $0 != .supersede }
        }
        guard !pending.isEmpty, (try? database.carryOut(pending)) == nil else { return false }
        return pending.all.keys.contains { bytes in
            guard let uri = TargetURI(canonical: bytes.span) else { return false }
            return (try? database.connection.entries.rows(of: uri).isEmpty) != true
        }
    }
}
