import Administration
import Eventing
import HTTPServer
import Proxying
import ResourceCore
import UpstreamClient

/// What one loop serves with; bound to it.
final class LoopServices {
    let client: UpstreamClient
    private let responder: ProxyResponder
    private var listeners: [HTTPListener]
    private var administration: AdminResponder?
    private var admin: [HTTPListener] = []
    private let adminCensus: ConnectionCensus
    private var options: ServingOptions
    private let loop: EventLoop

    /// - Parameter isSecure: which of the sockets are for clients that speak TLS.
    init(
        _ loop: EventLoop,
        sockets: [ListeningSocket],
        isSecure: [Bool],
        shared: SharedServices,
        options: ServingOptions
    ) {
        self.loop = loop
        self.options = options
        adminCensus = ConnectionCensus(limits: options.server)
        let connector = Connector(loop: loop, resolver: shared.resolver)
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
        let provider = PolicyProvider(
            client,
            timekeeper: shared.service.table.environment.timekeeper,
            figures: shared.policyFigures,
            origins: shared.origins
        )
        // Loads that no client asks for run on the first loop.
        if loop.handle.index == 0 { shared.service.defaultProvider = provider }
        let responder = ProxyResponder(
            loop: loop,
            provider: provider,
            service: shared.service,
            hasher: shared.hasher,
            connector: connector,
            options: options.proxy,
            metrics: shared.metrics
        )
        self.responder = responder
        listeners = zip(sockets, isSecure).map { socket, isSecure in
            HTTPListener(
                loop: loop,
                socket: socket,
                responder: responder,
                census: shared.census,
                limits: options.server,
                security: isSecure ? options.clientSecurity : nil,
                descriptorReserve: shared.descriptorReserve,
                admits: options.admits
            )
        }
    }

    /// Serves administration too.
    func serve(administration responder: AdminResponder, on sockets: [ListeningSocket]) {
        administration = responder
        admin = sockets.map { socket in
            HTTPListener(
                loop: loop,
                socket: socket,
                responder: responder,
                census: adminCensus,
                limits: options.server
            )
        }
    }

    /// Goes on by other options; what is under way ends by those it began with.
    ///
    /// - Parameter renewsConnections: connections to origins were made under conditions that no longer hold.
    func apply(_ options: ServingOptions, renewsConnections: Bool) {
        self.options = options
        responder.options = options.proxy
        client.apply(
            options.upstream,
            policy: options.proxy.addressPolicy,
            security: options.security,
            parents: options.proxy.parents,
            renewsConnections: renewsConnections
        )
        for listener in listeners {
            listener.limits = options.server
            listener.admits = options.admits
            if let security = options.clientSecurity, listener.security != nil { listener.security = security }
        }
        adminCensus.apply(options.server)
        for listener in admin { listener.limits = options.server }
    }

    func applyToAdministration(_ options: AdminOptions) { administration?.apply(options) }

    /// Accepts no more; `completion` comes once the last exchange has ended.
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

    /// Ends everything at once.
    func close() {
        for listener in listeners + admin { listener.close() }
    }
}
