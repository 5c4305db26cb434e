public import Exchanges
import HTTPCore
import Locking
import Platform
public import ResourceCore
public import ResourceModel

/// Keeps the entities of a program in one SQLite file, so that it starts with the data it ended with.
///
/// Content may be bytes, text, or values of JSON; anything else is declined (S-196), so set it for a stage that puts these
/// out: `rawData`, or `parsing` with the standard transformers. Declined, too, is what says `Cache-Control: no-store`;
/// `Set-Cookie` is not kept. A timestamp is set without writing content again (S-191). What is damaged is removed and counts
/// as missing; a file that is no database any more is begun anew.
///
/// The file is opened with the first use, on the cache's own thread, where all its work is done, in order (S-195, S-245).
/// If it cannot be opened each use throws, which a resource takes for a miss. Several caches, also of several processes, may
/// use one directory.
public final class SQLiteEntityCache: EntityCache {
    /// The URL, and what else distinguishes entries.
    public struct Key: Sendable, Hashable {
        let scope: String
        let url: [UInt8]

        var bytes: [UInt8] { Array(scope.utf8) + [0] + url }
    }

    /// 64 MiB.
    public static let usualLimit: Int64 = 64 << 20

    public let workQueue: CacheQueue

    private let directory: String
    private let limit: Int64
    private let scope: String
    private let worker: WorkerThread
    /// Held for the whole of a use: a connection is for one thread at a time, whoever calls.
    private let connection = Lock(Connection())

    /// - Parameters:
    ///   - directory: made if it is missing, with access for the user alone; the file in it is `entities.db`.
    ///   - limit: bytes the file may take; the entities written or confirmed longest ago make room. At least 256 KiB.
    ///   - scope: part of each key: entries of other users, or of other stages of a pipeline, are never found.
    public init(directory: String, limit: Int64 = SQLiteEntityCache.usualLimit, scope: String = "") {
        self.directory = directory
        self.limit = limit
        self.scope = scope
        let worker = WorkerThread(name: "entities")
        self.worker = worker
        workQueue = CacheQueue { worker.submit($0) }
    }

    deinit { worker.stop() }

    /// Resources of every URL are kept.
    public func key(for resource: Resource) -> Key? { Key(scope: scope, url: resource.uri.bytes) }

    public func readEntity(forKey key: Key) throws -> Entity<any Sendable>? {
        try withTable { table in
            guard let row = try table.read(key.bytes) else { return nil }
            guard let entity = EntityCoding.entity(row) else {
                try table.remove(key.bytes)
                return nil
            }
            return entity
        }
    }

    public func writeEntity(_ entity: Entity<any Sendable>, forKey key: Key) throws {
        try withTable { table in
            if let row = EntityCoding.row(entity) {
                try table.write(row, for: key.bytes)
            } else {
                // What is kept is older than what was declined.
                try table.remove(key.bytes)
            }
        }
    }

    public func updateEntityTimestamp(_ timestamp: Timestamp, forKey key: Key) throws {
        try withTable { try $0.touch(key.bytes, time: EntityCoding.nanoseconds(timestamp)) }
    }

    public func removeEntity(forKey key: Key) throws { try withTable { try $0.remove(key.bytes) } }

    /// Returns once everything that was asked for is done: call it before the program ends.
    public func flush() async { await workQueue.finish() }

    /// Opens the file if need be; one that turns out to be damaged is begun anew with the next use.
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

/// The open file, if it is.
///
/// `@unchecked Sendable`: reached under the lock of its cache only.
private struct Connection: @unchecked Sendable {
    var table: EntityTable?
}
