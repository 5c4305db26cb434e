import CSQLite
import Testing

/// A store's database while no store has it open, as another program would use it.
struct ClosedDatabase {
    let path: String

    /// Runs statements.
    func edit(_ sql: String) {
        var handle: OpaquePointer?
        sqlite3_open(path, &handle)
        #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
        sqlite3_close(handle)
    }

    /// The first column of all rows.
    func query(_ sql: String) -> [String] {
        var handle: OpaquePointer?
        var statement: OpaquePointer?
        sqlite3_open(path, &handle)
        #expect(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
        var rows: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
        }
        sqlite3_finalize(statement)
        sqlite3_close(handle)
        return rows
    }

    /// Leaves the database as an earlier version would: without what later migrations added.
    func downgrade(to version: Int) {
        let undone = Self.undoing.filter { $0.version > version }.map(\.statements).joined()
        edit(
            "DROP VIEW entries; \(undone) CREATE VIEW entries AS SELECT uri FROM entry; PRAGMA user_version = \(version)"
        )
    }

    /// What undoes the migrations, the latest first.
    private static let undoing = [
        (
            version: 7,
            statements:
                "ALTER TABLE entry DROP COLUMN tags; DROP TABLE tag; DELETE FROM meta WHERE name = 'untagged_rows';"
        ),
        (version: 6, statements: "ALTER TABLE entry DROP COLUMN compressed; DROP TABLE content;"),
        (version: 5, statements: "ALTER TABLE entry DROP COLUMN pieces;"),
        (version: 4, statements: "DELETE FROM meta WHERE name IN ('plain_selections', 'private_rows');"),
        (version: 3, statements: "ALTER TABLE entry DROP COLUMN extent;"),
    ]
}
