import RecordFormat

/// Makes room within the limit: removes rows in the order of their ids, the oldest first.
///
/// Only neighbours free whole pages, hence that order. A row that was used moves to the end instead.
struct Eviction {
    let database: WritableDatabase
    let parts: StoreParts
    /// Whether rows may move to the end; not during a removal, which would miss them.
    let mayMove: Bool

    /// Ensures that rows of `bytes` find pages; returns false if there is nothing left to evict.
    func makeRoomForRows(_ bytes: Int64) throws(DatabaseError) -> Bool {
        guard bytes < parts.diskBudget.capacity else { return false }
        while case let missing = try database.reservePages(bytes), missing > 0 {
            if try !evict(missing) { return false }
        }
        return true
    }

    /// Reserves `bytes` for body files; returns false if that is impossible.
    func makeRoomForFiles(_ bytes: Int64) throws(DatabaseError) -> Bool {
        let budget = parts.diskBudget
        // More than needed, so that not every block of a growing file needs a call.
        let goal = bytes + min(1 << 20, budget.capacity / 64)
        while try evict(goal) {
            if budget.reserveFiles(bytes) { return true }
            try database.shrink(goal)
            if budget.reserveFiles(bytes) { return true }
        }
        try database.shrink(goal)
        return budget.reserveFiles(bytes)
    }

    /// Evicts until the store is within its capacity, or empty.
    func enforceLimit() throws(DatabaseError) {
        while let excess = parts.diskBudget.excess {
            let isEmpty = try !evict(excess)
            try database.shrink(excess)
            if isEmpty { return }
        }
    }

    // MARK: Steps

    /// Removes or moves the oldest rows until `goal` bytes are free, or the step is long enough; returns false without
    /// rows.
    private func evict(_ goal: Int64) throws(DatabaseError) -> Bool {
        let rows = try database.connection.entries.oldestRows(64)
        guard !rows.isEmpty else { return false }
        do {
            try evict(rows, goal: goal, mayMove: mayMove)
        } catch {
            guard error.isRefusal else { throw error }
            // The disk has no room to move rows.
            try evict(rows, goal: goal, mayMove: false)
        }
        return true
    }

    private func evict(_ rows: [RowReference], goal: Int64, mayMove: Bool) throws(DatabaseError) {
        let frameLimit = database.logFrames / 2
        try database.requireLogRoom(frameLimit)
        var evicted: Int64 = 0
        var moved: Int64 = 0
        try database.commit { () throws(DatabaseError) in
            var freed: Int64 = 0
            var frames = 16
            for row in rows where freed < goal {
                let bodyPages = row.file == 0 ? Int(row.sizeAtRest / StoreLimits.pageSize) : 0
                frames += bodyPages + row.frames
                if frames > frameLimit, evicted + moved > 0 { break }
                let wasUsed = try takeUse(of: row)
                // The id comes first: a removal that begins after the question covers no higher ones.
                let id = parts.rowIDs.next()
                if mayMove, wasUsed, parts.removals.isEmpty {
                    try database.connection.changes.move(row, to: id)
                    moved += 1
                } else {
                    freed += try database.delete(row)
                    evicted += 1
                }
            }
        }
        parts.counters.change { statistics in
            statistics.evictions += evicted
            statistics.reinsertions += moved
        }
    }

    /// Removes the marks of a row in memory and in the table; returns whether there was one.
    private func takeUse(of row: RowReference) throws(DatabaseError) -> Bool {
        let wasMarked = parts.uses.take(row.id, resource: UInt64(bigEndian: row.key.prefix(8)))
        let wasSaved = try database.connection.usage.remove(row.id)
        return wasMarked || wasSaved
    }
}
