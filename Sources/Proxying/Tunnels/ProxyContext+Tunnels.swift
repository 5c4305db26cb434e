import Configurations
import Eventing
import Exchanges
import HTTPCore
import HTTPServer

/// Connections of tunnels.
extension ProxyContext {
    /// The configuration of CONNECT to a host.
    func tunnelConfiguration(host: [UInt8], port: UInt16) -> Configuration {
        let far = TargetURI(scheme: .https, host: host, port: port, path: [0x2F])
        return service.configuration(for: far, method: .connect).values
    }

    /// Connects to the far end of a tunnel.
    ///
    /// `completion` runs as that of `Connector.connect`.
    ///
    /// - Parameter via: the fields of the CONNECT with our Via; nil: our Via alone is known.
    func connectFarEnd(
        host: [UInt8],
        port: UInt16,
        client: SocketAddress,
        via: Fields? = nil,
        completion: @escaping (Result<Eventing.Stream, ConnectError>) -> Void
    ) -> ConnectAttempt {
        let name = tunnelConfiguration(host: host, port: port).policies.proxy
        var ours = Fields()
        options.via.append(to: &ours, received: .http11)
        return connector.connect(
            host: host,
            port: port,
            policy: options.addressPolicy,
            route: options.parents.route(to: host, name: name, mayRelay: false),
            via: via ?? ours,
            asker: NameAsker(client: client.ipAddress),
            targetMayBegin: true,
            timeout: options.connectTimeout,
            completion: completion
        )
    }

    /// Begins to carry bytes between a client and a far end; closes the far end if the client is gone.
    func openTunnel(
        from client: ServerExchange,
        to far: Eventing.Stream,
        target: [UInt8],
        route: TunnelRecord.Route
    ) {
        guard let near = client.takeOver() else { return far.close() }
        openTunnel(from: near, to: far, target: target, route: route)
    }

    /// Does the same for a client that has left HTTP already.
    func openTunnel(
        from near: ClientTunnel,
        to far: Eventing.Stream,
        target: [UInt8],
        route: TunnelRecord.Route
    ) {
        Tunnel(
            near: near,
            far: far,
            target: target,
            route: route,
            idleTimeout: options.tunnelIdleTimeout,
            lifetime: options.tunnelLifetime,
            registry: metrics.tunnels
        ).start()
    }
}
