import Eventing
import HTTPCore
import HTTPServer
import Observability
import ResourceCore

/// Opens the tunnel a CONNECT asks for (RFC 9110 §9.3.6).
///
/// Bound to its loop. The 2xx is sent when the connection to the far end stands (H-080), which may be this proxy itself.
final class TunnelExchange: ServerExchangeDelegate {
    private let client: ServerExchange
    private let host: [UInt8]
    private let port: UInt16
    private let responder: ProxyResponder
    private var attempt: ConnectAttempt?

    init(_ client: ServerExchange, host: [UInt8], port: UInt16, responder: ProxyResponder) {
        self.client = client
        self.host = host
        self.port = port
        self.responder = responder
    }

    func start() {
        let interception = interception
        if interception != nil || servesHTTP { return openHere(interception) }
        let mode = Self.mode(host: host, port: port, responder)
        guard mode.mayLoad else {
            // What the client meant for the tunnel is no request (H-080).
            client.closeAfterResponse()
            return responder.refuse(client, .notAsked(in: mode))
        }
        client.delegate = self
        let via = responder.forwarded(client.head)
        attempt = responder.connectFarEnd(host: host, port: port, client: client.peer, via: via) {
            [self] result in didConnect(result)
        }
    }

    /// Whether the origin's tunnels may be asked for.
    static func mode(host: [UInt8], port: UInt16, _ responder: ProxyResponder) -> ServiceMode {
        let far = TargetURI(scheme: .https, host: host, port: port, path: [0x2F])
        return responder.service.configuration(for: far, method: .connect).values.mode
    }

    /// Whether a rule has plain HTTP in this tunnel served here.
    private var servesHTTP: Bool {
        let root = TargetURI(scheme: .http, host: host, port: port, path: [0x2F])
        return responder.service.configuration(for: root).values.servesTunnelledHTTP
    }

    /// Set where TLS in this tunnel ends here.
    private var interception: Interception? {
        guard let interception = responder.options.interception else { return nil }
        let loop = client.loop
        let verdict = interception.verdict(host, port: port, for: client.peer, at: loop.now, wall: loop.wallNow)
        return verdict == .intercept ? interception : nil
    }

    /// The far end is this proxy: it stands.
    private func openHere(_ interception: Interception?) {
        client.start(200, fields: Fields(), content: .none)
        let servesHTTP = servesHTTP
        guard let tunnel = client.takeOver() else { return }
        let opening = OpeningTunnel(tunnel, host: host, port: port, responder: responder)
        opening.servesHTTP = servesHTTP
        opening.interception = interception
        opening.start()
    }

    private func didConnect(_ result: Result<Eventing.Stream, ConnectError>) {
        attempt = nil
        switch result {
        case .failure(let error):
            let type = ProxyErrorType(rawValue: error.proxyErrorType) ?? .destinationUnavailable
            // What the client meant for the tunnel is no request (H-080).
            client.closeAfterResponse()
            var refusal = Refusal(error.status, error.userMessage, type: type)
            refusal.receivedStatus = error.receivedStatus
            responder.refuse(client, refusal)
        case .success(let far):
            client.start(200, fields: Fields(), content: .none)
            responder.openTunnel(from: client, to: far, target: host + Array(":\(port)".utf8), route: .connect)
        }
    }

    func exchangeDidLoseClient(_ exchange: ServerExchange) {
        attempt?.cancel()
        attempt = nil
    }
}
