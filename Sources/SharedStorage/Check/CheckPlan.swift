/// What a check looks at.
public struct CheckPlan: Sendable {
    /// The server, or nodes of the cluster.
    public var addresses: [ServerAddress]
    public var isCluster: Bool
    public var server: ServerOptions
    public var tier: SharedTierOptions

    public init(_ addresses: [ServerAddress], isCluster: Bool, server: ServerOptions, tier: SharedTierOptions) {
        (self.addresses, self.isCluster) = (addresses, isCluster)
        (self.server, self.tier) = (server, tier)
    }

    /// The user that nodes log in as; without a password they name none, and the server uses its default user.
    var user: String { server.password.flatMap { _ in server.user } ?? "default" }

    /// The setting that names the server.
    var setting: String { isCluster ? "shared.cluster" : "shared.url" }

    /// Whether all named servers are on this machine, so that nobody can read the traffic.
    var isLocal: Bool { addresses.allSatisfy(\.isLocal) }
}

extension ServerAddress {
    var isLocal: Bool {
        switch self {
        case .socket: true
        case .host("localhost", _), .host("::1", _): true
        case .host(let host, _): host.hasPrefix("127.") && !host.contains { $0.isLetter }
        }
    }
}
