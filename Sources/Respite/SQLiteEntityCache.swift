import EntityStorage
public import Exchanges
import HTTPCore
import Platform
public import ResourceCore
public import ResourceModel
public import Transforms

/// Keeps the entities of a program in an SQLite file, so that its next start begins with the data of the last one.
///
/// Content may be bytes, text, or values of JSON. The cache declines anything else (S-196), so set it for a stage whose
/// output is one of these: `rawData`, or `parsing` with the standard transformers. No stage finds the output of
/// another. It also declines entities with `Cache-Control: no-store`, and does not store `Set-Cookie`. If only the
/// timestamp is new, it does not write the content again (S-191). A damaged entity is removed and counts as missing; a
/// damaged file is replaced.
///
/// The first use opens the file. A thread of the cache's own does all work in order (S-195, S-245). If the file cannot
/// be opened, each use throws, which a resource treats as a miss. Several caches may use one directory, also in several
/// processes.
public final class SQLiteEntityCache: EntityCache {
    /// What distinguishes entities: scope, stage, version and URL.
    public struct Key: Sendable, Hashable {
        let scope: String
        let stage: String
        let version: Int
        let url: [UInt8]

        /// Lengths stand before the texts, so that no two keys have the same bytes.
        var bytes: [UInt8] {
            Array("\(scope.utf8.count) \(scope) \(stage.utf8.count) \(stage) \(version) ".utf8) + url
        }
    }

    /// The default limit: 64 MiB.
    public static let usualLimit: Int64 = 64 << 20

    public let workQueue: CacheQueue

    private let database: EntityDatabase
    private let scope: String
    private let version: Int
    private let worker: WorkerThread

    /// - Parameters:
    ///   - directory: made if it is missing, with access for the user alone; the file in it is `entities.db`.
    ///   - limit: the largest size of the file in bytes, at least 256 KiB. Entities that were written or confirmed
    ///     longest ago are removed for new ones.
    ///   - scope: part of each key, so that entities of other users are never found.
    ///   - version: part of each key, as the name of the stage is. Choose another one when the program reads or
    ///     transforms content in another way: it then does not find what an older version kept.
    public init(
        directory: String,
        limit: Int64 = SQLiteEntityCache.usualLimit,
        scope: String = "",
        version: Int = 1
    ) {
        database = EntityDatabase(directory: directory, limit: limit)
        self.scope = scope
        self.version = version
        let worker = WorkerThread(name: "entities")
        self.worker = worker
        workQueue = CacheQueue { worker.submit($0) }
    }

    deinit { worker.stop() }

    /// The key of a resource for the stage `rawData`, whatever its URL.
    public func key(for resource: Resource) -> Key? { key(for: resource, stage: .rawData) }

    /// The key of a resource for a stage, which its name identifies.
    public func key(for resource: Resource, stage: PipelineStageKey) -> Key? {
        Key(scope: scope, stage: stage.name, version: version, url: resource.uri.bytes)
    }

    public func readEntity(forKey key: Key) throws -> Entity<any Sendable>? {
        try database.read(key.bytes) { EntityCoding.entity($0) }
    }

    public func writeEntity(_ entity: Entity<any Sendable>, forKey key: Key) throws {
        if let row = EntityCoding.row(entity) {
            try database.write(row, for: key.bytes)
        } else {
            // An older entity must not remain in place of the declined one.
            try database.remove(key.bytes)
        }
    }

    public func updateEntityTimestamp(_ timestamp: Timestamp, forKey key: Key) throws {
        try database.touch(key.bytes, time: EntityCoding.nanoseconds(timestamp))
    }

    public func removeEntity(forKey key: Key) throws { try database.remove(key.bytes) }

    /// Returns once the data of all completed loads is written; call it before the program ends.
    ///
    /// `Service.flush()` does the same for all caches of a service.
    public func flush() async { await workQueue.finish() }
}
