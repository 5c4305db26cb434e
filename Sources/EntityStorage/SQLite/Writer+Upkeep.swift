import HTTPCore

/// What the writer does besides changes of single rows.
extension Writer {
    /// Saves which rows were used, so that a restart does not forget.
    func saveUse() {
        guard let connection, counters.state == .ok else { return }
        let rows = uses.takeUnsaved()
        let step = max(16, budget.logFrames / 4)
        var rest = rows[...]
        do {
            guard try makeLogRoom(budget.logFrames / 2) else { return }
            try connection.trimUse()
            while !rest.isEmpty {
                let part = rest.prefix(step)
                guard try makeDatabaseRoom(Int64(part.count) * 16 + 4 * Budget.pageSize),
                    try makeLogRoom(part.count + 16)
                else { return }
                try commit(connection) { () throws(DatabaseError) in
                    for row in part { try connection.saveUse(row) }
                }
                rest = rest.dropFirst(part.count)
            }
        } catch {
            didFail(error)
        }
    }

    /// One step of the slow walk: removes files of one shelf that have no row.
    ///
    /// Returns their number.
    @discardableResult
    func collectGarbage(shelf: Int) -> Int {
        guard let connection else { return 0 }
        var removed = 0
        for file in directory.files(onShelf: shelf) where !((try? connection.hasRow(file: file)) ?? true) {
            if directory.removeBody(file) { removed += 1 }
        }
        return removed
    }

    /// The whole walk, a shelf at a time with pauses.
    func walkForGarbage(from shelf: Int = 0) {
        collectGarbage(shelf: shelf)
        guard shelf < 255 else { return }
        schedule(.milliseconds(200)) { $0.walkForGarbage(from: shelf + 1) }
    }

    func keepSavingUse() {
        schedule(.seconds(300)) { writer in
            writer.saveUse()
            writer.keepSavingUse()
        }
    }

    /// Everything queued is done: saves what is worth it and lets go of the database; `completion` follows.
    func close(_ completion: @escaping @Sendable () -> Void) {
        finishRemovals { writer in
            writer.saveUse()
            writer.release()
            completion()
        }
    }

    private func release() {
        let isOutdated = holdsOutdated()
        if let database = connection?.database { try? database.checkpoint(truncating: true) }
        setReader(nil)
        connection = nil
        if isOutdated {
            removeDatabase()
            counters.tell(StoreNotice(.error, "changes could not be made in the database: it was removed"))
        }
        counters.enter(.closed, nil)
    }

    /// Whether the database has rows that should be gone or marked, and still cannot be changed: the next start would
    /// serve them.
    private func holdsOutdated() -> Bool {
        guard let connection, !pendingDeletes.isEmpty, (try? changeSuppressed()) == nil else { return false }
        return pendingDeletes.all.keys.contains { bytes in
            guard let uri = TargetURI(canonical: bytes) else { return false }
            return (try? connection.rows(of: uri).isEmpty) != true
        }
    }
}
