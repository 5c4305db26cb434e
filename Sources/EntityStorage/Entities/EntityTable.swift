import HTTPCore
import RecordFormat

/// The entities of a program in an SQLite file, each under a key; used on one thread at a time.
///
/// Content is in a table of its own, so that a new timestamp rewrites no content (S-191). Checksums cover everything
/// that is read; an entity that does not match is removed, and counts as missing.
final class EntityTable {
    private struct Statements {
        let find: Statement
        let content: Statement
        let insert: Statement
        let insertContent: Statement
        let touch: Statement
        let remove: Statement
        let removeContent: Statement
        let oldest: Statement
    }

    private static let pageSize: Int64 = 4096

    private let database: Database
    private let statements: Statements
    /// The most pages that the file may have.
    private let pages: Int64

    /// Opens the file, or makes it; replaces a damaged one.
    ///
    /// - Parameter limit: the largest size of the file in bytes, at least 256 KiB; its log may use a quarter more.
    static func open(_ file: EntityFile, limit: Int64) throws(StoreError) -> EntityTable {
        do {
            return try EntityTable(file, limit: limit)
        } catch let error as DatabaseError where error.isDamage {
            file.discard()
            do {
                return try EntityTable(file, limit: limit)
            } catch {
                throw notUsable(file.path, error)
            }
        } catch let error as StoreError {
            throw error
        } catch {
            throw notUsable(file.path, error)
        }
    }

    private static func notUsable(_ path: String, _ error: any Error) -> StoreError {
        let reason = (error as? DatabaseError)?.message ?? "\(error)"
        return StoreError(
            .databaseNotUsable,
            "cannot open the database \(path): \(reason); make room, or make it writable",
            underlying: error
        )
    }

    /// Throws `DatabaseError` or `StoreError`.
    private init(_ file: EntityFile, limit: Int64) throws {
        database = try Database(EntityFile.name, in: file.directory, at: file.directoryPath)
        pages = max(64, limit / Self.pageSize)
        try Self.prepare(database, path: file.path)
        try database.execute(
            """
            PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY;
            PRAGMA max_page_count=\(pages);
            PRAGMA wal_autocheckpoint=\(min(1000, pages / 4)); PRAGMA journal_size_limit=\(pages / 4 * Self.pageSize);
            """
        )
        statements = Statements(
            find: try database.prepare("SELECT id, time, kind, head, content_sum, sum FROM entity WHERE key = ?"),
            content: try database.prepare("SELECT octets FROM content WHERE id = ?"),
            insert: try database.prepare(
                "INSERT INTO entity(key, time, kind, head, content_sum, sum) VALUES(?, ?, ?, ?, ?, ?) RETURNING id"
            ),
            insertContent: try database.prepare("INSERT INTO content VALUES(?, ?)"),
            touch: try database.prepare("UPDATE entity SET time = ?, sum = ? WHERE id = ?"),
            remove: try database.prepare("DELETE FROM entity WHERE id = ?"),
            removeContent: try database.prepare("DELETE FROM content WHERE id = ?"),
            oldest: try database.prepare("SELECT id FROM entity ORDER BY time LIMIT ?")
        )
    }

    private static func prepare(_ database: Database, path: String) throws {
        let owner = try database.number("PRAGMA application_id")
        let version = try database.number("PRAGMA user_version")
        let isNew = try owner == 0 && database.number("SELECT count(*) FROM sqlite_schema") == 0
        guard isNew || owner == applicationID else {
            throw StoreError(.foreignDatabase, "\(path) is a database of another program; use another directory")
        }
        guard version <= 1 else {
            throw StoreError(
                .newerVersion(found: Int(clamping: version), known: 1),
                "\(path) was made by a newer program: use that one, or another directory"
            )
        }
        guard isNew else { return }
        try database.execute("PRAGMA page_size=\(pageSize)")
        try database.execute("BEGIN IMMEDIATE;\(tables)COMMIT")
    }

    /// `RSPE`, the `application_id` of a program's entities.
    private static let applicationID: Int64 = 0x5253_5045

    /// Files of programs have the column `octets`, so its name stays.
    private static let tables = """
        PRAGMA application_id=\(applicationID);
        PRAGMA user_version=1;
        CREATE TABLE entity(
            id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, time INTEGER NOT NULL, kind INTEGER NOT NULL,
            head BLOB NOT NULL, content_sum INTEGER NOT NULL, sum INTEGER NOT NULL) STRICT;
        CREATE INDEX entity_time ON entity(time);
        CREATE TABLE content(id INTEGER PRIMARY KEY, octets BLOB NOT NULL) STRICT;
        """

    // MARK: Rows

    /// A row without its content.
    private struct Head {
        var id: Int64
        var time: Int64
        var kind: Int64
        var head: [UInt8]
        var contentSum: Int64
        var sum: Int64
    }

    /// The entity under `key`; removes a damaged one, and returns nil.
    func read(_ key: [UInt8]) throws(DatabaseError) -> EntityRow? {
        guard let found = try find(key) else { return nil }
        var content: [UInt8]?
        try statements.content.bind(1, found.id).forEachRow { content = statements.content.bytes(0) }
        guard let content, Self.sum(content) == found.contentSum, Self.sum(found, key) == found.sum else {
            try remove(key)
            return nil
        }
        return EntityRow(time: found.time, kind: found.kind, head: found.head, content: content)
    }

    /// Replaces the entity under `key`; returns false if `row` is too large.
    ///
    /// Entities that were written or confirmed longest ago are removed for it.
    @discardableResult
    func write(_ row: EntityRow, for key: [UInt8]) throws(DatabaseError) -> Bool {
        let wanted = Int64(row.content.count + row.head.count + key.count * 2) / Self.pageSize + 8
        guard wanted < pages / 2 else {
            try remove(key)
            return false
        }
        try transaction { () throws(DatabaseError) in
            try removeRow(key)
            try makeRoom(wanted)
            var head = Head(id: 0, time: row.time, kind: row.kind, head: row.head, contentSum: 0, sum: 0)
            head.contentSum = Self.sum(row.content)
            let sum = Self.sum(head, key)
            let insert = statements.insert
            insert.bind(1, blob: key).bind(2, row.time).bind(3, row.kind).bind(4, blob: row.head)
            try insert.bind(5, head.contentSum).bind(6, sum).forEachRow { head.id = insert.integer(0) }
            try statements.insertContent.bind(1, head.id).bind(2, blob: row.content).run()
        }
        return true
    }

    /// Sets the time of the entity under `key`, if there is one.
    func touch(_ key: [UInt8], time: Int64) throws(DatabaseError) {
        guard var found = try find(key), Self.sum(found, key) == found.sum else { return }
        found.time = time
        try statements.touch.bind(1, time).bind(2, Self.sum(found, key)).bind(3, found.id).run()
    }

    /// Removes the entity under `key`.
    func remove(_ key: [UInt8]) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in try removeRow(key) }
    }

    private func find(_ key: [UInt8]) throws(DatabaseError) -> Head? {
        var found: Head?
        let find = statements.find
        try find.bind(1, blob: key).forEachRow {
            found = Head(
                id: find.integer(0),
                time: find.integer(1),
                kind: find.integer(2),
                head: find.bytes(3),
                contentSum: find.integer(4),
                sum: find.integer(5)
            )
        }
        return found
    }

    private func removeRow(_ key: [UInt8]) throws(DatabaseError) {
        guard let found = try find(key) else { return }
        try removeRow(id: found.id)
    }

    private func removeRow(id: Int64) throws(DatabaseError) {
        try statements.remove.bind(1, id).run()
        try statements.removeContent.bind(1, id).run()
    }

    // MARK: Room

    private func makeRoom(_ wanted: Int64) throws(DatabaseError) {
        while try usedPages() + wanted > pages {
            var oldest: [Int64] = []
            try statements.oldest.bind(1, 16).forEachRow { oldest.append(statements.oldest.integer(0)) }
            if oldest.isEmpty { return }
            for id in oldest where try usedPages() + wanted > pages { try removeRow(id: id) }
        }
    }

    private func usedPages() throws(DatabaseError) -> Int64 {
        try database.number("PRAGMA page_count") - database.number("PRAGMA freelist_count")
    }

    private func transaction(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
        try database.execute("BEGIN IMMEDIATE")
        do {
            try body()
            try database.execute("COMMIT")
        } catch {
            if !database.isIdle { try? database.execute("ROLLBACK") }
            throw error
        }
    }

    // MARK: Sums

    private static func sum(_ content: [UInt8]) -> Int64 { Int64(bitPattern: Checksum.sum(content)) }

    private static func sum(_ head: Head, _ key: [UInt8]) -> Int64 {
        let sum = Checksum()
        sum.updatePart(key)
        sum.update(head.time)
        sum.update(head.kind)
        sum.updatePart(head.head)
        sum.update(head.contentSum)
        return Int64(bitPattern: sum.digest)
    }
}
