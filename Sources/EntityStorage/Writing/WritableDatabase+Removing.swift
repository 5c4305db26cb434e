import HTTPCore

/// Removals of many rows, in several transactions.
extension WritableDatabase {
    /// Frames of the log that the removal of one row may need.
    private static let framesPerRow = 10

    /// Removes rows; returns how many of them were originals.
    func removeAll(_ rows: [RowReference]) throws(DatabaseError) -> Int {
        let step = max(1, logFrames / 2 / Self.framesPerRow)
        var rest = rows[...]
        while !rest.isEmpty {
            let part = rest.prefix(step)
            try requireLogRoom(part.count * Self.framesPerRow + 16)
            try commit { () throws(DatabaseError) in
                for row in part { try delete(row) }
            }
            rest = rest.dropFirst(part.count)
        }
        return rows.count(where: \.isOriginal)
    }

    /// Removes or invalidates the rows of URIs that could not be changed earlier.
    func carryOut(_ pending: PendingDeletes) throws(DatabaseError) {
        var rest = Array(pending.all)[...]
        while !rest.isEmpty {
            let part = rest.prefix(32)
            rest = rest.dropFirst(part.count)
            let changes = part.compactMap { change in TargetURI(canonical: change.key.span).map { ($0, change.value) } }
            var rows: [RowReference] = []
            for (uri, change) in changes where change == .remove { rows += try connection.entries.rows(of: uri) }
            _ = try removeAll(rows)
            try requireHalfOfLog()
            try commit { () throws(DatabaseError) in
                for (uri, change) in changes where change == .invalidate { try connection.changes.invalidate(uri) }
            }
            pending.remove(part.map(\.key))
        }
    }
}
