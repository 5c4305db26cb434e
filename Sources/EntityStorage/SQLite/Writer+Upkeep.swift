/// What the writer does besides changes of single rows.
extension Writer {
    /// Saves which rows were used, so that a restart does not forget.
    func saveUse() {
        guard let connection, board.state == .ok else { return }
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
        for name in FileSystem.names(in: directory.shelf(shelf)) {
            if let file = Int64(name), (try? connection.hasRow(file: file)) ?? true { continue }
            if FileSystem.remove(directory.shelf(shelf) + "/" + name) { removed += 1 }
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

    /// Everything queued is done: saves what is worth it and lets go of the database.
    func close() {
        finishRemovals()
        saveUse()
        if let database = connection?.database { try? database.checkpoint(truncating: true) }
        setReader(nil)
        connection = nil
        board.enter(.closed, nil)
    }
}
