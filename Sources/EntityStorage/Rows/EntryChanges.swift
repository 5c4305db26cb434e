import HTTPCore
import RecordFormat
import Stores

/// The writer's changes of the tables `entry` and `body`; they run in a transaction of its connection.
final class EntryChanges {
    private let seed: UInt64
    private let tags: TagTable
    private let insertEntry: Statement
    private let insertBody: Statement
    private let deleteEntry: Statement
    private let deleteBody: Statement
    private let moveEntry: Statement
    private let moveBody: Statement
    private let readUnfreshened: Statement
    private let writeFreshened: Statement
    private let invalidateURI: Statement

    init(_ database: Database, seed: UInt64, _ tags: TagTable) throws(DatabaseError) {
        self.seed = seed
        self.tags = tags
        insertEntry = try database.prepare(
            """
            INSERT INTO entry(id, key, uri, partition, selection, form, status, reason, fields, request_fields, vary,
                request_time, response_time, invalidated, size, file, body_sum, block_sums, sum, format, fingerprint,
                extent, pieces, compressed, tags)
            VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        insertBody = try database.prepare("INSERT OR REPLACE INTO body VALUES(?, ?)")
        deleteEntry = try database.prepare("DELETE FROM entry WHERE id = ?")
        deleteBody = try database.prepare("DELETE FROM body WHERE id = ?")
        moveEntry = try database.prepare("UPDATE entry SET id = ? WHERE id = ?")
        moveBody = try database.prepare("UPDATE body SET id = ? WHERE id = ?")
        readUnfreshened = try database.prepare(
            "SELECT id, form, status, reason, size, file, body_sum, block_sums, uri, fingerprint, extent, pieces, "
                + "compressed, tags FROM entry WHERE key = ?"
        )
        writeFreshened = try database.prepare(
            """
            UPDATE entry SET fields = ?, request_fields = ?, request_time = ?, response_time = ?, invalidated = ?,
                sum = ?, vary = ? WHERE id = ?
            """
        )
        let mask = RowHead.invalidationMask
        invalidateURI = try database.prepare(
            """
            UPDATE entry SET invalidated = 1, sum = (sum | \(mask)) - (sum & \(mask))
            WHERE key BETWEEN ? AND ? AND uri = ? AND invalidated = 0
            """
        )
    }

    /// Adds a row; `body` is nil if the content is in a file.
    func insert(
        _ head: RowHead,
        id: Int64,
        key: RecordKey,
        vary: [UInt8],
        tags hashes: TagHashes,
        body: [UInt8]?
    ) throws(DatabaseError) {
        let row = insertEntry.bind(1, id).bind(2, blob: key.bytes).bind(3, text: head.uri)
        row.bind(4, blob: head.partition).bind(5, blob: head.selection).bind(6, head.rendition).bind(7, head.status)
        row.bind(8, blob: head.reason).bind(9, blob: head.fields).bind(10, blob: head.requestFields)
        row.bind(11, text: vary).bind(12, head.requestTime).bind(13, head.responseTime)
        row.bind(14, head.isInvalidated ? 1 : 0).bind(15, head.size).bind(16, head.file).bind(17, head.bodySum)
        row.bind(18, blob: head.blockSums).bind(19, head.sum).bind(20, RecordCoding.format)
        row.bind(21, blob: head.fingerprint).bind(22, text: head.extent)
        row.bind(23, blob: head.pieces).bind(24, head.compressed)
        try row.bind(25, blob: hashes.bytes).run()
        try tags.add(hashes, of: id)
        if let body { try insertBody.bind(1, id).bind(2, blob: body).run() }
    }

    func delete(_ row: RowReference) throws(DatabaseError) {
        try deleteEntry.bind(1, row.id).run()
        try tags.remove(row.tags, of: row.id)
        if row.file == 0 { try deleteBody.bind(1, row.id).run() }
    }

    /// Gives a row another id, which is its position in the order of eviction.
    func move(_ row: RowReference, to id: Int64) throws(DatabaseError) {
        try moveEntry.bind(1, id).bind(2, row.id).run()
        try tags.remove(row.tags, of: row.id)
        try tags.add(row.tags, of: id)
        if row.file == 0 { try moveBody.bind(1, id).bind(2, row.id).run() }
    }

    /// Replaces fields, tags, times and invalidation in the row of `record`.
    ///
    /// Returns the id of the row, or nil if there is none.
    func freshen(_ record: StoredRecord, vary: [UInt8]) throws(DatabaseError) -> Int64? {
        guard let (id, head, former) = try freshened(record) else { return nil }
        let row = writeFreshened.bind(1, blob: head.fields).bind(2, blob: head.requestFields)
        row.bind(3, head.requestTime).bind(4, head.responseTime).bind(5, head.isInvalidated ? 1 : 0).bind(6, head.sum)
        try row.bind(7, text: vary).bind(8, id).run()
        try tags.replace(former, by: TagHashes(record, seed: seed), of: id)
        return id
    }

    /// The head of the row of `record` after freshening; columns that freshening does not change are read from the row.
    private func freshened(
        _ record: StoredRecord
    ) throws(DatabaseError) -> (id: Int64, head: RowHead, tags: TagHashes)? {
        let key = RecordKey(record, seed: seed)
        let row = readUnfreshened.bind(1, blob: key.bytes)
        var found: (id: Int64, head: RowHead, tags: TagHashes)?
        try row.forEachRow {
            guard row.bytes(8) == record.uri.bytes else { return }
            var head = RowHead(record)
            head.rendition = row.integer(1)
            head.status = row.integer(2)
            head.reason = row.bytes(3)
            head.size = row.integer(4)
            head.file = row.integer(5)
            head.bodySum = row.integer(6)
            head.blockSums = row.bytes(7)
            head.fingerprint = row.bytes(9)
            head.extent = row.bytes(10)
            head.pieces = row.bytes(11)
            head.compressed = row.integer(12)
            found = (row.integer(0), head, TagHashes(bytes: row.bytes(13)))
        }
        return found
    }

    func invalidate(_ uri: TargetURI) throws(DatabaseError) {
        let range = RecordKey.range(uri, seed: seed)
        try invalidateURI.bind(1, blob: range.low).bind(2, blob: range.high).bind(3, text: uri.bytes).run()
    }
}
