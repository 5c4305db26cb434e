import HTTPCaching
import HTTPCore
import Stores
import Transforms

/// Carries out a batch of operations in one transaction.
struct RowBatch {
    /// At most this many transformed responses of one variant are stored.
    private static let renditionLimit = 16

    let operations: [RowOperation]
    let database: WritableDatabase
    let eviction: Eviction
    let parts: StoreParts

    private var connection: WriterConnection { database.connection }

    /// Stores `rows`, which has the prepared row of each operation that adds one, and makes all other changes.
    ///
    /// Returns for each operation how many rows it changed, or nil if it was given up. Throws if nothing was changed.
    func store(_ rows: [PreparedRow?]) throws(DatabaseError) -> [Int?] {
        let bytes = operations.reduce(Int64(0)) { $0 + $1.pagesNeeded * StoreLimits.pageSize }
        let hasRoom = try eviction.makeRoomForRows(bytes)
        try requireLogRoom()
        if !hasRoom { parts.counters.change { $0.refused += Int64(rows.count { $0 != nil }) } }
        do {
            return try commit(hasRoom ? rows : nil)
        } catch {
            guard error.isRefusal, try database.isNearMaximumPages() else { throw error }
            // SQLite refused, not the disk: the rows need more pages than estimated.
            let more = bytes * 4 + 64 * StoreLimits.pageSize
            return try eviction.makeRoomForRows(more) ? commit(rows) : storeNothing()
        }
    }

    /// Makes the changes that need no space, and refuses changes that add rows.
    func storeNothing() throws(DatabaseError) -> [Int?] {
        try requireLogRoom()
        return try commit(nil)
    }

    private func requireLogRoom() throws(DatabaseError) {
        // A database with a small log has few pages: each goes into the log once.
        try database.requireLogRoom(min(database.logFrames, operations.reduce(16) { $0 + $1.frames }))
    }

    private func commit(_ rows: [PreparedRow?]?) throws(DatabaseError) -> [Int?] {
        try database.commit { () throws(DatabaseError) -> [Int?] in
            var outcomes: [Int?] = []
            for (index, operation) in operations.enumerated() {
                outcomes.append(try run(operation, rows?[index]))
            }
            return outcomes
        }
    }

    // MARK: Operations

    /// Returns how many rows were changed, or nil for a record or a freshening that was given up.
    private func run(_ operation: RowOperation, _ row: PreparedRow?) throws(DatabaseError) -> Int? {
        switch operation {
        case .commit(let record, _):
            return try store(record, row)
        case .commitRendition(let rendition, let original, _):
            return try store(rendition, of: original, row)
        case .freshen(let record, _):
            return try freshen(record)
        case .invalidate(let uri, _):
            try connection.changes.invalidate(uri)
            return 1
        case .removeVariant(let uri, let partition, let selection):
            try deleteRenditions(of: uri, partition, selection)
            let rows = try connection.entries.originals(of: uri, partition, selection)
            for (row, _) in rows { try database.delete(row) }
            return min(1, rows.count)
        case .remove(let uri, _), .dropUnreadable(let uri):
            let rows = try connection.entries.rows(of: uri)
            for row in rows { try database.delete(row) }
            return rows.count(where: \.isOriginal)
        case .dropDamaged(_, let id):
            guard let row = try connection.entries.row(id: id) else { return 0 }
            try database.delete(row)
            parts.counters.change { $0.damaged += 1 }
            return 1
        }
    }

    /// Replaces the row of `record`; transformed responses of the former row are deleted with it.
    private func store(_ record: StoredRecord, _ row: PreparedRow?) throws(DatabaseError) -> Int? {
        let key = RecordKey(record, seed: connection.seed)
        let previous = try connection.entries.row(key)
        try deleteOthers(record, key)
        // Before the question: a purge by tag notes itself first, and then removes all rows with lower ids.
        let id = parts.rowIDs.next()
        guard let row, accepts(row, replacing: previous), record.isPurged?() != true else {
            // The row under this key is older than the caller's record.
            try deleteVariant(record, previous)
            return nil
        }
        if let previous { try deleteVariant(record, previous, keeping: row.head.file) }
        try database.insert(row, id: id, key, replacing: previous, vary: record.fields.combined(.vary) ?? [])
        return 1
    }

    private func store(
        _ rendition: StoredRendition,
        of original: StoredRecord,
        _ row: PreparedRow?
    ) throws(DatabaseError) -> Int? {
        guard let row, try connection.entries.binding(of: original) == row.head.requestFields else { return nil }
        let key = RecordKey(rendition.name, of: original, seed: connection.seed)
        let previous = try connection.entries.row(key)
        guard accepts(row, replacing: previous) else { return nil }
        try makeRoom(for: rendition.name, of: original)
        if let previous { try database.delete(previous, keeping: row.head.file) }
        try database.insert(row, id: parts.rowIDs.next(), key, replacing: previous, vary: [])
        return 1
    }

    private func freshen(_ record: StoredRecord) throws(DatabaseError) -> Int? {
        guard parts.configuration.mayStore(record), record.isPurged?() != true else {
            let key = RecordKey(record, seed: connection.seed)
            try deleteVariant(record, try connection.entries.row(key))
            return nil
        }
        let vary = record.fields.combined(.vary) ?? []
        let id = try connection.changes.freshen(record, vary: vary)
        // Joined parts have several rows, of which at most one has the key of the whole: what contradicts them marks
        // all.
        if record.isInvalidated,
            try connection.entries.originals(of: record.uri, record.partition, record.selection).count > 1
        {
            try connection.changes.invalidate(record.uri)
        }
        guard let id else { return 0 }
        parts.uses.touch(id)
        return 1
    }

    private func accepts(_ row: PreparedRow, replacing previous: RowReference?) -> Bool {
        row.file.map { database.accepts($0, replacing: previous) } ?? true
    }

    // MARK: Deleting

    /// Deletes the row of `record`, if there is one, and the transformed responses of it.
    private func deleteVariant(
        _ record: StoredRecord,
        _ row: RowReference?,
        keeping file: Int64 = 0
    ) throws(DatabaseError) {
        if let row { try database.delete(row, keeping: file) }
        try deleteRenditions(of: record.uri, record.partition, record.selection)
    }

    /// Deletes what must not stay beside `record`, whose row has `key`: parts of another representation, or a whole.
    private func deleteOthers(_ record: StoredRecord, _ key: RecordKey) throws(DatabaseError) {
        if record.otherParts == .unchanged { return }
        for (row, extent) in try connection.entries.originals(of: record.uri, record.partition, record.selection)
        where row.key != key.bytes {
            if record.otherParts == .joined, let extent, !record.overlaps(extent) { continue }
            try database.delete(row)
        }
    }

    private func deleteRenditions(
        of uri: TargetURI,
        _ partition: Partition,
        _ selection: [UInt8]
    ) throws(DatabaseError) {
        for rendition in try connection.entries.renditions(of: uri, partition, selection) {
            try database.delete(rendition.row)
        }
    }

    /// Removes transformed responses of other pipelines, and the oldest if there are too many.
    private func makeRoom(for name: RenditionName, of original: StoredRecord) throws(DatabaseError) {
        let renditions = try connection.entries.renditions(of: original.uri, original.partition, original.selection)
            .filter { $0.name != name }
        let current = renditions.filter { $0.name.pipeline == name.pipeline }
        let excess = current.prefix(max(0, current.count + 1 - Self.renditionLimit))
        for rendition in renditions.filter({ $0.name.pipeline != name.pipeline }) + excess {
            try database.delete(rendition.row)
        }
    }
}

extension StoredRecord {
    /// Whether it has some of the bytes of another stored part.
    fileprivate func overlaps(_ other: ContentExtent) -> Bool {
        extent?.ranges.contains { mine in other.ranges.contains { mine.overlaps($0) } } ?? true
    }
}
