import ResourceCore
public import ResourceModel
import Transforms

/// A cache that survives the program, and the stage whose output it keeps.
///
/// After a restart, a resource's first data comes from this cache, with the time when it was last known to be valid. A
/// load replaces or confirms it (S-187 to S-191).
public struct PersistentCache: Sendable {
    let cache: any EntityCache
    let stage: PipelineStageKey

    /// - Parameters:
    ///   - cache: keeps the output of the stage.
    ///   - stage: a stage of the pipeline.
    public init(_ cache: any EntityCache, stage: PipelineStageKey = .rawData) {
        self.cache = cache
        self.stage = stage
    }

    /// One SQLite file; see `SQLiteEntityCache`.
    ///
    /// - Parameters:
    ///   - directory: made if it is missing, with access for the user alone.
    ///   - limit: bytes the file may take.
    ///   - stage: by default the cache keeps what servers sent, and later stages read it anew.
    ///   - scope: separates users who get different responses; data of one scope is not found in another.
    ///   - version: choose another one when the program reads content in another way; see `SQLiteEntityCache`.
    public static func sqlite(
        directory: String,
        limit: Int64 = SQLiteEntityCache.usualLimit,
        stage: PipelineStageKey = .rawData,
        scope: String = "",
        version: Int = 1
    ) -> PersistentCache {
        let cache = SQLiteEntityCache(directory: directory, limit: limit, scope: scope, version: version)
        return PersistentCache(cache, stage: stage)
    }
}
