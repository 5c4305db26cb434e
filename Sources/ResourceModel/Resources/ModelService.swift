import Exchanges
import ResourceCore

/// A service whose loads are requests over a program's provider, with the caches of its pipelines.
final class ModelService: ProgramService {
    let networking: any NetworkingProvider

    init(_ networking: any NetworkingProvider) { self.networking = networking }

    func lookUp(_ number: UInt32, for resource: Resource) {
        CacheLookUp(resource, resource.configuration.values).run { [weak resource] hit in
            resource?.perform { $0.finishLookUp(number, hit) }
        }
    }

    func removeCopies(of resource: Resource, then completion: @escaping @Sendable () -> Void) {
        CacheWrites.remove(from: resource.configuration.values.pipeline, for: resource, then: completion)
    }
}

extension ServiceCore {
    /// The provider for requests that are no loads; it uses whole exchanges if loads run over exchanges.
    func networking(by policies: ExchangePolicies) -> (any NetworkingProvider)? {
        (program as? ModelService)?.networking
            ?? defaultProvider.map { ExchangeNetworking($0, policies: policies) }
    }
}
