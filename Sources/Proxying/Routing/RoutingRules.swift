/// What a listener's options mean for requests, computed once.
final class RoutingRules: Sendable {
    let options: ProxyOptions
    let services: ServiceDirectory
    /// The names of a reverse proxy; nil if the listener is none.
    let names: GatewayNames?
    /// Whether services have paths and hosts here; their fields may be added to other requests in any case.
    let offersServices: Bool

    init(_ options: ProxyOptions) {
        self.options = options
        services = ServiceDirectory(options.services)
        names = options.gateway.map { GatewayNames($0, options) }
        offersServices = options.routes.contains(.services) && !services.isEmpty
    }
}
