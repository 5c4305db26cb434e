package import Configurations
package import Exchanges
package import HTTPCaching
package import HTTPCore
package import Outcomes

/// The time and the configuration at one event of a resource.
package struct ResourceContext {
    package let now: MonotonicTime
    package let wallNow: HTTPDate
    /// The configuration for GET.
    package private(set) var effective: EffectiveConfiguration
    /// The generation of the table's configuration.
    let generation: UInt64
    package let uri: TargetURI
    package let environment: CoreEnvironment
    /// Collects log messages; nil: nothing is logged.
    package let notes: DeferredNotes?

    /// The same context with another configuration.
    package func by(_ effective: EffectiveConfiguration) -> ResourceContext {
        var context = self
        context.effective = effective
        return context
    }

    package var configuration: Configuration { effective.values }
    /// The wall clock, finer than `wallNow`.
    package var timestamp: Timestamp { environment.timekeeper.timestamp }

    /// The selection key of a request by `vary`; credentials in it are hashed.
    package func selection(_ vary: VaryNames, _ request: Fields) -> [UInt8] {
        guard !vary.names.isEmpty else { return [] }
        return vary.selectionKey(for: request, credentials: configuration.caching.credentials) {
            environment.hasher.hash($0)
        }
    }

    /// Whether a failure still counts: an age equal to the retry time does (S-084).
    package func isWithinRetryTime(_ error: ResourceError) -> Bool { now - error.time <= configuration.retryTime }

    // MARK: The origin

    /// Where a load for `request` would go.
    func route(of request: ClientRequest) -> OriginRoute {
        let name = configuration.policies.security
        return OriginRoute(Origin(uri), CircuitBreakerKey.Security(identity: request.identity, name: name))
    }

    /// The outage of the origin, if it is known to be down (C-25.3).
    package func outage(for request: ClientRequest) -> OriginOutage? {
        guard let origins = environment.origins, !origins.isEmpty else { return nil }
        return origins.outage(on: route(of: request), at: now)
    }

    /// Whether the origin has recovered since a load for `request` failed to reach it.
    func hasReopened(for request: ClientRequest, since error: ResourceError) -> Bool {
        guard let kind = error.kind, let origins = environment.origins else { return false }
        return origins.hasRecovered(route(of: request), kind, since: error.time)
    }

    /// Why nothing may be sent to the origin now, if it asked for a pause that all its URLs respect (C-25.3).
    package var pause: ExchangeFailure? {
        guard configuration.policies.retryAfter == .origin else { return nil }
        return environment.origins?.pause(of: Origin(uri), at: now)
    }

    /// Whether the origin's quota is nearly used up: then only requests that somebody waits for are made.
    var sparesQuota: Bool {
        configuration.policies.retryAfter != .ignore
            && environment.origins?.isQuotaScarce(of: Origin(uri), at: now) ?? false
    }
}

extension LatestError {
    init(_ failure: ResourceError, _ context: ResourceContext, limitsRetries: Bool = true) {
        self.init(failure, at: context.timestamp, limitsRetries: limitsRetries)
    }
}
