public import Exchanges
public import ResourceCore
public import Transforms

/// Keeps entities beyond the life of their resources; set for a stage of a pipeline, whose output it keeps (S-183).
///
/// When a resource is used again, it shows the kept entity at once, even if stale, while newer data is loaded (S-197).
/// The look-up begins when data is first asked for (S-187), from the last caching stage to the first (S-188). After a
/// successful load, the output of each caching stage is written (S-190). "Not modified" sets the timestamp (S-191), and
/// a local override removes the entity (S-192).
///
/// Reading, writing, updating and removing run on `workQueue` and may block. They run in order for one key (S-245), and
/// perhaps at once for different keys. A cache that throws is treated as empty; the log reports that at most once a
/// minute. A cache MAY decline to keep anything (S-196). It MUST NOT return a removed entity before that is written
/// again (S-194).
public protocol EntityCache: Sendable {
    /// Identifies an entry; at least as fine as URLs (S-184).
    ///
    /// It contains what distinguishes users, if data of several must be kept apart.
    associatedtype Key: Hashable & Sendable

    /// The key of a resource; nil if this cache is not for it: then nothing else is called (S-185).
    ///
    /// Called wherever the resource is used: it SHOULD be quick, and MUST NOT wait for anything.
    func key(for resource: Resource) -> Key?

    /// The same for the output of one stage; by default `key(for:)`, whatever the stage.
    ///
    /// What one stage put out is nothing that another one can go on with. A cache that lasts SHOULD have the name of
    /// the stage in its keys. A program that moves it to another stage then begins with nothing.
    func key(for resource: Resource, stage: PipelineStageKey) -> Key?

    /// The entity last written, with its own timestamp; nil if there is none.
    func readEntity(forKey key: Key) throws -> Entity<any Sendable>?

    func writeEntity(_ entity: Entity<any Sendable>, forKey key: Key) throws

    /// Sets a later timestamp for the kept entity; does nothing without one.
    ///
    /// By default it reads, changes and writes the entity.
    func updateEntityTimestamp(_ timestamp: Timestamp, forKey key: Key) throws

    func removeEntity(forKey key: Key) throws

    /// Runs all of the above except `key(for:)`; by default `CacheQueue.background`.
    ///
    /// MUST be the same each time: it keeps the order of calls for one key.
    var workQueue: CacheQueue { get }
}

extension EntityCache {
    public func key(for resource: Resource, stage: PipelineStageKey) -> Key? { key(for: resource) }

    public func updateEntityTimestamp(_ timestamp: Timestamp, forKey key: Key) throws {
        guard var entity = try readEntity(forKey: key) else { return }
        entity.timestamp = timestamp
        try writeEntity(entity, forKey: key)
    }

    public var workQueue: CacheQueue { .background }
}
