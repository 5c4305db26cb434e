import Administration
import Eventing
import HTTPServer
import Proxying
import ResourceCore
import UpstreamClient

/// What one loop serves with; bound to it.
final class LoopServices {
    let client: UpstreamClient
    private var listeners: [HTTPListener]
    private var admin: [HTTPListener] = []
    private let loop: EventLoop

    init(_ loop: EventLoop, sockets: [ListeningSocket], shared: SharedServices) {
        self.loop = loop
        let connector = Connector(loop: loop, resolver: shared.resolver)
        let client = UpstreamClient(
            loop: loop,
            connector: connector,
            policy: shared.options.addressPolicy,
            limiter: shared.limiter,
            limits: shared.upstreamLimits
        )
        self.client = client
        let responder = ProxyResponder(
            loop: loop,
            provider: client,
            service: shared.service,
            hasher: shared.hasher,
            connector: connector,
            options: shared.options,
            metrics: shared.metrics
        )
        listeners = sockets.map { socket in
            HTTPListener(
                loop: loop,
                socket: socket,
                responder: responder,
                census: shared.census,
                limits: shared.serverLimits,
                descriptorReserve: shared.descriptorReserve,
                admits: shared.admits
            )
        }
    }

    /// Serves administration too.
    func serve(administration responder: any Responder, on sockets: [ListeningSocket], shared: SharedServices) {
        admin = sockets.map { socket in
            HTTPListener(
                loop: loop,
                socket: socket,
                responder: responder,
                census: ConnectionCensus(limits: shared.serverLimits),
                limits: shared.serverLimits
            )
        }
    }

    /// Accepts no more; `completion` comes once the last exchange has ended.
    func drain(_ completion: @escaping () -> Void) {
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
