import HTTPCaching
import HTTPCore
import ResourceCore

/// The writing connection: its statements, and what they mean.
final class WriterConnection {
    /// What eviction and removal need to know of a row.
    struct RowPlace {
        var id: Int64
        var key: [UInt8]
        var size: Int64
        var file: Int64
        /// 0: the original.
        var rendition: Int64
    }

    let database: Database
    let seed: UInt64
    private let findByKey: Statement
    private let findByRange: Statement
    private let findByID: Statement
    private let findByFile: Statement
    private let findRenditions: Statement
    private let readOriginal: Statement
    private let oldest: Statement
    private let page: Statement
    private let insertEntry: Statement
    private let insertBody: Statement
    private let deleteEntry: Statement
    private let deleteBody: Statement
    private let doomFile: Statement
    private let forgetDoomed: Statement
    private let moveEntry: Statement
    private let moveBody: Statement
    private let freshenRead: Statement
    private let freshenWrite: Statement
    private let invalidateRange: Statement
    private let setMeta: Statement
    private let insertUsage: Statement
    private let takeUsage: Statement
    private let pageCountStatement: Statement
    private let freeCountStatement: Statement

    init(_ database: Database) throws(DatabaseError) {
        self.database = database
        let seed = try database.number("SELECT value FROM meta WHERE name = 'seed'")
        self.seed = UInt64(bitPattern: seed)
        let place = "SELECT id, key, size, file, form FROM entry"
        findByKey = try database.prepare("\(place) WHERE key = ?")
        findByRange = try database.prepare("\(place) WHERE key BETWEEN ? AND ? AND uri = ?")
        findByID = try database.prepare("\(place) WHERE id = ?")
        findByFile = try database.prepare("SELECT 1 FROM entry WHERE file = ? AND file <> 0")
        findRenditions = try database.prepare(
            """
            SELECT id, key, size, file, form, fingerprint FROM entry
            WHERE key BETWEEN ? AND ? AND uri = ? AND partition = ? AND selection = ? AND form <> 0 ORDER BY id
            """
        )
        readOriginal = try database.prepare(
            "SELECT status, fields, size, file, body_sum, block_sums, fingerprint, uri FROM entry WHERE key = ?"
        )
        oldest = try database.prepare("\(place) ORDER BY id LIMIT ?")
        page = try database.prepare("SELECT id, key, size, file, form, uri FROM entry WHERE id > ? ORDER BY id LIMIT ?")
        insertEntry = try database.prepare(
            """
            INSERT INTO entry(id, key, uri, partition, selection, form, status, reason, fields, request_fields, vary,
                request_time, response_time, invalidated, size, file, body_sum, block_sums, sum, format, fingerprint, extent)
            VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        insertBody = try database.prepare("INSERT OR REPLACE INTO body VALUES(?, ?)")
        deleteEntry = try database.prepare("DELETE FROM entry WHERE id = ?")
        deleteBody = try database.prepare("DELETE FROM body WHERE id = ?")
        doomFile = try database.prepare("INSERT OR REPLACE INTO doomed VALUES(?, ?)")
        forgetDoomed = try database.prepare("DELETE FROM doomed WHERE file = ?")
        moveEntry = try database.prepare("UPDATE entry SET id = ? WHERE id = ?")
        moveBody = try database.prepare("UPDATE body SET id = ? WHERE id = ?")
        freshenRead = try database.prepare(
            "SELECT id, form, status, reason, size, file, body_sum, block_sums, uri, fingerprint, extent "
                + "FROM entry WHERE key = ?"
        )
        freshenWrite = try database.prepare(
            """
            UPDATE entry SET fields = ?, request_fields = ?, request_time = ?, response_time = ?, invalidated = ?,
                sum = ?, vary = ? WHERE id = ?
            """
        )
        let mask = RowHead.invalidationMask
        invalidateRange = try database.prepare(
            """
            UPDATE entry SET invalidated = 1, sum = (sum | \(mask)) - (sum & \(mask))
            WHERE key BETWEEN ? AND ? AND uri = ? AND invalidated = 0
            """
        )
        setMeta = try database.prepare("UPDATE meta SET value = ? WHERE name = ?")
        insertUsage = try database.prepare("INSERT OR REPLACE INTO usage VALUES(?, 1)")
        takeUsage = try database.prepare("DELETE FROM usage WHERE id = ?")
        pageCountStatement = try database.prepare("PRAGMA page_count")
        freeCountStatement = try database.prepare("PRAGMA freelist_count")
    }

    // MARK: Transactions

    /// Runs `body` in a transaction; rolls back if it throws.
    func transaction<R>(_ body: () throws(DatabaseError) -> R) throws(DatabaseError) -> R {
        try database.execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try database.execute("COMMIT")
            return result
        } catch {
            if !database.isIdle { try? database.execute("ROLLBACK") }
            throw error
        }
    }

    /// Throws if another connection writes.
    func tryLock() throws(DatabaseError) {
        try database.execute("BEGIN IMMEDIATE")
        try database.execute("ROLLBACK")
    }

    // MARK: Rows

    func row(_ key: RecordKey) throws(DatabaseError) -> RowPlace? {
        try places(findByKey.bind(1, blob: key.bytes)).first
    }

    func row(id: Int64) throws(DatabaseError) -> RowPlace? { try places(findByID.bind(1, id)).first }

    func rows(of uri: TargetURI) throws(DatabaseError) -> [RowPlace] {
        let range = RecordKey.range(uri, seed: seed)
        return try places(findByRange.bind(1, blob: range.low).bind(2, blob: range.high).bind(3, text: uri.bytes))
    }

    /// The rows eviction looks at next.
    func oldestRows(_ limit: Int) throws(DatabaseError) -> [RowPlace] { try places(oldest.bind(1, Int64(limit))) }

    /// A page of rows in the order of ids, with their URIs.
    func rows(after id: Int64, limit: Int) throws(DatabaseError) -> [(place: RowPlace, uri: [UInt8])] {
        var rows: [(place: RowPlace, uri: [UInt8])] = []
        let statement = page.bind(1, id).bind(2, Int64(limit))
        try statement.forEachRow { rows.append((place(statement), statement.bytes(5))) }
        return rows
    }

    func hasRow(file: Int64) throws(DatabaseError) -> Bool {
        var found = false
        try findByFile.bind(1, file).forEachRow { found = true }
        return found
    }

    private func places(_ statement: Statement) throws(DatabaseError) -> [RowPlace] {
        var rows: [RowPlace] = []
        try statement.forEachRow { rows.append(place(statement)) }
        return rows
    }

    private func place(_ statement: Statement) -> RowPlace {
        RowPlace(
            id: statement.integer(0),
            key: statement.bytes(1),
            size: statement.integer(2),
            file: statement.integer(3),
            rendition: statement.integer(4)
        )
    }

    /// The forms stored of a variant, the oldest first.
    func renditions(
        of uri: TargetURI,
        _ partition: Partition,
        _ selection: [UInt8]
    ) throws(DatabaseError) -> [(place: RowPlace, name: FormName)] {
        let range = RecordKey.range(uri, seed: seed)
        findRenditions.bind(1, blob: range.low).bind(2, blob: range.high).bind(3, text: uri.bytes)
        findRenditions.bind(4, blob: partition.bytes).bind(5, blob: selection)
        var rows: [(place: RowPlace, name: FormName)] = []
        try findRenditions.forEachRow { rows.append((place(findRenditions), FormName(bytes: findRenditions.bytes(5)))) }
        return rows
    }

    /// What binds forms to the original in the row of `record`; nil if there is none.
    func binding(of record: StoredRecord) throws(DatabaseError) -> [UInt8]? {
        let read = readOriginal.bind(
            1,
            blob: RecordKey(record.uri, record.partition, record.selection, seed: seed).bytes
        )
        var binding: [UInt8]?
        try read.forEachRow {
            guard read.bytes(7) == record.uri.bytes, let fields = RecordCoding.decode(read.bytes(1)) else { return }
            binding = OriginalBinding.bytes(
                status: read.integer(0),
                fields: fields,
                mark: read.bytes(6),
                size: read.integer(2),
                isFile: read.integer(3) != 0,
                bodySum: read.integer(4),
                blockSums: read.bytes(5)
            )
        }
        return binding
    }

    func insert(_ head: RowHead, id: Int64, key: RecordKey, vary: [UInt8], body: [UInt8]?) throws(DatabaseError) {
        insertEntry.bind(1, id).bind(2, blob: key.bytes).bind(3, text: head.uri).bind(4, blob: head.partition)
        insertEntry.bind(5, blob: head.selection).bind(6, head.rendition).bind(7, head.status).bind(
            8,
            blob: head.reason
        )
        insertEntry.bind(9, blob: head.fields).bind(10, blob: head.requestFields).bind(11, text: vary)
        insertEntry.bind(12, head.requestTime).bind(13, head.responseTime).bind(14, head.isInvalidated ? 1 : 0)
        insertEntry.bind(15, head.size).bind(16, head.file).bind(17, head.bodySum).bind(18, blob: head.blockSums)
        insertEntry.bind(19, head.sum).bind(20, RecordCoding.format)
        try insertEntry.bind(21, blob: head.fingerprint).bind(22, text: head.extent).run()
        if let body { try insertBody.bind(1, id).bind(2, blob: body).run() }
    }

    func delete(_ row: RowPlace) throws(DatabaseError) {
        try deleteEntry.bind(1, row.id).run()
        if row.file == 0 { try deleteBody.bind(1, row.id).run() }
    }

    /// Notes that a file's row is gone and the file will follow.
    func doom(_ file: Int64, size: Int64) throws(DatabaseError) { try doomFile.bind(1, file).bind(2, size).run() }

    func forgetDoomed(_ file: Int64) throws(DatabaseError) { try forgetDoomed.bind(1, file).run() }

    /// Files whose removal was begun and may not have been done.
    func doomedFiles() throws(DatabaseError) -> [(file: Int64, size: Int64)] {
        let statement = try database.prepare("SELECT file, size FROM doomed")
        var files: [(file: Int64, size: Int64)] = []
        try statement.forEachRow { files.append((statement.integer(0), statement.integer(1))) }
        return files
    }

    func move(_ row: RowPlace, to id: Int64) throws(DatabaseError) {
        try moveEntry.bind(1, id).bind(2, row.id).run()
        if row.file == 0 { try moveBody.bind(1, id).bind(2, row.id).run() }
    }

    /// Replaces fields, times and mark of the row of `record`; its id, or nil if there is none.
    func freshen(_ record: StoredRecord, vary: [UInt8]) throws(DatabaseError) -> Int64? {
        let key = RecordKey(record.uri, record.partition, record.selection, seed: seed)
        var found: (id: Int64, head: RowHead)?
        let read = freshenRead.bind(1, blob: key.bytes)
        try read.forEachRow {
            guard read.bytes(8) == record.uri.bytes else { return }
            var head = RowHead(record)
            head.rendition = read.integer(1)
            head.status = read.integer(2)
            head.reason = read.bytes(3)
            head.size = read.integer(4)
            head.file = read.integer(5)
            head.bodySum = read.integer(6)
            head.blockSums = read.bytes(7)
            head.fingerprint = read.bytes(9)
            head.extent = read.bytes(10)
            found = (read.integer(0), head)
        }
        guard let found else { return nil }
        let head = found.head
        freshenWrite.bind(1, blob: head.fields).bind(2, blob: head.requestFields).bind(3, head.requestTime)
        freshenWrite.bind(4, head.responseTime).bind(5, head.isInvalidated ? 1 : 0).bind(6, head.sum)
        try freshenWrite.bind(7, text: vary).bind(8, found.id).run()
        return found.id
    }

    func invalidate(_ uri: TargetURI) throws(DatabaseError) {
        let range = RecordKey.range(uri, seed: seed)
        try invalidateRange.bind(1, blob: range.low).bind(2, blob: range.high).bind(3, text: uri.bytes).run()
    }

    // MARK: Use

    func saveUse(_ row: Int64) throws(DatabaseError) { try insertUsage.bind(1, row).run() }

    /// Whether the row was marked as used in the table; takes the mark away.
    func takeUse(_ row: Int64) throws(DatabaseError) -> Bool {
        try takeUsage.bind(1, row).run()
        return database.changes > 0
    }

    /// Forgets the use of rows that are gone.
    func trimUse() throws(DatabaseError) {
        try database.execute(
            """
            DELETE FROM usage WHERE id IN
                (SELECT id FROM usage WHERE id < (SELECT min(id) FROM entry) ORDER BY id LIMIT 5000)
            """
        )
    }

    // MARK: Space

    /// The figure kept under `name` in `meta`.
    func figure(_ name: String) throws(DatabaseError) -> Int64 {
        try database.number("SELECT value FROM meta WHERE name = '\(name)'")
    }

    func setFigure(_ name: String, _ value: Int64) throws(DatabaseError) {
        try setMeta.bind(1, value).bind(2, text: Array(name.utf8)).run()
    }

    func pageCount() throws(DatabaseError) -> Int64 { try number(pageCountStatement) }
    func freePages() throws(DatabaseError) -> Int64 { try number(freeCountStatement) }

    private func number(_ statement: Statement) throws(DatabaseError) -> Int64 {
        var value: Int64 = 0
        try statement.forEachRow { value = statement.integer(0) }
        return value
    }

    /// The database's pages may not become more than this: the second line of defence.
    func setMaximumPages(_ pages: Int64) throws(DatabaseError) {
        _ = try database.number("PRAGMA max_page_count=\(pages)")
    }

    /// Gives at most `pages` free pages back to the file system (at the next checkpoint).
    func vacuum(_ pages: Int64) throws(DatabaseError) {
        try database.prepare("PRAGMA incremental_vacuum(\(pages))").run()
    }
}

extension RowHead {
    /// The head of `record`, without what its body decides.
    init(_ record: StoredRecord) {
        self.init(
            uri: record.uri.bytes,
            partition: record.partition.bytes,
            selection: record.selection,
            fingerprint: record.rendition,
            extent: record.extent.map { Array($0.text.utf8) } ?? [],
            status: Int64(record.status),
            reason: record.reason,
            fields: RecordCoding.encode(record.fields),
            requestFields: RecordCoding.encode(record.requestFields),
            requestTime: record.requestTime.seconds,
            responseTime: record.responseTime.seconds,
            isInvalidated: record.isInvalidated,
            size: 0,
            file: 0,
            bodySum: 0,
            blockSums: []
        )
    }
}
