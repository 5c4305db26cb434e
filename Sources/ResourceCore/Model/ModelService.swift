/// Loads of a service by requests of its own, with the caches of its pipelines.
final class ModelService: ProgramService {
    func lookUp(_ number: UInt32, for resource: Resource) {
        CacheLookUp(resource, resource.configuration.values).run { [weak resource] hit in
            resource?.perform { $0.finishLookUp(number, hit) }
        }
    }

    func removeCopies(of resource: Resource, then completion: @escaping @Sendable () -> Void) {
        CacheWrites.remove(from: resource.configuration.values.pipeline, for: resource, then: completion)
    }
}
