import Exchanges
import Locking
import ResourceCore
import Transforms

/// A service whose loads are requests over a program's provider, with the caches of its pipelines.
final class ModelService: ProgramService {
    let networking: any NetworkingProvider
    /// The queues of the caches that its resources have used.
    private let queues = Lock<[ObjectIdentifier: CacheQueue]>([:])

    init(_ networking: any NetworkingProvider) { self.networking = networking }

    /// Notes that a cache with this queue is in use.
    func note(_ queue: CacheQueue) { queues.withLock { $0[ObjectIdentifier(queue)] = queue } }

    /// Returns once all caches have done what they were asked.
    func finishCaches() async {
        await ComingWrites.shared.finish()
        for queue in queues.withLock({ Array($0.values) }) { await queue.finish() }
    }

    func lookUp(_ number: UInt32, for resource: Resource) {
        CacheLookUp(resource, resource.configuration.values).run { [weak resource] hit in
            resource?.perform { $0.finishLookUp(number, hit) }
        }
    }

    func removal(then completion: @escaping @Sendable () -> Void) -> @Sendable (Resource) -> Void {
        ComingWrites.shared.operation { resource in
            CacheWrites.remove(from: resource.configuration.values.pipeline, for: resource, then: completion)
        }
    }
}

extension Resource {
    /// A cache of a stage for this resource, which its service then flushes; nil if it is not for that.
    func keyed(_ cache: any EntityCache, at stage: PipelineStageKey) -> (any KeyedCaching)? {
        guard let keyed = cache.keyed(for: self, stage: stage) else { return nil }
        (core.program as? ModelService)?.note(cache.workQueue)
        return keyed
    }
}

extension ServiceCore {
    /// The provider for requests that are no loads; it uses whole exchanges if loads run over exchanges.
    func networking(by policies: ExchangePolicies) -> (any NetworkingProvider)? {
        (program as? ModelService)?.networking
            ?? defaultProvider.map { ExchangeNetworking($0, policies: policies) }
    }
}
