import Exchanges
import Locking
import ResourceCore
import Transforms

/// Changes what caches have for a resource, without waiting (S-195); in the order of the calls for one key (S-245).
///
/// Called by the thread that changed the resource, under no lock, in the order of the changes. `completion` is called
/// once everything is done, on any thread, or inside the call if there is no cache.
enum CacheWrites {
    /// Writes the outputs of stages, once the load that brought them has been accepted (S-190, S-243).
    static func write(
        _ outputs: [StageOutput],
        for resource: Resource,
        then completion: @escaping @Sendable () -> Void = {}
    ) {
        let jobs = outputs.compactMap { output in
            resource.keyed(output.cache, at: output.stage).map { ($0, output.entity) }
        }
        each(jobs, completion) { job, done in job.0.write(job.1, then: done) }
    }

    /// Sets the timestamp of the entities in caches (S-191).
    static func touch(
        _ timestamp: Timestamp,
        in pipeline: Pipeline,
        for resource: Resource,
        then completion: @escaping @Sendable () -> Void = {}
    ) {
        each(pipeline.caches(for: resource), completion) { $0.touch(timestamp, then: $1) }
    }

    /// Removes the entities from caches (S-192).
    static func remove(
        from pipeline: Pipeline,
        for resource: Resource,
        then completion: @escaping @Sendable () -> Void = {}
    ) {
        each(pipeline.caches(for: resource), completion) { $0.remove(then: $1) }
    }

    private static func each<Job>(
        _ jobs: [Job],
        _ completion: @escaping @Sendable () -> Void,
        _ start: (Job, @escaping @Sendable () -> Void) -> Void
    ) {
        let countdown = Countdown(jobs.count, done: completion)
        for job in jobs { start(job) { countdown.arrive() } }
    }
}

extension Pipeline {
    /// The caches of the stages that run, if they are for `resource`.
    fileprivate func caches(for resource: Resource) -> [any KeyedCaching] {
        order.compactMap { key in self[key].entityCache.flatMap { resource.keyed($0, at: key) } }
    }
}
