/// The writing connection: transactions, the tables of the database, and its pages.
final class WriterConnection {
    let database: Database
    /// The seed of the hashes in keys.
    let seed: UInt64
    let entries: EntryQueries
    let changes: EntryChanges
    let tags: TagTable
    let usage: UsageTable
    let doomed: DoomedTable
    let contents: ContentTable
    let meta: MetaTable
    private let countPages: Statement
    private let countFreePages: Statement

    init(_ database: Database) throws(DatabaseError) {
        self.database = database
        meta = try MetaTable(database)
        seed = UInt64(bitPattern: try meta.number(.seed))
        entries = try EntryQueries(database, seed: seed)
        tags = try TagTable(database, seed: seed)
        changes = try EntryChanges(database, seed: seed, tags)
        usage = try UsageTable(database)
        doomed = try DoomedTable(database)
        contents = try ContentTable(database)
        countPages = try database.prepare("PRAGMA page_count")
        countFreePages = try database.prepare("PRAGMA freelist_count")
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

    // MARK: Pages

    func pageCount() throws(DatabaseError) -> Int64 { try number(countPages) }
    func freePages() throws(DatabaseError) -> Int64 { try number(countFreePages) }

    private func number(_ statement: Statement) throws(DatabaseError) -> Int64 {
        var value: Int64 = 0
        try statement.forEachRow { value = statement.integer(0) }
        return value
    }

    /// Sets SQLite's own limit of pages, in case the disk budget is wrong.
    func setMaximumPages(_ pages: Int64) throws(DatabaseError) {
        _ = try database.number("PRAGMA max_page_count=\(pages)")
    }

    /// Releases at most `pages` free pages; the next checkpoint shortens the file.
    func vacuum(_ pages: Int64) throws(DatabaseError) {
        try database.prepare("PRAGMA incremental_vacuum(\(pages))").run()
    }
}
