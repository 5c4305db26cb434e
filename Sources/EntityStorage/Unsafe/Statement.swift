import CSQLite

/// A prepared statement; used on the thread of its connection.
@safe
final class Statement {
    private let handle: OpaquePointer
    private let database: Database

    init(_ handle: OpaquePointer, of database: Database) {
        unsafe self.handle = unsafe handle
        self.database = database
    }

    deinit { unsafe _ = sqlite3_finalize(handle) }

    // MARK: Parameters, counted from 1

    @discardableResult
    func bind(_ index: Int32, _ value: Int64) -> Statement {
        unsafe sqlite3_bind_int64(handle, index, value)
        return self
    }

    @discardableResult
    func bind(_ index: Int32, blob: [UInt8]) -> Statement {
        unsafe blob.withUnsafeBytes {
            unsafe _ = respite_bind_blob(handle, index, $0.baseAddress, Int32(clamping: $0.count))
        }
        return self
    }

    @discardableResult
    func bind(_ index: Int32, text: [UInt8]) -> Statement {
        unsafe text.withUnsafeBytes {
            unsafe _ = respite_bind_text(handle, index, $0.baseAddress, Int32(clamping: $0.count))
        }
        return self
    }

    // MARK: Running

    /// Goes to the next row; returns false at the end.
    ///
    /// At the end, and after an error, the statement is reset.
    func step() throws(DatabaseError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        defer { reset() }
        if code != SQLITE_DONE { throw database.error(code) }
        return false
    }

    /// Runs the statement to its end; ignores rows.
    func run() throws(DatabaseError) {
        while try step() {}
    }

    /// Runs `body` for each row, then resets the statement, so that no read transaction stays open.
    func forEachRow(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
        defer { reset() }
        while try step() { try body() }
    }

    func reset() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    // MARK: Columns, counted from 0

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// The bytes of a BLOB or TEXT column.
    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Lends the bytes of a BLOB or TEXT column, without copying them.
    func withBytes<Result>(_ column: Int32, _ body: (Span<UInt8>) -> Result) -> Result {
        let start = unsafe sqlite3_column_blob(handle, column)?.assumingMemoryBound(to: UInt8.self)
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe body(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count).span)
    }
}
