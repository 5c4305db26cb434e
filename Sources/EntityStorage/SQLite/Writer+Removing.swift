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

    /// Ends all removals under way, now.
    func finishRemovals() { while !walks.isEmpty { stepRemoval() } }

    private func goOnRemoving() {
        stepRemoval()
        guard !walks.isEmpty else { return }
        intake.add { writer in
            // `finishRemovals` may have come in between.
            if !writer.walks.isEmpty { writer.goOnRemoving() }
        }
    }

    /// One page of the oldest walk.
    private func stepRemoval() {
        var walk = walks[0]
        do {
            guard let connection else {
                // Whatever is in a database that opens later was there before.
                isCondemned = true
                return end(walk)
            }
            guard numbers.epoch == walk.epoch else { return end(walk) }
            let page = try connection.rows(after: walk.last, limit: Self.step)
            let matching = page.filter { row in
                row.place.id < walk.bound && TargetURI(canonical: row.uri).map(walk.condition) ?? true
            }
            walk.removed += try remove(matching.map(\.place), connection)
            guard let end = page.last?.place.id, end < walk.bound else { return self.end(walk) }
            walk.last = end
            walks[0] = walk
        } catch {
            // Somebody was promised that they go: the database goes.
            walk.removed = 0
            setAside(error)
            end(walk)
        }
    }

    private func end(_ walk: RemovalWalk) {
        walks.removeFirst()
        removals.end(walk.number)
        walk.completion(walk.removed)
    }

    /// Removes rows at once, a page at a time; nil if that fails, with the reason in `trouble`.
    func removeRows(where condition: (TargetURI) -> Bool) -> Int? {
        var removed = 0
        var last: Int64 = 0
        do {
            while let connection {
                let page = try connection.rows(after: last, limit: Self.step)
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
}
