import Exchanges
import Locking
import ResourceCore
import Transforms

/// Changes what caches keep for a resource, fired and forgotten (S-195); for one key in the order of the calls (S-245).
///
/// For the thread that has changed the resource, under no lock, in the order of the changes. `completion` is called once all
/// is done, on any thread, or inside the call if no cache is concerned.
enum CacheWrites {
    /// Keeps what the stages put out, once the load that brought it has been accepted (S-190, S-243).
    static func write(
        _ outputs: [StageOutput],
        for resource: Resource,
        then completion: @escaping @Sendable () -> Void = {}
    ) {
        let jobs = outputs.compactMap { output in output.cache.keyed(for: resource).map { ($0, output.entity) } }
        each(jobs, completion) { job, done in job.0.write(job.1, then: done) }
    }

    /// Notes that what is kept is valid at `timestamp` (S-191).
    static func touch(
        _ timestamp: Timestamp,
        in pipeline: Pipeline,
        for resource: Resource,
        then completion: @escaping @Sendable () -> Void = {}
    ) {
        each(pipeline.caches(for: resource), completion) { $0.touch(timestamp, then: $1) }
    }

    /// Removes what is kept (S-192).
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
    /// The caches of the stages that run, as far as they have to do with `resource`.
    fileprivate func caches(for resource: Resource) -> [any KeyedCaching] {
        order.compactMap { self[$0].entityCache?.keyed(for: resource) }
    }
}
