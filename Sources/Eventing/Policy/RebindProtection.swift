import HTTPCore

/// Keeps names of the network from resolving to this machine (DNS rebinding).
///
/// If a web page's name later resolves to 127.0.0.1, the page shares an origin with servers on this machine, and could
/// read them.
public struct RebindProtection: Sendable {
    /// The addresses that only trusted names may resolve to.
    public enum Scope: Sendable, Hashable {
        case none
        case loopback
        /// Loopback and private networks.
        case privateNetworks
    }

    /// Why a name may resolve to any address.
    public enum Trust: Sendable, Hashable {
        /// It is an address, not a name.
        case literal
        /// `localhost` and the names below it.
        case localhost
        /// The settings contain it: the base of a service, the origin of the gateway, a name of `[hosts]`.
        case named
        /// The settings list it as a name for loopback or private addresses.
        case listed
        /// The hosts file of this machine contains it.
        case hostsFile
    }

    public var scope = Scope.none
    /// Names in the settings, in lower case, without a final dot.
    public var named: Set<String> = []
    /// Whether the settings list a name, in lower case, for loopback or private addresses.
    public var isListed: @Sendable (_ name: String) -> Bool = { _ in false }

    /// Lets any name resolve to any address.
    public init() {}

    /// Whether `host` must not resolve to an address of this kind.
    ///
    /// - Parameters:
    ///   - host: as `HostName.canonical` returns it.
    ///   - source: where the address comes from.
    func forbids(_ host: String, from source: ResolvedName.Source, leadingTo kind: AddressClass) -> Bool {
        switch (scope, kind) {
        case (.loopback, .loopback), (.privateNetworks, .loopback), (.privateNetworks, .private):
            trust(in: host, from: source) == nil
        default: false
        }
    }

    /// Why a name may resolve to loopback or private addresses; nil: it may not.
    func trust(in host: String, from source: ResolvedName.Source) -> Trust? {
        if HostName.literal(host) != nil { return .literal }
        if HostName.isLocalhost(host) { return .localhost }
        if named.contains(host) { return .named }
        if isListed(host) { return .listed }
        switch source {
        case .hostsFile: return .hostsFile
        case .override: return .named
        case .literal, .localhost, .dns, .system: return nil
        }
    }
}
