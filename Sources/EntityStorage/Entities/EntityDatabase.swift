import Locking

/// The entities of a program in a directory, each under a key; any thread may call.
///
/// The first use opens the file. If the file cannot be opened each use throws `StoreError`. A damaged file is replaced.
/// Several may use one directory, also in several processes.
package final class EntityDatabase: Sendable {
    private let directory: String
    private let limit: Int64
    /// Locked for the whole of a use: any thread may call, but a connection is for one thread at a time.
    private let connection = Lock(Connection())

    /// - Parameters:
    ///   - directory: made if it is missing, with access for the user alone; the file in it is `entities.db`.
    ///   - limit: the largest size of the file in bytes, at least 256 KiB. The entities that were written or confirmed
    ///     longest ago make room.
    package init(directory: String, limit: Int64) {
        self.directory = directory
        self.limit = limit
    }

    /// Returns the row under `key` as `decode` reads it, or nil if there is none; removes a row that `decode` cannot
    /// read.
    package func read<Value>(_ key: [UInt8], _ decode: (EntityRow) -> Value?) throws -> Value? {
        try withTable { table in
            guard let row = try table.read(key) else { return nil }
            guard let value = decode(row) else {
                try table.remove(key)
                return nil
            }
            return value
        }
    }

    /// Replaces the row under `key`.
    package func write(_ row: EntityRow, for key: [UInt8]) throws { try withTable { _ = try $0.write(row, for: key) } }

    /// Sets the time of the row under `key`, if there is one.
    package func touch(_ key: [UInt8], time: Int64) throws { try withTable { try $0.touch(key, time: time) } }

    package func remove(_ key: [UInt8]) throws { try withTable { try $0.remove(key) } }

    /// Opens the file unless it is open; removes it if it turns out to be damaged, so that the next use makes a new
    /// one.
    private func withTable<R>(_ body: (EntityTable) throws -> R) throws -> R {
        try connection.withLock { connection in
            let table = try connection.table ?? open()
            connection.table = table
            do {
                return try body(table)
            } catch let error as DatabaseError where error.isDamage {
                connection.table = nil
                try? EntityFile(in: directory).discard()
                throw error
            }
        }
    }

    private func open() throws -> EntityTable {
        do {
            return try EntityTable.open(try EntityFile(in: directory), limit: limit)
        } catch let error as FileError {
            throw StoreError(
                .directoryNotUsable,
                "cannot use the directory \(directory): \(error.text)",
                underlying: error
            )
        }
    }
}

/// The open file, or nil before the first use.
private struct Connection: @unchecked Sendable {
    // The lock of its database makes `@unchecked Sendable` true.
    var table: EntityTable?
}
