import Administration
import Eventing
import Exchanges
import HTTPServer
import Proxying
import Recording
import ResourceCore
import SharedStorage
import UpstreamClient

/// Everything that one loop needs to serve; bound to that loop.
final class LoopServices {
    let client: UpstreamClient
    /// One responder for each listener.
    private let responders: [ProxyResponder]
    private var listeners: [HTTPListener]
    private var administration: AdminResponder?
    private var admin: [HTTPListener] = []
    /// The listener of the user's Unix socket.
    private var ownAdmin: HTTPListener?
    private let adminConnectionCounter: ConnectionCounter
    private var options: ServingOptions
    private let loop: EventLoop
    /// Follows the purges of other nodes; nil on other loops than the first, and without a shared tier.
    private let purges: PurgeExchange?
    /// Keeps the latest requests of this loop for the admin API.
    private let ring: RequestRing

    /// - Parameters:
    ///   - isSecure: whether each of the sockets is for TLS.
    ///   - cassette: records all exchanges, or replays recorded ones.
    init(
        _ loop: EventLoop,
        sockets: [ListeningSocket],
        isSecure: [Bool],
        shared: SharedServices,
        cassette: CassetteSession?,
        options: ServingOptions
    ) {
        self.loop = loop
        self.options = options
        adminConnectionCounter = ConnectionCounter(limits: options.server)
        let ring = shared.recentRequests.makeRing(on: loop, capacity: options.recentRequests)
        self.ring = ring
        let connector = Connector(loop: loop, resolver: shared.resolver)
        connector.isClosed = cassette?.role.opensConnections == false
        let client = UpstreamClient(
            loop: loop,
            connector: connector,
            policy: options.proxy.addressPolicy,
            limiter: shared.limiter,
            limits: options.upstream,
            security: options.security,
            parents: options.proxy.parents
        )
        self.client = client
        let timekeeper = shared.service.table.environment.timekeeper
        let policies = PolicyProvider(
            cassette?.watched(client) ?? client,
            timekeeper: timekeeper,
            statistics: shared.policyStatistics,
            circuitBreakers: shared.origins
        )
        let origins: any ExchangeProvider = cassette?.provider(over: policies, timekeeper) ?? policies
        let sharing = shared.sharing?.provider(over: origins, on: loop, by: connector, for: shared.service)
        purges = sharing?.purges
        let provider = sharing?.provider ?? origins
        // Loads without a client's request run on the first loop.
        if loop.handle.index == 0 { shared.service.defaultProvider = provider }
        let responders = options.listeners.map { listener in
            ProxyResponder(
                loop: loop,
                provider: provider,
                service: shared.service,
                hasher: shared.hasher,
                connector: connector,
                options: listener,
                metrics: shared.metrics,
                logins: shared.logins,
                ring: ring
            )
        }
        self.responders = responders
        listeners = zip(zip(sockets, isSecure), zip(responders, options.listeners)).map { socket, served in
            let ((socket, isSecure), (responder, listener)) = (socket, served)
            return HTTPListener(
                loop: loop,
                socket: socket,
                responder: responder,
                connectionCounter: shared.connectionCounter,
                limits: options.server,
                security: isSecure ? options.clientSecurity : nil,
                descriptorReserve: shared.descriptorReserve,
                admits: { options.admits($0, to: listener) }
            )
        }
    }

    /// Begins to serve the admin API on this loop.
    func serve(administration responder: AdminResponder, on sockets: [ListeningSocket], own: ListeningSocket?) {
        administration = responder
        admin = sockets.map { listener(for: $0, responder) }
        ownAdmin = own.map { listener(for: $0, responder) }
    }

    /// Replaces the user's Unix socket after its file has disappeared.
    func moveAdministration(to socket: ListeningSocket) {
        guard let administration else { return }
        ownAdmin?.drain {}
        ownAdmin = listener(for: socket, administration)
    }

    private func listener(for socket: ListeningSocket, _ responder: AdminResponder) -> HTTPListener {
        HTTPListener(
            loop: loop,
            socket: socket,
            responder: responder,
            connectionCounter: adminConnectionCounter,
            limits: options.server
        )
    }

    private var allAdmin: [HTTPListener] { admin + [ownAdmin].compactMap { $0 } }

    /// Replaces the options for new exchanges; those in progress keep theirs.
    ///
    /// - Parameter renewsConnections: whether a changed setting may concern connections to origins.
    func apply(_ options: ServingOptions, renewsConnections: Bool) {
        self.options = options
        // First: the responders look whether the ring keeps any requests.
        ring.capacity = options.recentRequests
        for (responder, listener) in zip(responders, options.listeners) { responder.options = listener }
        client.apply(
            options.upstream,
            policy: options.proxy.addressPolicy,
            security: options.security,
            parents: options.proxy.parents,
            renewsConnections: renewsConnections
        )
        for (listener, served) in zip(listeners, options.listeners) {
            listener.limits = options.server
            listener.admits = { options.admits($0, to: served) }
            if let security = options.clientSecurity, listener.security != nil { listener.security = security }
        }
        adminConnectionCounter.apply(options.server)
        for listener in allAdmin { listener.limits = options.server }
    }

    func applyToAdministration(_ options: AdminOptions) { administration?.apply(options) }

    /// Accepts no more requests; calls `completion` once the last exchange has ended.
    func drain(_ completion: @escaping () -> Void) {
        administration?.endEvents()
        var left = listeners.count
        guard left > 0 else { return completion() }
        client.drain()
        for listener in listeners {
            listener.drain {
                left -= 1
                if left == 0 { completion() }
            }
        }
    }

    /// Ends all connections at once.
    func close() {
        for listener in listeners + allAdmin { listener.close() }
        purges?.close()
    }
}
