public import HTTPCore

/// Hosts that the proxy's script makes clients reach without the proxy.
public enum DirectHosts: Sendable, Equatable {
    case everything
    /// A name in lower case, and all names below it.
    case name(String)
    /// All names below a name in lower case, without the name itself.
    case below(String)
    /// Addresses that share this many bits with one.
    case range(IPAddress, bits: Int)
}

/// What the proxy's script contains besides the address of the proxy.
public struct ScriptOptions: Sendable, Equatable {
    /// Hosts besides this machine and names without a dot.
    public var direct: [DirectHosts] = []
    /// Whether clients go on without the proxy while they do not reach it.
    public var allowsFallback = false

    public init() {}
}
