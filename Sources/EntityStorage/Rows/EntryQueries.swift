import HTTPCaching
import HTTPCore
import RecordFormat
import Stores
import Transforms

/// The writer's queries of the table `entry`.
final class EntryQueries {
    private let seed: UInt64
    private let byKey: Statement
    private let byURI: Statement
    private let byID: Statement
    private let byFile: Statement
    private let renditionsOfVariant: Statement
    private let rowsOfVariant: Statement
    private let originalByKey: Statement
    private let oldestFirst: Statement
    private let afterID: Statement
    private let betweenKeys: Statement

    init(_ database: Database, seed: UInt64) throws(DatabaseError) {
        self.seed = seed
        let columns = RowReference.columns
        byKey = try database.prepare("SELECT \(columns) FROM entry WHERE key = ?")
        byURI = try database.prepare("SELECT \(columns) FROM entry WHERE key BETWEEN ? AND ? AND uri = ?")
        byID = try database.prepare("SELECT \(columns) FROM entry WHERE id = ?")
        byFile = try database.prepare("SELECT size FROM entry WHERE file = ? AND file <> 0")
        renditionsOfVariant = try database.prepare(
            """
            SELECT \(columns), fingerprint FROM entry
            WHERE key BETWEEN ? AND ? AND uri = ? AND partition = ? AND selection = ? AND form <> 0 ORDER BY id
            """
        )
        rowsOfVariant = try database.prepare(
            """
            SELECT \(columns), extent FROM entry
            WHERE key BETWEEN ? AND ? AND uri = ? AND partition = ? AND selection = ? AND form = 0
            """
        )
        originalByKey = try database.prepare(
            "SELECT status, fields, size, file, body_sum, block_sums, fingerprint, uri FROM entry WHERE key = ?"
        )
        oldestFirst = try database.prepare("SELECT \(columns) FROM entry ORDER BY id LIMIT ?")
        betweenKeys = try database.prepare(
            "SELECT \(columns), uri FROM entry WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?"
        )
        afterID = try database.prepare("SELECT \(columns), uri FROM entry WHERE id > ? ORDER BY id LIMIT ?")
    }

    func row(_ key: RecordKey) throws(DatabaseError) -> RowReference? {
        try rows(byKey.bind(1, blob: key.bytes)).first
    }

    func row(id: Int64) throws(DatabaseError) -> RowReference? { try rows(byID.bind(1, id)).first }

    func rows(of uri: TargetURI) throws(DatabaseError) -> [RowReference] {
        let range = RecordKey.range(uri, seed: seed)
        return try rows(byURI.bind(1, blob: range.low).bind(2, blob: range.high).bind(3, text: uri.bytes))
    }

    /// The rows that eviction considers next.
    func oldestRows(_ limit: Int) throws(DatabaseError) -> [RowReference] {
        try rows(oldestFirst.bind(1, Int64(limit)))
    }

    /// A page of rows in the order of ids, with their URIs.
    func rows(after id: Int64, limit: Int) throws(DatabaseError) -> [(row: RowReference, uri: [UInt8])] {
        var rows: [(row: RowReference, uri: [UInt8])] = []
        let statement = afterID.bind(1, id).bind(2, Int64(limit))
        try statement.forEachRow { rows.append((RowReference(statement), statement.bytes(RowReference.end))) }
        return rows
    }

    /// A page of rows in the order of keys, with their URIs.
    func rows(
        from low: [UInt8],
        to high: [UInt8],
        limit: Int
    ) throws(DatabaseError) -> [(row: RowReference, uri: [UInt8])] {
        var rows: [(row: RowReference, uri: [UInt8])] = []
        let statement = betweenKeys.bind(1, blob: low).bind(2, blob: high).bind(3, Int64(limit))
        try statement.forEachRow { rows.append((RowReference(statement), statement.bytes(RowReference.end))) }
        return rows
    }

    func hasRow(file: Int64) throws(DatabaseError) -> Bool { try size(ofFile: file) != nil }

    /// The length of the content in a body file; nil if it has no row.
    func size(ofFile file: Int64) throws(DatabaseError) -> Int64? {
        var size: Int64?
        try byFile.bind(1, file).forEachRow { size = byFile.integer(0) }
        return size
    }

    private func rows(_ statement: Statement) throws(DatabaseError) -> [RowReference] {
        var rows: [RowReference] = []
        try statement.forEachRow { rows.append(RowReference(statement)) }
        return rows
    }

    /// The rows of a variant that are not transformed responses: a whole, or parts with their extents.
    func originals(
        of uri: TargetURI,
        _ partition: Partition,
        _ selection: [UInt8]
    ) throws(DatabaseError) -> [(row: RowReference, extent: ContentExtent?)] {
        let range = RecordKey.range(uri, seed: seed)
        let query = rowsOfVariant.bind(1, blob: range.low).bind(2, blob: range.high).bind(3, text: uri.bytes)
        query.bind(4, blob: partition.bytes).bind(5, blob: selection)
        var rows: [(row: RowReference, extent: ContentExtent?)] = []
        try query.forEachRow {
            rows.append((RowReference(query), ContentExtent(text: query.bytes(RowReference.end)[...])))
        }
        return rows
    }

    // MARK: Transformed responses

    /// The transformed responses of a variant, the oldest first.
    func renditions(
        of uri: TargetURI,
        _ partition: Partition,
        _ selection: [UInt8]
    ) throws(DatabaseError) -> [(row: RowReference, name: RenditionName)] {
        let range = RecordKey.range(uri, seed: seed)
        let query = renditionsOfVariant.bind(1, blob: range.low).bind(2, blob: range.high).bind(3, text: uri.bytes)
        query.bind(4, blob: partition.bytes).bind(5, blob: selection)
        var rows: [(row: RowReference, name: RenditionName)] = []
        try query.forEachRow { rows.append((RowReference(query), RenditionName(bytes: query.bytes(RowReference.end)))) }
        return rows
    }

    /// The binding of transformed responses to the original in the row of `record`; nil if there is no such row.
    func binding(of record: StoredRecord) throws(DatabaseError) -> [UInt8]? {
        let query = originalByKey.bind(
            1,
            blob: RecordKey(record, seed: seed).bytes
        )
        var binding: [UInt8]?
        try query.forEachRow {
            guard query.bytes(7) == record.uri.bytes, let fields = RecordCoding.decode(query.bytes(1)) else { return }
            binding = OriginalBinding.bytes(
                status: query.integer(0),
                fields: fields,
                mark: query.bytes(6),
                size: query.integer(2),
                isFile: query.integer(3) != 0,
                bodySum: query.integer(4),
                blockSums: query.bytes(5)
            )
        }
        return binding
    }
}
