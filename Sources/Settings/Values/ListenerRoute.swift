/// A kind of requests that a listener accepts.
public enum ListenerRoute: String, Sendable, CaseIterable {
    /// Absolute-form targets, and CONNECT: a forward proxy.
    case forward
    /// `/http://host/…` and `/https://host/…`.
    case prefix
    /// `/NAME/…` and `NAME.localhost` of named services.
    case services
    /// A reverse proxy: every path belongs to the origin of `gateway`.
    case gateway
}

/// The host that a reverse proxy sends in `Host`.
public enum GatewayHost: String, Sendable, CaseIterable {
    /// The origin's host, as in its URL.
    case origin
    /// The host that the client sent.
    case client
}

/// The addresses that host names must not lead to (DNS rebinding).
public enum RebindProtection: String, Sendable, CaseIterable {
    case loopback
    /// Loopback and private networks.
    case `private`
    case off
}
