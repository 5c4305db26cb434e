public import HTTPCore

/// Which addresses may be connected to; each address is judged after resolution.
public struct AddressPolicy: Sendable {
    package enum Verdict: Sendable, Hashable {
        case allowed
        /// One of our own listeners: the request would return to us.
        case loop
        case forbidden(AddressRefusal)
    }

    /// Link-local, metadata, multicast, broadcast and unspecified addresses are never allowed.
    public var allowsLoopback: Bool
    public var allowsPrivate: Bool
    public var blockedPorts: Set<UInt16>
    package var listeners: OwnListeners
    /// Which names may resolve to loopback and private addresses.
    package var rebinding = RebindProtection()

    /// - Parameters:
    ///   - allowsLoopback: 127.0.0.0/8, `::1` and what stands for them.
    ///   - allowsPrivate: networks that the Internet does not route, such as 10.0.0.0/8 (RFC 1918, RFC 4193).
    ///   - blockedPorts: ports that are never connected to.
    public init(allowsLoopback: Bool, allowsPrivate: Bool, blockedPorts: Set<UInt16> = []) {
        self.init(
            allowsLoopback: allowsLoopback,
            allowsPrivate: allowsPrivate,
            blockedPorts: blockedPorts,
            listeners: OwnListeners()
        )
    }

    /// - Parameter listeners: our own, which nothing connects to.
    package init(allowsLoopback: Bool, allowsPrivate: Bool, blockedPorts: Set<UInt16> = [], listeners: OwnListeners) {
        self.allowsLoopback = allowsLoopback
        self.allowsPrivate = allowsPrivate
        self.blockedPorts = blockedPorts
        self.listeners = listeners
    }

    package func judge(_ address: SocketAddress) -> Verdict {
        if listeners.isAdministration(address) { return .forbidden(.administration) }
        if listeners.isProxy(address) { return .loop }
        guard case .ip(let ip, let port, _) = address else { return .allowed }
        if blockedPorts.contains(port) { return .forbidden(.port) }
        let kind = ip.addressClass
        return allows(kind) ? .allowed : .forbidden(.addressClass(kind))
    }

    /// Judges an address to which `host` was resolved.
    ///
    /// - Parameters:
    ///   - host: as `HostName.canonical` returns it.
    ///   - source: where the address comes from.
    func judge(_ address: SocketAddress, of host: String, from source: ResolvedName.Source) -> Verdict {
        let verdict = judge(address)
        guard verdict == .allowed, rebinding.scope != .none, let kind = address.ipAddress?.addressClass else {
            return verdict
        }
        return rebinding.forbids(host, from: source, leadingTo: kind) ? .forbidden(.untrustedName(kind)) : .allowed
    }

    /// Judges a target that a parent proxy looks up: by its port, and by its address if the name is one.
    func judge(name host: String, port: UInt16) -> Verdict {
        let known: [IPAddress] =
            if let literal = HostName.literal(host) {
                [literal]
            } else if HostName.isLocalhost(host) {
                [.v4(0x7F00_0001), .v6(0, 1)]
            } else {
                []
            }
        for address in known {
            let verdict = judge(.ip(address, port: port))
            guard verdict == .allowed else { return verdict }
        }
        return blockedPorts.contains(port) ? .forbidden(.port) : .allowed
    }

    /// The policy for the addresses of configured proxies.
    var forParents: AddressPolicy {
        AddressPolicy(allowsLoopback: true, allowsPrivate: true, listeners: listeners)
    }

    /// Judges an established connection.
    ///
    /// It notices a connection from this machine to itself, even if the address is newer than `listeners`.
    package func judgeConnection(local: SocketAddress, peer: SocketAddress) -> Verdict {
        guard let ip = peer.ipAddress, let port = peer.port, local.ipAddress == ip else { return .allowed }
        var known = listeners
        known.localAddresses.insert(ip.unmapped)
        if known.isAdministration(peer) { return .forbidden(.administration) }
        return known.isProxy(.ip(ip, port: port)) ? .loop : .allowed
    }

    private func allows(_ kind: AddressClass) -> Bool {
        switch kind {
        case .global: true
        case .loopback: allowsLoopback
        case .private: allowsPrivate
        case .linkLocal, .metadata, .multicast, .broadcast, .unspecified: false
        }
    }
}

/// The addresses on which this process listens.
public struct OwnListeners: Sendable {
    private struct Group {
        var exact: Set<SocketAddress> = []
        /// Ports on which we listen on every local address.
        var everywhere: Set<UInt16> = []

        init(_ addresses: [SocketAddress]) {
            for address in addresses {
                if case .ip(let ip, let port, _) = address, ip.isEveryAddress {
                    everywhere.insert(port)
                } else {
                    exact.insert(address.canonical)
                }
            }
        }

        func contains(_ address: SocketAddress, local: Set<IPAddress>) -> Bool {
            let address = address.canonical
            if exact.contains(address) { return true }
            guard let ip = address.ipAddress, let port = address.port else { return false }
            if ip.isEveryAddress { return everywhere.contains(port) || exact.contains { $0.port == port } }
            return everywhere.contains(port) && (ip.addressClass == .loopback || local.contains(ip))
        }
    }

    private let proxy: Group
    private let administration: Group
    var localAddresses: Set<IPAddress>

    /// - Parameter localAddresses: the addresses of this machine; each leads to a listener on `0.0.0.0` or `[::]`.
    public init(
        proxy: [SocketAddress] = [],
        administration: [SocketAddress] = [],
        localAddresses: Set<IPAddress> = IPAddress.ofThisMachine()
    ) {
        self.proxy = Group(proxy)
        self.administration = Group(administration)
        self.localAddresses = Set(localAddresses.map(\.unmapped))
    }

    /// Whether one of the proxy's listeners has this port, on any address.
    public func hasProxyPort(_ port: UInt16) -> Bool {
        proxy.everywhere.contains(port) || proxy.exact.contains { $0.port == port }
    }

    func isProxy(_ address: SocketAddress) -> Bool {
        address.meanings.contains { proxy.contains($0, local: localAddresses) }
    }

    func isAdministration(_ address: SocketAddress) -> Bool {
        address.meanings.contains { administration.contains($0, local: localAddresses) }
    }
}

extension IPAddress {
    /// `0.0.0.0` or `::`: a socket bound to it listens on all local addresses, and connecting to it reaches this
    /// machine.
    fileprivate var isEveryAddress: Bool { unmapped == .v4(0) || self == .v6(0, 0) }
}

extension SocketAddress {
    /// The address itself, and the IPv4 addresses that it may lead to.
    fileprivate var meanings: [SocketAddress] {
        guard case .ip(let ip, let port, _) = self, !ip.isIPv4 else { return [self] }
        return [self] + ip.embeddedIPv4.map { .ip(.v4($0), port: port) }
    }

    /// The address without scope, and an embedded IPv4 address unmapped, so that equal destinations compare equal.
    fileprivate var canonical: SocketAddress {
        if case .ip(let ip, let port, _) = self { return .ip(ip.unmapped, port: port) }
        return self
    }
}
