import CSQLite
import Testing

/// Another program's connection to a store's database.
final class ForeignConnection {
    private var handle: OpaquePointer?

    init(_ path: String) { #expect(sqlite3_open(path, &handle) == SQLITE_OK) }

    deinit { close() }

    func close() {
        #expect(sqlite3_close(handle) == SQLITE_OK)
        handle = nil
    }

    func run(_ sql: String) { #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK) }

    /// The first column of the first row.
    func number(_ sql: String) -> Int64 {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        #expect(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
        #expect(sqlite3_step(statement) == SQLITE_ROW)
        return sqlite3_column_int64(statement, 0)
    }

    /// Nobody else writes until `unlock`.
    func lock() { run("BEGIN IMMEDIATE") }
    func unlock() { run("ROLLBACK") }

    /// Nobody else reads, writes or opens the database until `close`.
    func lockAlone() {
        run("PRAGMA locking_mode=EXCLUSIVE")
        lock()
    }
}
