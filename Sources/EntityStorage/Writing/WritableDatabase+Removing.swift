import HTTPCore

/// Removals of many rows, in several transactions.
extension WritableDatabase {
    /// Removes rows; returns how many of them were originals.
    func removeAll(_ rows: [RowReference]) throws(DatabaseError) -> Int {
        for part in rows.chunks(of: logFrames / 2, size: \.frames) {
            try requireLogRoom(min(logFrames, part.reduce(16) { $0 + $1.frames }))
            try commit { () throws(DatabaseError) in
                for row in part { try delete(row) }
            }
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
            for (uri, change) in changes where change != .invalidate { rows += try connection.entries.rows(of: uri) }
            _ = try removeAll(rows)
            try requireHalfOfLog()
            try commit { () throws(DatabaseError) in
                for (uri, change) in changes where change == .invalidate { try connection.changes.invalidate(uri) }
            }
            pending.remove(part.map(\.key))
        }
    }
}

extension Array {
    /// Runs of elements whose sizes together are at most `limit`; a larger element is alone.
    func chunks(of limit: Int, size: (Element) -> Int) -> [ArraySlice<Element>] {
        var chunks: [ArraySlice<Element>] = []
        var start = startIndex
        var sum = 0
        for index in indices {
            sum += size(self[index])
            guard sum > limit, index > start else { continue }
            chunks.append(self[start..<index])
            start = index
            sum = size(self[index])
        }
        if start < endIndex { chunks.append(self[start...]) }
        return chunks
    }
}
