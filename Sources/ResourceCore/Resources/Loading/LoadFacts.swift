package import Configurations

/// What a tier between the core and the network has to know of one load.
public struct LoadFacts: Sendable {
    public let request: ClientRequest
    package let effective: EffectiveConfiguration
    package let environment: CoreEnvironment
}
