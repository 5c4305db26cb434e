import ResourceCore
public import ResourceModel
import Transforms

/// What a service keeps beyond the end of the program, and of which stage.
///
/// When a resource's data is first asked for after a restart it is what was kept, with the time it was last known to be valid
/// at; a load replaces or confirms it (S-187 to S-191).
public struct PersistentCache: Sendable {
    let cache: any EntityCache
    let stage: PipelineStageKey

    /// - Parameters:
    ///   - cache: keeps what the stage puts out.
    ///   - stage: one of the pipeline's.
    public init(_ cache: any EntityCache, stage: PipelineStageKey = .rawData) {
        self.cache = cache
        self.stage = stage
    }

    /// One SQLite file; see `SQLiteEntityCache`.
    ///
    /// - Parameters:
    ///   - directory: made if it is missing, with access for the user alone.
    ///   - limit: bytes the file may take.
    ///   - stage: by default what servers sent is kept, and read anew by the later stages.
    ///   - scope: set it to keep apart users for whom servers say different things.
    public static func sqlite(
        directory: String,
        limit: Int64 = SQLiteEntityCache.usualLimit,
        stage: PipelineStageKey = .rawData,
        scope: String = ""
    ) -> PersistentCache {
        PersistentCache(SQLiteEntityCache(directory: directory, limit: limit, scope: scope), stage: stage)
    }
}
