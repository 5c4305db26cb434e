import HTTPCaching
import HTTPCore
import RecordFormat
import Stores
import Transforms

/// The reading connection: its statements, and the body files of its database.
final class ReaderConnection {
    /// A row with all columns of a record.
    struct Row {
        var id: Int64
        var head: RowHead
        var sum: Int64
        var format: Int64
        /// The content as it is in the table; nil if it is in a file.
        var body: [UInt8]?

        /// Whether its checksum matches.
        var isSound: Bool { format == RecordCoding.format && head.sum == sum }

        /// The content in the table, restored if it is compressed there; nil if that is damaged.
        func content(_ restorer: ContentRestorer) -> [UInt8]? {
            guard let body, head.compressed != 0 else { return body }
            guard head.compressed == body.count, (1...Int64(StoreLimits.inlineLimit)).contains(head.size) else {
                return nil
            }
            return restorer.restore(body, count: Int(head.size))
        }
    }

    /// A row as listings show it; valid only while it is being visited.
    struct ListedRow {
        fileprivate let statement: Statement

        var id: Int64 { statement.integer(0) }
        var partition: [UInt8] { statement.bytes(2) }
        var status: UInt16 { UInt16(clamping: statement.integer(3)) }
        /// Bytes of content.
        var count: Int64 { statement.integer(4) }

        /// As they are encoded.
        var fields: [UInt8] { statement.bytes(7) }

        /// Lends the canonical bytes of the URI.
        func withURI<Result>(_ body: (Span<UInt8>) -> Result) -> Result { statement.withBytes(1, body) }

        /// The entry of a listing.
        func summary(of uri: TargetURI) -> StoredSummary {
            StoredSummary(
                id: id,
                uri: uri,
                partition: Partition(bytes: partition),
                status: status,
                count: count,
                fields: RecordCoding.decode(fields),
                requestTime: HTTPDate(seconds: statement.integer(8)),
                responseTime: HTTPDate(seconds: statement.integer(5)),
                isInvalidated: statement.integer(6) != 0,
                extent: ContentExtent(text: statement.bytes(9)[...])
            )
        }
    }

    let directory: StoreDirectory
    let seed: UInt64
    let tags: TagTable
    private let originalsOfURI: Statement
    private let renditionByKey: Statement
    private let renditionsOfURI: Statement
    private let originalsAfterID: Statement
    private let earlierOriginals: Statement
    private let keysAfterKey: Statement

    init(in directory: StoreDirectory) throws(DatabaseError) {
        self.directory = directory
        let database = try Database(StoreDirectory.database, in: directory.root, at: directory.path)
        try database.execute(Schema.reader)
        seed = UInt64(bitPattern: try database.number("SELECT value FROM meta WHERE name = 'seed'"))
        tags = try TagTable(database, seed: seed)
        let row = """
            SELECT id, sum, format, body.data, \(RowHead.columns)
            FROM entry LEFT JOIN body USING(id)
            """
        originalsOfURI = try database.prepare("\(row) WHERE key BETWEEN ? AND ? AND form = 0")
        renditionByKey = try database.prepare("\(row) WHERE key = ?")
        renditionsOfURI = try database.prepare(
            """
            SELECT partition, selection, fingerprint, fields, size, response_time, id FROM entry
            WHERE key BETWEEN ? AND ? AND uri = ? AND form <> 0 ORDER BY id
            """
        )
        originalsAfterID = try database.prepare(
            """
            SELECT id, uri, partition, status, size, response_time, invalidated, fields, request_time, extent
            FROM entry WHERE id > ? AND form = 0 ORDER BY id LIMIT ?
            """
        )
        earlierOriginals = try database.prepare(
            "SELECT id, partition, fields FROM entry WHERE key BETWEEN ? AND ? AND id < ? AND uri = ? AND form = 0"
        )
        keysAfterKey = try database.prepare("SELECT key FROM entry WHERE key > ? ORDER BY key LIMIT ?")
    }

    /// The originals of a URI, and of other URIs with the same hash.
    func originals(of uri: TargetURI) throws(DatabaseError) -> [Row] {
        let range = RecordKey.range(uri, seed: seed)
        return try rows(originalsOfURI.bind(1, blob: range.low).bind(2, blob: range.high))
    }

    func rendition(_ name: RenditionName, of original: StoredRecord) throws(DatabaseError) -> Row? {
        let key = RecordKey(name, of: original, seed: seed)
        return try rows(renditionByKey.bind(1, blob: key.bytes)).first
    }

    private func rows(_ statement: Statement) throws(DatabaseError) -> [Row] {
        var rows: [Row] = []
        try statement.forEachRow {
            rows.append(
                Row(
                    id: statement.integer(0),
                    head: RowHead(statement, from: 4),
                    sum: statement.integer(1),
                    format: statement.integer(2),
                    body: statement.isNull(3) ? nil : statement.bytes(3)
                )
            )
        }
        return rows
    }

    // MARK: Listings

    /// The transformed responses of a URI, with the ids of their rows.
    func renditions(of uri: TargetURI) throws(DatabaseError) -> [(id: Int64, summary: StoredRenditionSummary)] {
        let range = RecordKey.range(uri, seed: seed)
        let row = renditionsOfURI.bind(1, blob: range.low).bind(2, blob: range.high).bind(3, text: uri.bytes)
        var renditions: [(id: Int64, summary: StoredRenditionSummary)] = []
        try row.forEachRow {
            let summary = StoredRenditionSummary(
                partition: Partition(bytes: row.bytes(0)),
                selection: row.bytes(1),
                name: RenditionName(bytes: row.bytes(2)),
                fields: RecordCoding.decode(row.bytes(3)) ?? Fields(),
                count: row.integer(4),
                madeAt: HTTPDate(seconds: row.integer(5))
            )
            renditions.append((row.integer(6), summary))
        }
        return renditions
    }

    /// Visits originals in the order of their ids, while `body` returns true.
    func forEachOriginal(
        after id: Int64,
        limit: Int,
        _ body: (ListedRow) throws(DatabaseError) -> Bool
    ) throws(DatabaseError) {
        let statement = originalsAfterID.bind(1, id).bind(2, Int64(limit))
        defer { statement.reset() }
        while try statement.step(), try body(ListedRow(statement: statement)) {}
    }

    /// The originals of a URI with lower ids.
    ///
    /// The index has the ids, so the table is read only for a URI with several rows.
    func originals(
        of uri: TargetURI,
        before id: Int64
    ) throws(DatabaseError) -> [(id: Int64, partition: [UInt8], fields: [UInt8])] {
        let range = RecordKey.range(uri, seed: seed)
        let row = earlierOriginals.bind(1, blob: range.low).bind(2, blob: range.high)
        row.bind(3, id).bind(4, text: uri.bytes)
        var found: [(id: Int64, partition: [UInt8], fields: [UInt8])] = []
        try row.forEachRow { found.append((row.integer(0), row.bytes(1), row.bytes(2))) }
        return found
    }

    /// The next keys of rows, in order.
    func keys(after key: [UInt8], limit: Int) throws(DatabaseError) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        try keysAfterKey.bind(1, blob: key).bind(2, Int64(limit)).forEachRow { keys.append(keysAfterKey.bytes(0)) }
        return keys
    }
}
