import ResourceCore
public import TransportSecurity

/// What TLS to origins is spoken under.
public struct UpstreamSecurity: Sendable {
    /// For all requests but those that name another context; nil: `https` targets cannot be fetched.
    public var usual: TLSClientContext?
    /// For requests whose `ExchangePolicies.security` is this name.
    public var named: [String: TLSClientContext] = [:]
    /// For requests whose `OriginRequest.identity` is this name.
    public var identities: [String: TLSClientContext] = [:]

    public init(usual: TLSClientContext? = nil) { self.usual = usual }

    /// Nil if there is none: a name that is not known is not passed over.
    func context(for request: OriginRequest) -> TLSClientContext? {
        if let name = request.identity { return identities[name] }
        if let name = request.policies.security { return named[name] }
        return usual
    }
}
