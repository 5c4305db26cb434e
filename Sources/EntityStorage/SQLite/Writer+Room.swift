import HTTPCore

/// Room: in the limit, in the log, on the disk.
extension Writer {
    // MARK: Database and log

    static let logIsFull = DatabaseError(
        code: 0x0D,
        message: "the log cannot be emptied: another program reads the database"
    )

    /// Makes sure that rows of `bytes` find pages: free ones, new ones within the limit, or those of evicted rows.
    ///
    /// False if there is nothing left to evict.
    func makeDatabaseRoom(_ bytes: Int64) throws(DatabaseError) -> Bool {
        guard let connection else { return false }
        guard bytes < space.capacity else { return false }
        while true {
            let pages = try connection.pageCount()
            let free = try connection.freePages()
            let missing = bytes - free * Budget.pageSize
            if missing <= 0 || space.reserveDatabase(pages * Budget.pageSize + missing) {
                try limitPages(connection, atLeast: pages)
                return true
            }
            if try !evict(missing) { return false }
        }
    }

    private func limitPages(_ connection: WriterConnection, atLeast pages: Int64) throws(DatabaseError) {
        let allowed = max(pages, space.taken.database / Budget.pageSize)
        guard allowed != maximumPages else { return }
        try connection.setMaximumPages(allowed)
        maximumPages = allowed
    }

    /// Makes sure that a transaction of `frames` fits into the log's share; false if readers keep the log from emptying.
    func makeLogRoom(_ frames: Int) throws(DatabaseError) -> Bool {
        guard let database = connection?.database else { return false }
        if database.logFrames + frames <= budget.logFrames { return true }
        try database.checkpoint(truncating: true)
        return database.logFrames + frames <= budget.logFrames
    }

    /// After each transaction: a checkpoint if one is due, then the true size into the ledger.
    ///
    /// Fails nothing that is committed; what goes wrong is kept in `trouble`.
    func settle(_ connection: WriterConnection) {
        do {
            if connection.database.logFrames >= budget.checkpointFrames {
                try connection.database.checkpoint(truncating: false)
            }
            let pages = try connection.pageCount() * Budget.pageSize
            let size = max(pages, directory.root.status(of: StoreDirectory.database)?.count ?? 0)
            space.change { $0.database = size }
        } catch {
            if !error.isBusy { trouble = error }
        }
    }

    // MARK: Eviction

    /// One step of the hand: looks at the oldest rows, moves those that were used to the tail, deletes the others,
    /// until `goal` bytes are free or the step is long enough.
    ///
    /// False if there is no row.
    ///
    /// In the order of ids, as only neighbours free pages.
    func evict(_ goal: Int64) throws(DatabaseError) -> Bool {
        guard let connection else { return false }
        let rows = try connection.oldestRows(64)
        guard !rows.isEmpty else { return false }
        do {
            // A removal under way must not miss a row that has moved behind it.
            try sweep(rows, goal: goal, mayMove: walks.isEmpty, connection)
        } catch {
            guard error.isRefusal else { throw error }
            try sweep(rows, goal: goal, mayMove: false, connection)
        }
        return true
    }

    private func sweep(
        _ rows: [WriterConnection.RowPlace],
        goal: Int64,
        mayMove: Bool,
        _ connection: WriterConnection
    ) throws(DatabaseError) {
        let frameLimit = budget.logFrames / 2
        guard try makeLogRoom(frameLimit) else {
            throw Self.logIsFull
        }
        var evicted: Int64 = 0
        var moved: Int64 = 0
        try commit(connection) { () throws(DatabaseError) in
            var freed: Int64 = 0
            var frames = 16
            for row in rows where freed < goal {
                let inTable = row.file == 0 ? Int(row.size / Budget.pageSize) : 0
                frames += inTable + 8
                if frames > frameLimit, evicted + moved > 0 { break }
                let wasMarked = uses.take(row.id, resource: UInt64(bigEndian: row.key.prefix(8)))
                let wasSaved = try connection.takeUse(row.id)
                if mayMove, wasMarked || wasSaved {
                    try connection.move(row, to: numbers.next())
                    moved += 1
                } else {
                    try delete(row, connection)
                    freed += row.file == 0 ? row.size + 1024 : Budget.fileCost(row.size)
                    evicted += 1
                }
            }
        }
        counters.change { statistics in
            statistics.evictions += evicted
            statistics.reinsertions += moved
        }
    }

    /// Gives free pages back to the file system: at least `bytes` if there are so many.
    func shrink(_ bytes: Int64) throws(DatabaseError) {
        guard let connection else { return }
        let step = Int64(min(256, max(8, budget.logFrames / 8)))
        var wanted = min(bytes / Budget.pageSize + 16, try connection.freePages())
        guard wanted > 0 else { return }
        while wanted > 0 {
            // A moved page costs up to three frames.
            guard try makeLogRoom(Int(min(step, wanted)) * 3 + 8) else { return }
            try connection.vacuum(min(step, wanted))
            wanted -= step
        }
        // Only a checkpoint shortens the file.
        try connection.database.checkpoint(truncating: true)
        settle(connection)
    }

    // MARK: Files

    /// Takes `bytes` for body files, evicting rows if need be; false if that cannot be.
    func makeFileRoom(_ bytes: Int64) -> Bool {
        if space.reserveFiles(bytes) { return true }
        guard connection != nil, counters.state == .ok, bytes < space.capacity else { return false }
        // A little more than asked for, so that not every block of a growing file comes here.
        let goal = bytes + min(1 << 20, space.capacity / 64)
        do {
            while try evict(goal) {
                if space.reserveFiles(bytes) { return true }
                try shrink(goal)
                if space.reserveFiles(bytes) { return true }
            }
            try shrink(goal)
        } catch {
            didFail(error)
        }
        return space.reserveFiles(bytes)
    }

    /// A lowered limit, or what another program left here: evicts until the limit holds.
    func enforceLimit() {
        do {
            while space.isOver {
                let excess = space.taken.total - space.capacity
                let isDone = try !evict(excess)
                try shrink(excess)
                if isDone { return }
            }
        } catch {
            didFail(error)
        }
    }

    func didFail(_ error: DatabaseError) {
        if mayWait(for: error) { return waitForLock() }
        if error.isDamage { setAside(error) } else { diskRefused(error.message) }
    }

    // MARK: Body files

    /// A body too large for a row that came in memory.
    func writeWhole(_ bytes: [UInt8]) -> StoredBodyFile? {
        let count = Int64(bytes.count)
        guard makeFileRoom(Budget.fileCost(count)) else { return nil }
        let ticket = BodyTicket(
            file: numbers.next(),
            epoch: numbers.epoch,
            directory: directory,
            space: space,
            worker: files
        )
        ticket.setReserved(Budget.fileCost(count))
        do {
            let spill = try SpillFile(ticket, in: directory)
            try spill.append(ByteChunk(bytes))
            return spill.finish(worker: files)
        } catch {
            diskRefused(error.text)
            return nil
        }
    }

    /// After COMMIT: bodies that got a row go to their shelves, those that lost theirs are removed.
    func moveFiles() {
        for (body, _) in afterCommit.stored {
            body.ticket?.markStored()
            moveToShelf(body.number)
        }
        for doomed in afterCommit.doomed { removeFile(doomed.file, size: doomed.size) }
        afterCommit = FileChanges()
    }

    func moveToShelf(_ file: Int64) {
        do {
            try directory.moveToShelf(file)
        } catch {
            // It stays where it is: readers look there too, and the next start tries again.
            counters.change { $0.damaged += error.isMissing ? 1 : 0 }
        }
        measureShelf(Int(file & 0xFF))
    }

    func removeFile(_ file: Int64, size: Int64) {
        if !directory.removeBody(file) { directory.removeDraft(file) }
        space.releaseFiles(Budget.fileCost(size))
        removedFiles.append((file, size))
    }

    func measureShelf(_ byte: Int) {
        let usage = directory.usage(ofShelf: byte)
        let change = usage - (shelves[byte] ?? 0)
        guard change != 0 else { return }
        shelves[byte] = usage
        space.change { $0.directories += change }
    }

    // MARK: A full disk

    /// The disk is full or refuses: stops storing, removes the ballast, evicts, tries again later.
    ///
    /// The ballast goes first, as deleting rows needs room. From then on the store makes do with less, and asks for more
    /// only now and then: it does not fill the disk again at once.
    func diskRefused(_ reason: String) {
        var wasFull = false
        if case .full = counters.state { wasFull = true }
        counters.enter(
            .full(reason: reason),
            StoreNotice(.warning, "the disk refuses to write; nothing is stored until it accepts", [("reason", reason)])
        )
        directory.root.remove(StoreDirectory.ballast)
        hasBallast = false
        // Without an open database there is nothing that says how much the disk holds.
        if !wasFull, connection != nil { space.lowerCapacity() }
        do {
            try connection?.database.checkpoint(truncating: true)
            while space.isOver {
                let excess = space.taken.total - space.capacity
                let isDone = try !evict(excess)
                try shrink(excess)
                if isDone { break }
            }
        } catch {
            // The batch that failed tries once more; if it fails again, the database goes.
        }
        guard !wasFull else { return }
        schedule(probeDelay) { $0.retry() }
        probeDelay = min(probeDelay * 2, .seconds(300))
    }

    /// Tries the disk until it accepts.
    private func retry() {
        guard case .full = counters.state else { return }
        probe()
        guard case .full = counters.state else { return }
        schedule(probeDelay) { $0.retry() }
        probeDelay = min(probeDelay * 2, .seconds(300))
    }

    /// Whether the disk accepts writes again: the ballast is the test, and that what is overdue can be removed.
    func probe() {
        guard case .full = counters.state else { return }
        if connection == nil {
            guard case .ok = reopen() else { return }
        } else {
            makeBallast()
            guard hasBallast, (try? makeLogRoom(budget.logFrames / 2)) ?? false, (try? changeSuppressed()) != nil
            else { return }
            counters.enter(.ok, nil)
        }
        counters.tell(StoreNotice(.info, "the disk accepts writes again; storing goes on"))
        report()
        schedule(.seconds(300)) { $0.askForMore() }
    }

    private func askForMore() {
        if case .locked = counters.state {
        } else {
            guard counters.state == .ok, !space.raiseCapacity() else { return }
        }
        schedule(.seconds(300)) { $0.askForMore() }
    }

    func makeBallast() {
        let usage = usage(StoreDirectory.ballast)
        // Of another limit, it is made anew.
        if usage >= budget.ballast, usage <= budget.ballast + Budget.pageSize {
            hasBallast = true
            return
        }
        do {
            directory.root.remove(StoreDirectory.ballast)
            let file = try OpenFile(StoreDirectory.ballast, in: directory.root, flags: OpenFile.createFlags)
            try file.allocate(budget.ballast)
            hasBallast = true
        } catch {
            directory.root.remove(StoreDirectory.ballast)
            hasBallast = false
            if case .ok = counters.state { diskRefused(error.text) }
        }
    }

    // MARK: Figures

    private func usage(_ name: String) -> Int64 { directory.root.status(of: name)?.usage ?? 0 }

    func report() {
        let taken = space.taken
        let log = usage(StoreDirectory.log) + usage(StoreDirectory.sharedMemory)
        let ballast = hasBallast ? budget.ballast : 0
        counters.change { statistics in
            statistics.entries = entries
            statistics.usedBytes = taken.total + log + ballast
        }
    }
}
