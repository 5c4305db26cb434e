import HTTPCore

/// What the writer does besides changes of single rows.
extension Writer {
    /// Removes every row whose URI `condition` holds for; their number.
    func removeAll(where condition: (TargetURI) -> Bool) -> Int {
        guard connection != nil else {
            // Whatever is in a database that opens later was there before.
            isCondemned = true
            return 0
        }
        if let count = removeRows(where: condition) { return count }
        setAside(trouble ?? DatabaseError(code: 0, message: "rows cannot be removed"))
        trouble = nil
        return 0
    }

    /// Removes rows, a page at a time; nil if that fails, with the reason in `trouble`.
    func removeRows(where condition: (TargetURI) -> Bool) -> Int? {
        var removed = 0
        var last: Int64 = 0
        do {
            while let connection {
                let page = try connection.rows(after: last, limit: 500)
                guard let end = page.last?.place.id else { break }
                last = end
                let matching = page.filter { row in TargetURI(canonical: row.uri).map(condition) ?? true }
                removed += try remove(matching.map(\.place), connection)
            }
            return removed
        } catch {
            trouble = error
            return nil
        }
    }

    private func remove(
        _ rows: [WriterConnection.RowPlace],
        _ connection: WriterConnection
    ) throws(DatabaseError) -> Int {
        let step = max(1, budget.logFrames / 2 / 10)
        var rest = rows[...]
        while !rest.isEmpty {
            let part = rest.prefix(step)
            guard try makeLogRoom(part.count * 10 + 16) else {
                throw DatabaseError(code: 0x0D, message: "the log cannot be emptied: another program reads it")
            }
            try commit(connection) { () throws(DatabaseError) in
                for row in part { try delete(row, connection) }
            }
            rest = rest.dropFirst(part.count)
        }
        return rows.count { $0.form == 0 }
    }

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
        saveUse()
        if let database = connection?.database { try? database.checkpoint(truncating: true) }
        setReader(nil)
        connection = nil
        board.enter(.closed, nil)
    }
}
