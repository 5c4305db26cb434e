/// One route to be refused by an origin: the whole of it, or TLS under one name.
///
/// Who cannot be reached is down for all. A certificate, theirs or ours, that is refused says nothing of requests that speak
/// TLS under another name, or do not verify.
public struct CircuitBreakerKey: Hashable, Sendable {
    /// What TLS is spoken under.
    public enum Security: Hashable, Sendable {
        case usual
        /// `ExchangePolicies.security`.
        case named(String)
        /// `OriginRequest.identity`.
        case identity(String)

        public init(identity: String?, name: String?) {
            self = identity.map { .identity($0) } ?? name.map { .named($0) } ?? .usual
        }
    }

    let origin: Origin
    /// Nil: the origin as a whole.
    let security: Security?

    init(_ origin: Origin) { (self.origin, security) = (origin, nil) }

    init(_ origin: Origin, _ security: Security) { (self.origin, self.security) = (origin, security) }
}

/// Where a request goes, with what TLS is spoken under: it passes both keys.
public struct OriginRoute: Hashable, Sendable {
    let origin: Origin
    let security: CircuitBreakerKey.Security

    public init(_ origin: Origin, _ security: CircuitBreakerKey.Security) {
        (self.origin, self.security) = (origin, security)
    }

    /// The outer one first.
    var keys: [CircuitBreakerKey] { [CircuitBreakerKey(origin), CircuitBreakerKey(origin, security)] }

    /// The one at which an attempt failed.
    func key(for kind: ExchangeFailure.Kind) -> CircuitBreakerKey {
        kind.isOfSecurity ? CircuitBreakerKey(origin, security) : CircuitBreakerKey(origin)
    }
}

extension ExchangeFailure.Kind {
    /// Whether it tells of certificates and keys; the origin could be reached.
    var isOfSecurity: Bool {
        switch self {
        case .tlsCertificateError, .tlsAlertReceived, .tlsProtocolError: true
        default: false
        }
    }
}
