import EntityStorage
public import Exchanges
import HTTPCore
import Platform
public import ResourceCore
public import ResourceModel

/// Keeps the entities of a program in an SQLite file, so that its next start begins with the data of the last one.
///
/// Content may be bytes, text, or values of JSON. The cache declines anything else (S-196), so set it for a stage whose
/// output is one of these: `rawData`, or `parsing` with the standard transformers. It also declines entities with
/// `Cache-Control: no-store`, and does not store `Set-Cookie`. A new timestamp writes no content again (S-191). A
/// damaged entity is removed and counts as missing; a damaged file is replaced.
///
/// The first use opens the file. All work is done in order on a thread of the cache's own (S-195, S-245). If the file
/// cannot be opened each use throws, which a resource treats as a miss. Several caches may use one directory, also in
/// several processes.
public final class SQLiteEntityCache: EntityCache {
    /// The scope and the URL of an entity.
    public struct Key: Sendable, Hashable {
        let scope: String
        let url: [UInt8]

        var bytes: [UInt8] { Array(scope.utf8) + [0] + url }
    }

    /// The default limit: 64 MiB.
    public static let usualLimit: Int64 = 64 << 20

    public let workQueue: CacheQueue

    private let database: EntityDatabase
    private let scope: String
    private let worker: WorkerThread
