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
}
