import HTTPCaching
import HTTPCore
import Platform

/// The writer's work between batches: removals by a condition, the review, its directory, marks of use, stray files.
extension Writer {
    // MARK: Removals

    /// Removes every present row whose URI satisfies `condition`, a page at a time between other work.
    ///
    /// - Parameter number: the number in `Removals`.
    func remove(
        where condition: @escaping @Sendable (TargetURI) -> Bool,
        number: Int,
        questionsTo target: TargetURI? = nil,
        _ completion: @escaping @Sendable (Int) -> Void
    ) {
        let seed = database?.connection.seed
        let walk = RemovalWalks.Walk(
            number: number,
            condition: condition,
            completion: completion,
            epoch: parts.rowIDs.epoch,
            bound: parts.rowIDs.next(),
            keys: target.flatMap { target in seed.map { RecordKey.range(questionsTo: target, seed: $0) } }
        )
        parts.removals.limit(number, to: walk.bound)
        begin(walk)
    }

    /// Removes the rows with one of these tags, a page at a time between other work.
    ///
    /// Rows of an earlier version get their tags first.
    ///
    /// - Parameters:
    ///   - number: the number in `Removals`.
    ///   - bound: the id of the first row that came later.
    ///   - reviewed: the last row that has its tags.
    func remove(
        taggedBy tags: Set<CacheTag>,
        number: Int,
        bound: (id: Int64, epoch: Int),
        reviewed: Int64 = 0,
        _ completion: @escaping @Sendable (Int) -> Void
    ) {
        if let next = reviewPage(after: reviewed) {
            return parts.writeQueue.add { writer in
                writer.remove(taggedBy: tags, number: number, bound: bound, reviewed: next, completion)
            }
        }
        let epoch = parts.rowIDs.epoch
        let last = bound.epoch == epoch ? bound.id : parts.rowIDs.next()
        parts.removals.limit(number, to: last)
        let seed = database?.connection.seed ?? 0
        begin(
            RemovalWalks.Walk(
                number: number,
                condition: { _ in true },
                completion: completion,
                epoch: epoch,
                bound: last,
                tags: TagCursor(tags, seed: seed)
            )
        )
    }

    private func begin(_ walk: RemovalWalks.Walk) {
        walks.add(walk)
        if walks.count == 1 { continueRemovals() }
    }

    /// Completes all removals now, unless they must wait for another program; `work` follows.
    func finishRemovals(then work: @escaping @Sendable (Writer) -> Void) {
        while !walks.isEmpty {
            stepRemovals()
            if parts.writeQueue.isBlocked { return parts.writeQueue.add { $0.finishRemovals(then: work) } }
        }
        work(self)
    }

    private func continueRemovals() {
        stepRemovals()
        guard !walks.isEmpty else { return }
        parts.writeQueue.add { writer in
            // `finishRemovals` may have run meanwhile.
            if !writer.walks.isEmpty { writer.continueRemovals() }
        }
    }

    private func stepRemovals() {
        guard let database else {
            // The rows to remove are in the database that will be opened next.
            isCondemned = true
            return endOldestRemoval()
        }
        guard database.epoch == walks.epoch else { return endOldestRemoval() }
        do {
            for walk in try walks.step(in: database) { end(walk, removed: walk.removed) }
        } catch {
            if lockWait.waits(for: error) { return waitForLock() }
            // A caller waits until the rows are gone: the database is discarded.
            setAside(error)
            endOldestRemoval(removed: 0)
        }
    }

    /// - Parameter removed: the number to report instead of the walk's.
    private func endOldestRemoval(removed: Int? = nil) {
        guard let walk = walks.endOldest() else { return }
        end(walk, removed: removed ?? walk.removed)
    }

    private func end(_ walk: RemovalWalks.Walk, removed: Int) {
        parts.removals.end(walk.number)
        walk.completion(removed)
    }

    // MARK: Review

    /// Begins the review of a database that was just opened, if it needs one.
    func beginReview(_ database: WritableDatabase) throws(DatabaseError) {
        parts.review.isUnderWay = try RowReview(database: database, parts: parts).isNeeded()
        if parts.review.isUnderWay { scheduleReview(after: 0, epoch: database.epoch) }
    }

    private func scheduleReview(after last: Int64, epoch: Int) {
        hooks.schedule(.milliseconds(20)) { writer in
            guard epoch == writer.parts.rowIDs.epoch, let next = writer.reviewPage(after: last) else { return }
            writer.scheduleReview(after: next, epoch: epoch)
        }
    }

    /// Completes the review now.
    func finishReview() {
        var last: Int64? = 0
        while let row = last { last = reviewPage(after: row) }
    }

    /// Reviews a page; returns its last row, or nil if the review has ended or must wait for the next start.
    private func reviewPage(after last: Int64) -> Int64? {
        guard let database, parts.review.isUnderWay else { return nil }
        do {
            if let end = try RowReview(database: database, parts: parts).reviewPage(after: last) { return end }
            parts.review.isUnderWay = false
            counters.send(
                StoreNotice(.info, "what was stored earlier is kept as the version and the settings of now say")
            )
        } catch {
            // Rows that are looked up are reviewed all the same.
            didFail(error)
        }
        return nil
    }

    /// Reviews the rows of one URI before all others.
    func reviewRows(of uri: TargetURI) {
        guard let database, parts.review.isUnderWay else { return }
        do {
            try RowReview(database: database, parts: parts).reviewRows(of: uri)
        } catch {
            didFail(error)
        }
    }

    // MARK: Use

    func keepSavingUse() {
        hooks.schedule(.seconds(300)) { writer in
            writer.saveUse()
            writer.keepSavingUse()
        }
    }

    /// Saves which rows were used, so that a restart knows.
    func saveUse() {
        guard let database, let eviction, counters.state == .ok else { return }
        var rest = parts.uses.takeUnsaved()[...]
        defer { parts.uses.putBack(rest) }
        let step = max(16, database.logFrames / 4)
        do {
            guard try database.makeLogRoom(database.logFrames / 2) else { return }
            try database.connection.usage.trim()
            while !rest.isEmpty {
                let part = rest.prefix(step)
                guard try eviction.makeRoomForRows(Int64(part.count) * 16 + 4 * StoreLimits.pageSize),
                    try database.makeLogRoom(part.count + 16)
                else { return }
                try database.commit { () throws(DatabaseError) in
                    for row in part { try database.connection.usage.add(row) }
                }
                rest = rest.dropFirst(part.count)
            }
        } catch {
            didFail(error)
        }
    }

    // MARK: Savings

    /// Adds to the saved sums from time to time, so that a kill loses the last few seconds only.
    func keepSavingSavings() {
        hooks.schedule(parts.configuration.savingsInterval) { writer in
            writer.saveSavings()
            writer.keepSavingSavings()
        }
    }

    /// Adds what was saved since the last time; tries again later if the disk refuses.
    func saveSavings() {
        guard let database, counters.state == .ok, let added = parts.savings.unsaved else { return }
        do {
            guard try database.makeLogRoom(16) else { return }
            let now = HTTPDate(seconds: SystemClock.wallSeconds())
            try database.commit { () throws(DatabaseError) in
                let meta = database.connection.meta
                if try meta.savings().since == nil { try meta.add(.savedSince, now.seconds) }
                try meta.add(.savedRequests, added.requests)
                try meta.add(.savedBytes, added.bytes)
            }
            parts.savings.credit(added, since: now)
        } catch {
            didFail(error)
        }
    }

    // MARK: Body files without a row

    /// Removes the body files that have no row, a shelf at a time with pauses; counts copies of shared ones.
    func collectGarbage(from shelf: Int = 0, after delay: Duration = .milliseconds(200)) {
        guard shelf < 256 else { return }
        hooks.schedule(delay) { writer in
            writer.collectGarbage(onShelf: shelf)
            writer.collectGarbage(from: shelf + 1)
        }
    }

    func collectGarbage(onShelf shelf: Int) {
        guard let database else { return }
        let directory = database.directory
        var hasMore = false
        for file in directory.files(onShelf: shelf) {
            if (try? database.connection.entries.hasRow(file: file)) == false {
                directory.removeBody(file)
            } else if (try? database.separate(file)) == true {
                hasMore = true
            }
        }
        if hasMore { enforceLimit() }
    }

    // MARK: The directory

    /// Checks from time to time whether the directory was deleted or replaced.
    ///
    /// In that case SQLite's open files have no name any more, and everything that is written is lost.
    func keepWatchingDirectory() {
        hooks.schedule(parts.configuration.directoryCheckInterval) { writer in
            writer.checkDirectory()
            writer.keepWatchingDirectory()
        }
    }

    /// Continues in the directory that replaces the one that was opened, or in a new one.
    func checkDirectory() {
        guard counters.state != .closed, !isInPlace else { return }
        let isDirectoryOurs = !isAbandoned && directory.isInPlace
        abandonDatabase(unlocks: !isDirectoryOurs)
        do throws(StoreError) {
            if isDirectoryOurs {
                directory.removeLog()
            } else {
                let configuration = parts.configuration
                let found = try StoreDirectory(configuration.directory, isHandedOver: configuration.isHandedOver)
                try parts.hasher.adopt(found)
                parts.directory.replace(found)
            }
        } catch {
            return disable(error)
        }
        isAbandoned = false
        // Before the notice, so that the store is open when an operator reads it.
        _ = reopen()
        counters.send(
            StoreNotice(
                .warning,
                isDirectoryOurs
                    ? "the store's database was removed or replaced; the one in its place was opened"
                    : "the store's directory was removed or replaced; the one in its place was opened",
                [("directory", directory.path)]
            )
        )
        for notice in directory.notices where !isDirectoryOurs { counters.send(notice) }
    }

    /// Whether the paths still lead to the directory and the database that are open.
    private var isInPlace: Bool {
        guard !isAbandoned, directory.isInPlace else { return false }
        return database?.isInPlace ?? true
    }

    /// Releases the directory and the database that are open.
    ///
    /// SQLite notices that its file has moved, and removes no log of another one.
    private func abandonDatabase(unlocks: Bool) {
        guard !isAbandoned else { return }
        isAbandoned = true
        counters.enter(.opening, nil)
        hooks.setReader(nil)
        endDatabase()
        if unlocks { directory.unlock() }
        forgetRows()
        ballast.forget()
        report()
    }
}
