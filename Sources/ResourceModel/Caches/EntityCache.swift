public import Exchanges
public import ResourceCore

/// Keeps entities beyond the life of their resources; set for a stage of a pipeline, whose output it keeps (S-183).
///
/// What it keeps is shown at once when a resource is used again, stale as it may be, while newer data is loaded (S-197).
/// A resource is looked up when its data is first asked for (S-187), from the last caching stage to the first (S-188);
/// after a successful load each caching stage's output is written (S-190), after "not modified" its timestamp set (S-191),
/// after a local override it is removed (S-192).
///
/// Reading, writing, updating and removing run on `workQueue`, for one key in the order they were asked for (S-245), for
/// different keys perhaps at once. They may block. A cache that throws is as good as one that has nothing; the log tells
/// of it, at most once a minute. A cache MAY decline to keep anything (S-196). What was removed MUST not be read again
/// before it is written again (S-194).
public protocol EntityCache: Sendable {
    /// Identifies an entry; at least as fine as URLs (S-184).
    ///
    /// Has what distinguishes users, if data of several must be kept apart.
    associatedtype Key: Hashable & Sendable

    /// The key of a resource; nil: this cache has nothing to do with it, and nothing else is asked (S-185).
    ///
    /// Called wherever the resource is used: it SHOULD be quick, and MUST NOT wait for anything.
    func key(for resource: Resource) -> Key?

    /// The entity last written, with its own timestamp; nil if there is none.
    func readEntity(forKey key: Key) throws -> Entity<any Sendable>?

    func writeEntity(_ entity: Entity<any Sendable>, forKey key: Key) throws

    /// Notes that what is kept is valid at a later time; does nothing if nothing is kept.
    ///
    /// By default the entity is read, changed and written.
    func updateEntityTimestamp(_ timestamp: Timestamp, forKey key: Key) throws

    func removeEntity(forKey key: Key) throws

    /// Where all of the above but `key(for:)` runs; by default `CacheQueue.background`.
    ///
    /// MUST be the same each time: it keeps the order of what is asked for one key.
    var workQueue: CacheQueue { get }
}

extension EntityCache {
    public func updateEntityTimestamp(_ timestamp: Timestamp, forKey key: Key) throws {
        guard var entity = try readEntity(forKey: key) else { return }
        entity.timestamp = timestamp
        try writeEntity(entity, forKey: key)
    }

    public var workQueue: CacheQueue { .background }
}
