import Exchanges
import HTTPCore
import ResourceCore
import Transforms

/// A cache, with the key that it has for one resource.
protocol KeyedCaching: Sendable {
    /// Reads the entity, nil if there is none; calls `completion` on the cache's queue.
    func read(_ completion: @escaping @Sendable (Entity<any Sendable>?) -> Void)
    func write(_ entity: Entity<any Sendable>, then completion: @escaping @Sendable () -> Void)
    func touch(_ timestamp: Timestamp, then completion: @escaping @Sendable () -> Void)
    func remove(then completion: @escaping @Sendable () -> Void)
    /// For the log.
    var name: String { get }
}

extension EntityCache {
    /// This cache for `resource` at a stage; nil if it is not for that.
    ///
    /// Called by the thread that uses the resource, under no lock.
    func keyed(for resource: Resource, stage: PipelineStageKey) -> (any KeyedCaching)? {
        guard let key = key(for: resource, stage: stage) else { return nil }
        let timekeeper = resource.core.table.environment.timekeeper
        return KeyedCache(cache: self, key: key, uri: resource.uri, timekeeper: timekeeper)
    }
}

private struct KeyedCache<Cache: EntityCache>: KeyedCaching {
    let cache: Cache
    let key: Cache.Key
    let uri: TargetURI
    let timekeeper: any Timekeeper

    var name: String { "\(Cache.self)" }

    func read(_ completion: @escaping @Sendable (Entity<any Sendable>?) -> Void) {
        submit("read") { cache, key in
            let entity = try cache.readEntity(forKey: key)
            RespiteLog.log(.cache, "\(name): \(entity == nil ? "miss" : "hit") for \(uri.text)")
            return entity
        } then: {
            completion($0 ?? nil)
        }
    }

    func write(_ entity: Entity<any Sendable>, then completion: @escaping @Sendable () -> Void) {
        submit("write") { cache, key in
            try cache.writeEntity(entity, forKey: key)
            RespiteLog.log(.cache, "\(name): wrote \(uri.text)")
        } then: { _ in
            completion()
        }
    }

    func touch(_ timestamp: Timestamp, then completion: @escaping @Sendable () -> Void) {
        submit("update") { cache, key in
            try cache.updateEntityTimestamp(timestamp, forKey: key)
            RespiteLog.log(.cache, "\(name): new timestamp for \(uri.text)")
        } then: { _ in
            completion()
        }
    }

    func remove(then completion: @escaping @Sendable () -> Void) {
        submit("remove") { cache, key in
            try cache.removeEntity(forKey: key)
            RespiteLog.log(.cache, "\(name): removed \(uri.text)")
        } then: { _ in
            completion()
        }
    }

    private func submit<Result>(
        _ purpose: String,
        _ work: @escaping @Sendable (Cache, Cache.Key) throws -> Result,
        then completion: @escaping @Sendable (Result?) -> Void
    ) {
        let queue = cache.workQueue
        queue.submit(for: key) {
            do {
                completion(try work(cache, key))
            } catch {
                if queue.mayReport(at: timekeeper.now) {
                    RespiteLog.log(.cache, "\(name) cannot \(purpose): \(error)")
                }
                completion(nil)
            }
        }
    }
}
