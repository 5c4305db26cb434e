/// The table `usage`: rows that were used since eviction last considered them.
final class UsageTable {
    private let database: Database
    private let insert: Statement
    private let delete: Statement

    init(_ database: Database) throws(DatabaseError) {
        self.database = database
        insert = try database.prepare("INSERT OR REPLACE INTO usage VALUES(?, 1)")
        delete = try database.prepare("DELETE FROM usage WHERE id = ?")
    }

    func add(_ row: Int64) throws(DatabaseError) { try insert.bind(1, row).run() }

    /// Removes a row from the table; returns whether it was there.
    func remove(_ row: Int64) throws(DatabaseError) -> Bool {
        try delete.bind(1, row).run()
        return database.changes > 0
    }

    /// Removes rows that are gone, up to 5,000 of them.
    func trim() throws(DatabaseError) {
        try database.execute(
            """
            DELETE FROM usage WHERE id IN
                (SELECT id FROM usage WHERE id < (SELECT min(id) FROM entry) ORDER BY id LIMIT 5000)
            """
        )
    }
}
