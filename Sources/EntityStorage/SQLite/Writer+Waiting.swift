import HTTPCore

/// While another program has locked the database: changes wait in memory, in their order, until it lets go.
extension Writer {
    /// Whether a change that failed like this is to wait.
    func mayWait(for error: DatabaseError) -> Bool { error.isBusy && !isOutOfPatience }

    /// Nothing is changed until the lock is free; `rows` come first then.
    func waitForLock(with rows: [RowOperation] = []) {
        let isNew = !writeQueue.isBlocked
        if isNew || !rows.isEmpty { writeQueue.block(rows) }
        guard isNew else { return }
        connection?.database.setPatience(.zero)
        if counters.state == .ok {
            let reason = "another program has locked the database, or reads it for long"
            counters.enter(
                .locked(reason: reason),
                StoreNotice(
                    .warning,
                    "another program has locked the database; changes wait in memory until it lets go",
                    [("database", directory.database)]
                )
            )
        }
        retryLater()
    }

    private func retryLater() {
        guard !isLockRetryDue else { return }
        isLockRetryDue = true
        schedule(lockRetryDelay) { writer in
            writer.isLockRetryDue = false
            writer.tryLock()
        }
    }

    /// Goes on if the other program has let go.
    func tryLock() {
        guard writeQueue.isBlocked else { return }
        do {
            try connection?.tryLock()
            _ = try makeLogRoom(budget.logFrames / 2)
            try changeSuppressed()
        } catch {
            if mayWait(for: error) { return retryLater() }
            // Whatever else it is, the batch meets it, too.
        }
        goOn()
    }

    private func goOn() {
        connection?.database.setPatience(lockPatience)
        writeQueue.unblock()
        guard case .locked = counters.state else { return }
        counters.enter(.ok, StoreNotice(.info, "the database is free again; what waited is stored now"))
    }

    /// More changes wait than memory is granted: records are given up, and what was to change is hidden.
    ///
    /// A removal somebody waits for goes on waiting.
    func giveUp(_ rows: [RowOperation]) {
        let promises = rows.filter(\.isPromise)
        let others = rows.filter { !$0.isPromise }
        if !promises.isEmpty { writeQueue.block(promises) }
        guard !pendingDeletes.isFull else {
            setAside(DatabaseError(code: 0x0D, message: "more changes wait than can be remembered"))
            goOn()
            return end(others, others.map(\.outcomeOfLoss))
        }
        suppress(others)
        counters.change { $0.refused += Int64(others.count(where: \.isCommit)) }
        end(others, others.map { _ in nil })
    }

    /// The store is being closed: what waits is tried once more, then given up.
    func loseLastPatience() {
        isOutOfPatience = true
        guard writeQueue.isBlocked else { return }
        writeQueue.unblock()
        drain()
    }
}
