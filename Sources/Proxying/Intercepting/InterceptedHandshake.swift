import Eventing
import HTTPCore
import HTTPServer
import Observability
import TransportSecurity

/// Ends a client's TLS here, in the name of the host it wants, and then serves its requests.
///
/// Bound to its loop; the client's stream keeps it alive. The hello is unread yet.
final class InterceptedHandshake: StreamDelegate {
    private let client: ClientTunnel
    private let host: [UInt8]
    private let port: UInt16
    private let interception: Interception
    private let responder: ProxyResponder

    init(
        _ client: ClientTunnel,
        as host: [UInt8],
        port: UInt16,
        _ interception: Interception,
        responder: ProxyResponder
    ) {
        self.client = client
        self.host = host
        self.port = port
        self.interception = interception
        self.responder = responder
    }

    func start() {
        let stream = client.stream
        stream.delegate = self
        stream.setReadDeadline(after: responder.options.handshakeTime)
        stream.flush()
        guard stream.unsentBytes > 0 else { return secure() }
        // The client has not taken all answers before its CONNECT yet.
        stream.isReading = false
        stream.lowWaterMark = 0
        stream.requestDrainNotice()
    }

    func stream(_ stream: Eventing.Stream, didRead bytes: Span<UInt8>) -> Int { 0 }

    /// Before the handshake has begun; later on it is told itself.
    func stream(_ stream: Eventing.Stream, didFail error: StreamError) { responder.metrics.failedInterceptions.add() }

    func streamDidDrain(_ stream: Eventing.Stream) {
        guard !stream.isSecure, stream.unsentBytes == 0 else { return }
        stream.isReading = true
        secure()
    }

    private func secure() {
        let stream = client.stream
        guard let name = ServerName(host: host),
            let engine = interception.context.accept(as: name, at: stream.loop.wallNow)
        else { return stream.close() }
        stream.secure(by: engine, within: responder.options.handshakeTime) { [self] result in didEnd(result) }
    }

    private func didEnd(_ result: Result<Void, StreamError>) {
        let text = Interception.text(host, port)
        switch result {
        case .success:
            interception.refusals.noteAcceptance(of: text, by: client.peer)
            responder.metrics.interceptions.add()
            client.serveHTTP(for: ConnectionOrigin(scheme: .https, host: host, port: port, isIntercepted: true))
        case .failure(.security(let error)):
            responder.metrics.failedInterceptions.add()
            guard case .alert(let number) = error.reason, TLSAlert.refusesCertificate(number) else { return }
            interception.refusals.noteRefusal(
                of: text,
                by: client.peer,
                at: client.stream.loop.now,
                time: interception.passThroughTime
            )
        case .failure:
            responder.metrics.failedInterceptions.add()
        }
    }
}
