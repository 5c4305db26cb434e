import CSQLite
import Testing

/// Another program's connection to a store's database.
final class ForeignConnection {
    private var handle: OpaquePointer?

    init(_ path: String) { #expect(sqlite3_open(path, &handle) == SQLITE_OK) }

    deinit { sqlite3_close(handle) }

    func run(_ sql: String) { #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK) }

    /// Nobody else writes until `unlock`.
    func lock() { run("BEGIN IMMEDIATE") }
    func unlock() { run("ROLLBACK") }
}
