package import Configurations

/// What a tier between the core and the network has to know of one load.
public struct LoadFacts: Sendable {
    public let request: ClientRequest
    package let effective: EffectiveConfiguration
    package let environment: CoreEnvironment

    package init(request: ClientRequest, effective: EffectiveConfiguration, environment: CoreEnvironment) {
        (self.request, self.effective, self.environment) = (request, effective, environment)
    }
}
