/// What errors lead to: a disk that refuses, a database that another program has locked.
extension Writer {
    /// Waits for another program, begins a new database in place of a damaged one, or stops storing for a while.
    func didFail(_ error: DatabaseError) {
        if lockWait.waits(for: error) { return waitForLock() }
        if error.isDamage { setAside(error) } else { diskRefused(error.message) }
    }

    // MARK: A disk that refuses

    /// The disk is full or refuses to write: stops storing, removes the ballast, evicts, tries again later.
    ///
    /// The ballast goes first, since deleting rows needs room. From then on the store makes do with less. It asks for
    /// more only from time to time, so that it does not fill the disk again at once.
    func diskRefused(_ reason: String) {
        let wasFull = if case .full = counters.state { true } else { false }
        counters.enter(
            .full(reason: reason),
            StoreNotice(.warning, "the disk refuses to write; nothing is stored until it accepts", [("reason", reason)])
        )
        ballast.remove(from: directory)
        // Without an open database nothing says how much the disk has room for.
        if !wasFull, database != nil { parts.diskBudget.lowerCapacity() }
        do {
            try database?.connection.database.checkpoint(truncating: true)
            try eviction?.enforceLimit()
        } catch {
            // The batch that failed tries once more; if it fails again, the database goes.
        }
        if !wasFull { scheduleProbe() }
    }

    private func scheduleProbe() {
        hooks.schedule(diskProbing.nextDelay()) { writer in
            writer.probeDisk()
            if case .full = writer.counters.state { writer.scheduleProbe() }
        }
    }

    /// Tries whether the disk accepts writes again, and goes on storing if it does.
    ///
    /// The test is to make the ballast, and to change the rows that are overdue.
    func probeDisk() {
        guard case .full = counters.state else { return }
        if let database {
            makeBallast()
            guard ballast.isPresent, (try? database.makeLogRoom(database.logFrames / 2)) ?? false,
                (try? database.carryOut(parts.pendingDeletes)) != nil
            else { return }
            counters.enter(.ok, nil)
        } else {
            guard reopen() else { return }
        }
        counters.send(StoreNotice(.info, "the disk accepts writes again; storing goes on"))
        report()
        scheduleCapacity()
    }

    /// From time to time asks for more of the limit, until the store may use all of it again.
    private func scheduleCapacity() {
        hooks.schedule(DiskProbing.capacityDelay) { writer in
            switch writer.counters.state {
            case .locked: writer.scheduleCapacity()
            case .ok: if !writer.parts.diskBudget.raiseCapacity() { writer.scheduleCapacity() }
            case .opening, .full, .disabled, .closed: break
            }
        }
    }

    func makeBallast() {
        do {
            try ballast.make(in: directory)
        } catch {
            if case .ok = counters.state { diskRefused(error.text) }
        }
    }

    /// Evicts until the limit holds: it may be lower than before, or another program may have left something here.
    func enforceLimit() {
        do {
            try eviction?.enforceLimit()
        } catch {
            didFail(error)
        }
    }

    // MARK: A locked database

    /// Changes nothing until the lock is free; `operations` come first then.
    func waitForLock(with operations: [RowOperation] = []) {
        let isNew = !parts.writeQueue.isBlocked
        if isNew || !operations.isEmpty { parts.writeQueue.block(operations) }
        guard isNew else { return }
        database?.connection.database.setPatience(.zero)
        if counters.state == .ok {
            let reason = "another program has locked the database, or reads it for long"
            counters.enter(
                .locked(reason: reason),
                StoreNotice(
                    .warning,
                    "another program has locked the database; changes wait in memory until it lets go",
                    [("database", directory.databasePath)]
                )
            )
        }
        scheduleLockRetry()
    }

    private func scheduleLockRetry() {
        guard lockWait.planRetry() else { return }
        hooks.schedule(lockWait.retryDelay) { writer in
            writer.lockWait.beginRetry()
            writer.tryLock()
        }
    }

    /// Goes on with the changes that wait, if the other program has let go.
    func tryLock() {
        guard parts.writeQueue.isBlocked else { return }
        do {
            try database?.connection.tryLock()
            _ = try database?.makeLogRoom(parts.limits.logFrames / 2)
            try database?.carryOut(parts.pendingDeletes)
        } catch {
            if lockWait.waits(for: error) { return scheduleLockRetry() }
            // Any other error meets the batch, too.
        }
        endLockWait()
    }

    private func endLockWait() {
        database?.connection.database.setPatience(lockWait.patience)
        parts.writeQueue.unblock()
        guard case .locked = counters.state else { return }
        counters.enter(.ok, StoreNotice(.info, "the database is free again; what waited is stored now"))
    }

    /// More changes wait than memory is granted: gives up records, and hides what the others would have changed.
    ///
    /// A removal that a caller waits for goes on waiting.
    func giveUp(_ operations: [RowOperation]) {
        let promises = operations.filter(\.isPromise)
        let others = operations.filter { !$0.isPromise }
        if !promises.isEmpty { parts.writeQueue.block(promises) }
        guard !parts.pendingDeletes.isFull else {
            setAside(DatabaseError(code: 0x0D, message: "more changes wait than can be remembered"))
            endLockWait()
            return complete(others, others.map(\.outcomeOfLoss))
        }
        hide(others)
        counters.change { $0.refused += Int64(others.count(where: \.isCommit)) }
        complete(others, others.map { _ in nil })
    }

    /// The store is being closed: tries changes that wait once more, then gives them up.
    func endPatience() {
        lockWait.giveUp()
        guard parts.writeQueue.isBlocked else { return }
        parts.writeQueue.unblock()
        drain()
    }
}
