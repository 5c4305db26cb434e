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
    private var engine: TLSEngine?
    /// As it was before it had to be none.
    private var lowWaterMark: Int?

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
        lowWaterMark = stream.lowWaterMark
        stream.lowWaterMark = 0
        stream.requestDrainNotice()
    }

    func stream(_ stream: Eventing.Stream, didRead bytes: Span<UInt8>) -> Int { 0 }

    /// Before the handshake has begun; later on it is told itself.
    func stream(_ stream: Eventing.Stream, didFail error: StreamError) { responder.metrics.failedInterceptions.add() }

    func streamDidDrain(_ stream: Eventing.Stream) {
        guard engine == nil, stream.unsentBytes == 0 else { return }
        if let lowWaterMark { stream.lowWaterMark = lowWaterMark }
        stream.isReading = true
        secure()
    }

    private func secure() {
        let stream = client.stream
        guard let name = ServerName(host: host),
            let engine = interception.context.accept(as: name, at: stream.loop.wallNow)
        else { return stream.close() }
        self.engine = engine
        stream.secure(by: engine, within: responder.options.handshakeTime) { [self] result in didEnd(result) }
    }

    private func didEnd(_ result: Result<Void, StreamError>) {
        let text = Interception.text(host, port)
        switch result {
        case .success:
            interception.refusals.noteAcceptance(of: text, by: client.peer)
            responder.metrics.interceptions.add()
            client.serveHTTP(for: ConnectionOrigin(scheme: .https, host: host, port: port))
        case .failure(let error):
            responder.metrics.failedInterceptions.add()
            if let refusal = refusal(error) {
                interception.refusals.noteRefusal(
                    refusal,
                    of: text,
                    by: client.peer,
                    at: client.stream.loop.now,
                    time: interception.passThroughTime
                )
            }
            if client.stream.isOpen { client.stream.close() }
        }
        engine = nil
    }

    /// What the client says of our certificate by ending the handshake; nil: nothing.
    private func refusal(_ error: StreamError) -> RefusalWatch.Refusal? {
        guard case .security(let error) = error else { return nil }
        switch error.reason {
        case .alert(let number): return TLSAlert.refusesCertificate(number) ? .alert : nil
        case .handshakeCut: return engine?.hasAnswered == true ? .silence : nil
        default: return nil
        }
    }
}
