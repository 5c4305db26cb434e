import HTTPCore

/// Keeps names that anybody may have made from leading to this machine (DNS rebinding).
///
/// A web page whose name resolves to 127.0.0.1 a moment later is of one origin with what listens here, and could read it.
public struct RebindProtection: Sendable {
    /// To which addresses only trusted names lead.
    public enum Scope: Sendable, Hashable {
        case none
        case loopback
        /// Loopback and private networks.
        case privateNetworks
    }

    /// Why a name may lead wherever it does.
    public enum Trust: Sendable, Hashable {
        /// It is an address, and no name.
        case literal
        /// `localhost` and the names below it.
        case localhost
        /// The operator wrote it: the base of a service, the origin of the gateway, a name with an address of its own.
        case named
        /// The operator listed it as one that leads inward.
        case listed
        /// The hosts file of this machine has it.
        case hostsFile
    }

    public var scope = Scope.none
    /// Names that the operator wrote, in lower case, without a final dot.
    public var named: Set<String> = []
    /// Whether a name, in lower case, is among those that may lead inward.
    public var isListed: @Sendable (_ name: String) -> Bool = { _ in false }

    /// No name is kept from anywhere.
    public init() {}

    /// Whether `host` must not lead to an address of this kind.
    ///
    /// - Parameters:
    ///   - host: as `HostName.canonical` gives it.
    ///   - source: who told the address.
    func forbids(_ host: String, from source: ResolvedName.Source, leadingTo kind: AddressClass) -> Bool {
        switch (scope, kind) {
        case (.loopback, .loopback), (.privateNetworks, .loopback), (.privateNetworks, .private):
            trust(in: host, from: source) == nil
        default: false
        }
    }

    /// Why a name may lead inward; nil: for no reason, as far as this machine knows.
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
