public import HTTPCore

/// What one circuit breaker is about: an origin as a whole, or TLS with it under certain settings.
///
/// An origin that cannot be reached is down for all requests. A refused certificate, the origin's or ours, does not
/// affect requests that use other TLS settings.
public struct CircuitBreakerKey: Hashable, Sendable {
    /// The TLS settings.
    public enum Security: Hashable, Sendable {
        case standard
        /// The settings that `ExchangePolicies.security` names.
        case named(String)
        /// The client certificate that `OriginRequest.identity` names.
        case identity(String)

        public init(identity: String?, name: String?) {
            self = identity.map { .identity($0) } ?? name.map { .named($0) } ?? .standard
        }
    }

    let origin: Origin
    /// Nil for the origin as a whole.
    let security: Security?

    init(_ origin: Origin) { (self.origin, security) = (origin, nil) }

    init(_ origin: Origin, _ security: Security) { (self.origin, self.security) = (origin, security) }
}

/// The origin and the TLS settings of a request, which passes the circuit breakers of both.
public struct OriginRoute: Hashable, Sendable {
    let origin: Origin
    let security: CircuitBreakerKey.Security

    public init(_ origin: Origin, _ security: CircuitBreakerKey.Security) {
        (self.origin, self.security) = (origin, security)
    }

    /// The keys of both circuit breakers, that of the origin as a whole first.
    var keys: [CircuitBreakerKey] { [CircuitBreakerKey(origin), CircuitBreakerKey(origin, security)] }

    /// The key of the circuit breaker that a failure counts for.
    func key(for kind: ExchangeFailure.Kind) -> CircuitBreakerKey {
        kind.isOfSecurity ? CircuitBreakerKey(origin, security) : CircuitBreakerKey(origin)
    }
}

extension ExchangeFailure.Kind {
    /// Whether TLS failed, although the origin could be reached.
    var isOfSecurity: Bool {
        switch self {
        case .tlsCertificateError, .tlsAlertReceived, .tlsProtocolError: true
        default: false
        }
    }
}
