import HTTPCore

/// A walk over all rows that removes those of some URIs; goes on between batches.
struct RemovalWalk {
    let number: Int
    let condition: @Sendable (TargetURI) -> Bool
    let completion: @Sendable (Int) -> Void
    /// The database it began in.
    let epoch: Int
    /// Rows from this on came later.
    let bound: Int64
    var last: Int64 = 0
    var removed = 0
}

/// Removal of everything a condition holds for.
extension Writer {
    /// Rows looked at in one step.
    private static let step = 500
    /// Walks that share a step.
    private static let together = 16

    /// Removes every row there is now whose URI `condition` holds for, a page at a time between other work.
    func remove(
        where condition: @escaping @Sendable (TargetURI) -> Bool,
        number: Int,
        _ completion: @escaping @Sendable (Int) -> Void
    ) {
        let walk = RemovalWalk(
            number: number,
            condition: condition,
            completion: completion,
            epoch: numbers.epoch,
            bound: numbers.next()
        )
        removals.limit(number, to: walk.bound)
        walks.append(walk)
        if walks.count == 1 { goOnRemoving() }
    }

    /// Ends all removals under way, now, unless they must wait for another program; `work` follows.
    func finishRemovals(then work: @escaping @Sendable (Writer) -> Void) {
        while !walks.isEmpty {
            stepRemoval()
            if writeQueue.isBlocked { return writeQueue.add { $0.finishRemovals(then: work) } }
        }
        work(self)
    }

    private func goOnRemoving() {
        stepRemoval()
        guard !walks.isEmpty else { return }
        writeQueue.add { writer in
            // `finishRemovals` may have come in between.
            if !writer.walks.isEmpty { writer.goOnRemoving() }
        }
    }

    /// One page of the oldest walk, and of those that have come as far: what was asked for meanwhile goes in one pass.
    private func stepRemoval() {
        do {
            guard let connection else {
                // Whatever is in a database that opens later was there before.
                isCondemned = true
                return end(walks[0].number)
            }
            guard numbers.epoch == walks[0].epoch else { return end(walks[0].number) }
            let last = walks[0].last
            let page = try connection.rows(after: last, limit: Self.step)
            var rest = page.map { (place: $0.place, uri: TargetURI(canonical: $0.uri)) }
            // All were asked for after the oldest, hence of the same database.
            for index in walks.indices.filter({ walks[$0].last == last }).prefix(Self.together) {
                let walk = walks[index]
                let isMeant = rest.map { $0.place.id < walk.bound && $0.uri.map(walk.condition) ?? true }
                let meant = zip(rest, isMeant).filter(\.1).map(\.0.place)
                rest = zip(rest, isMeant).filter { !$0.1 }.map(\.0)
                walks[index].removed += try remove(meant, connection)
                walks[index].last = page.last?.place.id ?? .max
            }
            for walk in walks where walk.last >= walk.bound { end(walk.number) }
        } catch {
            if mayWait(for: error) { return waitForLock() }
            // Somebody was promised that they go: the database goes.
            walks[0].removed = 0
            setAside(error)
            end(walks[0].number)
        }
    }

    private func end(_ number: Int) {
        guard let index = walks.firstIndex(where: { $0.number == number }) else { return }
        let walk = walks.remove(at: index)
        removals.end(walk.number)
        walk.completion(walk.removed)
    }

    func remove(
        _ rows: [WriterConnection.RowPlace],
        _ connection: WriterConnection
    ) throws(DatabaseError) -> Int {
        let step = max(1, budget.logFrames / 2 / 10)
        var rest = rows[...]
        while !rest.isEmpty {
            let part = rest.prefix(step)
            guard try makeLogRoom(part.count * 10 + 16) else {
                throw Self.logIsFull
            }
            try commit(connection) { () throws(DatabaseError) in
                for row in part { try delete(row, connection) }
            }
            rest = rest.dropFirst(part.count)
        }
        return rows.count { $0.rendition == 0 }
    }
}
