/// A way of asking that a listener offers.
public enum ListenerRoute: String, Sendable, CaseIterable {
    /// Absolute-form targets, and CONNECT: a forward proxy.
    case forward
    /// `/http://host/…` and `/https://host/…`.
    case prefix
    /// `/NAME/…` and `NAME.localhost` of named services.
    case services
    /// Every path is the origin's for which `gateway` makes this a reverse proxy.
    case gateway
}

/// Whose name a reverse proxy gives the origin in `Host`.
public enum GatewayHost: String, Sendable, CaseIterable {
    /// The origin's own, as in its URL.
    case origin
    /// The one the client used.
    case client
}

/// To which addresses names of the network do not lead (DNS rebinding).
public enum RebindProtection: String, Sendable, CaseIterable {
    case loopback
    /// Loopback and private networks.
    case `private`
    case off
}
