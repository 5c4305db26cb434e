package import Exchanges
package import HTTPCaching
package import HTTPCore

/// The time, and the settings, at one event of a resource.
package struct ResourceContext {
    package let now: MonotonicTime
    package let wallNow: HTTPDate
    /// What is configured for GET.
    package private(set) var effective: EffectiveConfiguration
    /// In which generation of the table's configuration.
    let generation: UInt64
    package let uri: TargetURI
    /// By which the table finds the resource.
    let hash: UInt64
    package let environment: CoreEnvironment
    /// Nil: nothing is logged.
    package let notes: DeferredNotes?

    /// The same by another configuration.
    package func by(_ effective: EffectiveConfiguration) -> ResourceContext {
        var context = self
        context.effective = effective
        return context
    }

    package var configuration: Configuration { effective.values }
    /// The wall clock, finer than `wallNow`.
    package var timestamp: Timestamp { environment.timekeeper.timestamp }

    /// The selection of a request by `vary`; credentials in it are hashed.
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

    /// What is known of the origin, if it is down (C-25.3).
    package func outage(for request: ClientRequest) -> OriginOutage? {
        guard let origins = environment.origins, !origins.isEmpty else { return nil }
        return origins.outage(on: route(of: request), at: now)
    }

    /// Whether the origin has come back since a load for `request` failed to reach it.
    func hasReopened(for request: ClientRequest, since error: ResourceError) -> Bool {
        guard let kind = error.kind, let origins = environment.origins else { return false }
        return origins.hasRecovered(route(of: request), kind, since: error.time)
    }

    /// Why nothing is sent to the origin now, if it has asked for that and all its URLs heed it (C-25.3).
    package var pause: ExchangeFailure? {
        guard configuration.policies.retryAfter == .origin else { return nil }
        return environment.origins?.pause(of: Origin(uri), at: now)
    }
}
