/// Reactions to errors: a disk that refuses, a database that another program locks.
extension Writer {
    /// Waits for another program, replaces a damaged database, or stops storing for a while.
    func didFail(_ error: DatabaseError) {
        if lockWait.waits(for: error) { return waitForLock() }
        if error.isDamage { setAside(error) } else { diskRefused(error.message) }
    }

    // MARK: A disk that refuses

    /// The disk is full or refuses to write: stops storing, removes the ballast, evicts, tries again later.
    ///
    /// The ballast goes first, since deleting rows needs space. From then on the store works with less space. It asks
    /// for more only from time to time, so that it does not fill the disk again at once.
    func diskRefused(_ reason: String) {
        let wasFull = if case .full = counters.state { true } else { false }
        counters.enter(
            .full(reason: reason),
            StoreNotice(.warning, "the disk refuses to write; nothing is stored until it accepts", [("reason", reason)])
        )
        ballast.remove(from: directory)
        // Without an open database the space on the disk is unknown.
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

    /// Tests whether the disk accepts writes again, and continues storing if it does.
    ///
    /// The test makes the ballast, and changes the overdue rows.
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

    /// Asks for more of the limit from time to time, until the store may use all of it again.
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

    /// Evicts until the store is within the limit: that may be lower than before, or another program left something
    /// here.
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
        // While the disk is full, the state says that.
        if database == nil || counters.state == .ok {
            counters.showLock(of: directory.databasePath, isOpen: database != nil)
        }
        guard isNew else { return }
        database?.connection.database.setPatience(.zero)
        scheduleLockRetry()
    }

    private func scheduleLockRetry() {
        guard lockWait.planRetry() else { return }
        hooks.schedule(lockWait.retryDelay) { writer in
            writer.lockWait.beginRetry()
            writer.tryLock()
        }
    }

    /// Continues with the waiting changes, if the other program has released its lock.
    func tryLock() {
        guard parts.writeQueue.isBlocked else { return }
        guard let database else {
            if case .locked = counters.state { _ = reopen() }
            if case .locked = counters.state { return scheduleLockRetry() }
            return endLockWait()
        }
        do {
            try database.connection.tryLock()
            _ = try database.makeLogRoom(parts.limits.logFrames / 2)
            try database.carryOut(parts.pendingDeletes)
        } catch {
            if lockWait.waits(for: error) { return scheduleLockRetry() }
            // Any other error affects the batch, too.
        }
        endLockWait()
    }

    private func endLockWait() {
        database?.connection.database.setPatience(lockWait.patience)
        parts.writeQueue.unblock()
        if case .locked = counters.state { counters.beginStoring() }
    }

    /// More changes wait than memory allows: drops records, and hides the rows that the other changes concern.
    ///
    /// A removal that a caller waits for continues to wait.
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

    /// The store is closing: tries the waiting changes once more, then drops them.
    func endPatience() {
        lockWait.giveUp()
        guard parts.writeQueue.isBlocked else { return }
        parts.writeQueue.unblock()
        drain()
    }
}
