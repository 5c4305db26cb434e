import Exchanges
public import TransportSecurity

/// The TLS contexts for connections to origins.
public struct UpstreamSecurity: Sendable {
    /// For requests that name no other context; nil: `https` targets cannot be fetched.
    public var usual: TLSClientContext?
    /// For requests whose `ExchangePolicies.security` is this name.
    public var named: [String: TLSClientContext] = [:]
    /// For requests whose `OriginRequest.identity` is this name.
    public var identities: [String: TLSClientContext] = [:]

    public init(usual: TLSClientContext? = nil) { self.usual = usual }

    private var all: [TLSClientContext] {
        [usual].compactMap(\.self) + Array(named.values) + Array(identities.values)
    }

    /// The identifiers of all contexts.
    var numbers: Set<UInt64> { Set(all.map(\.number)) }

    /// Reads the certificates that the system trusts, so that no loop has to do it; blocks.
    public func prepare() { for context in all where context.settings.verifies { context.prepare() } }

    /// Keeps contexts of an earlier value that are equivalent, with their sessions and connections.
    public mutating func adopt(_ earlier: UpstreamSecurity) {
        usual = Self.kept(usual, earlier.usual)
        for (name, context) in named { named[name] = Self.kept(context, earlier.named[name]) }
        for (name, context) in identities { identities[name] = Self.kept(context, earlier.identities[name]) }
    }

    private static func kept(_ new: TLSClientContext?, _ old: TLSClientContext?) -> TLSClientContext? {
        guard let new, let old, new.isEquivalent(to: old) else { return new }
        return old
    }

    /// The context of a request; nil if there is none, also if the request names an unknown one.
    func context(for request: OriginRequest) -> TLSClientContext? {
        if let name = request.identity { return identities[name] }
        if let name = request.policies.security { return named[name] }
        return usual
    }
}
