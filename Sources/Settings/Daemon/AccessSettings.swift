public import HTTPCore

/// Who may use the daemon, and for what.
public struct AccessSettings: Sendable, Equatable {
    public var clients = ["127.0.0.0/8", "::1"].compactMap(AddressRange.init)
    /// The users of all listeners that name no file of their own; nil: no login is required.
    public var loginFile: String?
    /// Clients whose PURGE, BAN and REFRESH on the proxy's port are executed (H-141).
    public var commandClients: [AddressRange] = []
    public var connectPorts: PortSelection = [443, 8443]
    /// Ports that no request may reach, with any method (H-138).
    public var blockedPorts: [UInt16] = [
        1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
        110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530,
        531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190,
        5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
    ]
    public var destinations = DestinationSettings()
    /// Whether everybody may use a forward proxy that listens beyond loopback.
    public var allowOpenProxy = false
    /// Whether clients on loopback have no limit of connections per address.
    public var trustLoopback = true
    /// Names besides loopback's under which prefix, services and gateway answer (H-143); `*` is for the gateway alone.
    public var ownNames: [HostPattern] = []
    /// What happens to cookies if a path names the origin.
    public var pathCookies = PathCookieSetting.byListener
    /// Whether `own-names` has `*`, which makes a reverse proxy answer under every name; other routes do not.
    public var answersToEveryName: Bool { ownNames.contains { $0.text == "*" } }
    /// The kinds of addresses to which host names must not lead.
    public var rebindProtection = RebindProtection.loopback
    /// The host names that may lead to such addresses.
    public var privateNames: [HostPattern] = []

    /// The addresses that need no login: `clients`, unless that has its default or lists every address.
    ///
    /// So loopback, and everybody, need one unless somebody decided otherwise.
    public var clientsWithoutLogin: [AddressRange] { clients == Self().clients || !listsClients ? [] : clients }

    /// Whether some addresses may not connect.
    public var listsClients: Bool { !clients.contains { $0.prefixLength == 0 } }
}

/// What happens to cookies on the prefix route and on paths of services.
///
/// Browsers take all origins there for one, Respite's own.
public enum PathCookieSetting: String, Sendable, CaseIterable {
    /// Like `scoped`, but like `drop` for plain HTTP from beyond loopback.
    case byListener = "by-listener"
    /// The cookies of an origin are limited to its path, and sent back only to that origin.
    case scoped
    /// All cookies are removed.
    case drop
    /// All cookies pass unchanged.
    case pass
}

/// Destinations allowed after resolution (H-137); link-local and metadata addresses and our own listeners never are.
public struct DestinationSettings: Sendable, Equatable {
    public var loopback = DestinationRule.byListener
    public var `private` = DestinationRule.byListener
}

public enum DestinationRule: String, Sendable, CaseIterable {
    /// Allowed if every listener is local, refused otherwise.
    case byListener = "by-listener"
    case allow
    case refuse
}

extension DaemonSettings {
    /// Whether every proxy listener is on loopback or a Unix socket.
    public var listensLocally: Bool { allListeners.allSatisfy(\.address.isLocal) }

    public var mayReachLoopback: Bool { isAllowed(access.destinations.loopback) }

    public var mayReachPrivateNetworks: Bool { isAllowed(access.destinations.private) }

    private func isAllowed(_ rule: DestinationRule) -> Bool {
        switch rule {
        case .byListener: listensLocally
        case .allow: true
        case .refuse: false
        }
    }
}
