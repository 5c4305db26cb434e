public import Configurations

/// Whether plain HTTP inside a CONNECT is served here, not tunnelled.
private enum TunnelledHTTP: ConfigurationKey {
    static let defaultValue = false
}

extension Configuration {
    /// Whether plain HTTP inside a CONNECT is served here, not tunnelled.
    public var servesTunnelledHTTP: Bool {
        get { self[TunnelledHTTP.self] }
        set { self[TunnelledHTTP.self] = newValue }
    }
}
