import Eventing
import HTTPCore
import HTTPServer
import Observability
import ResourceCore

/// Opens the tunnel that a CONNECT asks for (RFC 9110 §9.3.6).
///
/// The 2xx is sent once the connection to the far end is established (H-080). This proxy itself may be the far end.
/// Bound to its loop.
final class TunnelExchange: ServerExchangeDelegate {
    private let client: ServerExchange
    private let host: [UInt8]
    private let port: UInt16
    private let context: ProxyContext
    private var attempt: ConnectAttempt?

    init(_ client: ServerExchange, host: [UInt8], port: UInt16, context: ProxyContext) {
        self.client = client
        self.host = host
        self.port = port
        self.context = context
    }

    func start() {
        if client.socks != nil, context.options.servesHTTP(behindSOCKS: port) { return serveHTTP() }
        if let denial = context.service.tunnelDenial(host: host, port: port) {
            // Bytes that the client meant for the tunnel are no request (H-080).
            client.closeAfterResponse()
            return context.refuse(client, by: denial)
        }
        let (interception, servesHTTP) = (interception, servesHTTP)
        if interception != nil || servesHTTP { return openHere(interception, servesHTTP: servesHTTP) }
        let mode = context.tunnelConfiguration(host: host, port: port).mode
        guard mode.mayLoad else {
            // Bytes that the client meant for the tunnel are no request (H-080).
            client.closeAfterResponse()
            return context.refuse(client, .notAsked(in: mode))
        }
        client.delegate = self
        let via = context.forwarded(client.head)
        attempt = context.connectFarEnd(host: host, port: port, client: client.peer, via: via) {
            [self] result in didConnect(result)
        }
    }

    private var route: TunnelRecord.Route { client.socks == nil ? .connect : .socks }

    /// Whether a rule makes the proxy serve the plain HTTP in this tunnel.
    private var servesHTTP: Bool {
        let root = TargetURI(scheme: .http, host: host, port: port, path: [0x2F])
        return context.service.configuration(for: root).values.servesTunnelledHTTP
    }

    /// The interception, if TLS in this tunnel ends here.
    private var interception: Interception? {
        guard let interception = context.options.interception else { return nil }
        let loop = client.loop
        let verdict = interception.verdict(host, port: port, for: client.peer, at: loop.now, wall: loop.wallNow)
        return verdict == .intercept ? interception : nil
    }

    /// Serves what a client of SOCKS sends to port 80: rules judge each request, and the origin is asked only if
    /// needed.
    private func serveHTTP() {
        client.outcome = .tunnel
        client.start(200, fields: Fields(), content: .none)
        let acceptsNames = client.socks == .address
        client.takeOver()?
            .serveHTTP(for: ConnectionOrigin(scheme: .http, host: host, port: port, acceptsNames: acceptsNames))
    }

    /// Serves the tunnel without a connection: this proxy is the far end.
    private func openHere(_ interception: Interception?, servesHTTP: Bool) {
        client.outcome = .tunnel
        client.start(200, fields: Fields(), content: .none)
        guard let tunnel = client.takeOver() else { return }
        let opening = OpeningTunnel(tunnel, host: host, port: port, servesHTTP: servesHTTP, context: context)
        opening.interception = interception
        opening.route = route
        opening.start()
    }

    private func didConnect(_ result: Result<Eventing.Stream, ConnectError>) {
        attempt = nil
        switch result {
        case .failure(let error):
            let type = ProxyErrorType(rawValue: error.proxyErrorType) ?? .destinationUnavailable
            // Bytes that the client meant for the tunnel are no request (H-080).
            client.closeAfterResponse()
            var refusal = Refusal(error.status, error.userMessage, type: type)
            refusal.receivedStatus = error.receivedStatus
            context.refuse(client, refusal)
        case .success(let far):
            client.outcome = .tunnel
            client.start(200, fields: Fields(), content: .none)
            context.openTunnel(
                from: client,
                to: far,
                target: host + Array(":\(port)".utf8),
                route: route
            )
        }
    }

    func exchangeDidLoseClient(_ exchange: ServerExchange) {
        attempt?.cancel()
        attempt = nil
    }
}
