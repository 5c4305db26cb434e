import Eventing
import HTTPCore
import HTTPServer
import Observability
import TransportSecurity

/// Ends a client's TLS here with a certificate for the requested host, and then serves its requests.
///
/// Bound to its loop; the client's stream keeps it alive. The hello is still unread when it begins.
final class InterceptedHandshake: StreamDelegate {
    private let client: ClientTunnel
    private let host: [UInt8]
    private let port: UInt16
    private let interception: Interception
    private let context: ProxyContext
    private var engine: TLSEngine?
    /// The stream's low-water mark before the handshake set it to 0.
    private var lowWaterMark: Int?

    init(
        _ client: ClientTunnel,
        as host: [UInt8],
        port: UInt16,
        _ interception: Interception,
        context: ProxyContext
    ) {
        self.client = client
        self.host = host
        self.port = port
        self.interception = interception
        self.context = context
    }

    func start() {
        let stream = client.stream
        stream.delegate = self
        stream.setReadDeadline(after: context.options.handshakeTime)
        stream.flush()
        guard stream.unsentBytes > 0 else { return secure() }
        // The client has not yet read all responses before its CONNECT.
        stream.isReading = false
        lowWaterMark = stream.lowWaterMark
        stream.lowWaterMark = 0
        stream.requestDrainNotice()
    }

    func stream(_ stream: Eventing.Stream, didRead bytes: Span<UInt8>) -> Int { 0 }

    /// Called before the handshake has begun; later failures go to its completion.
    func stream(_ stream: Eventing.Stream, didFail error: StreamError) { context.metrics.failedInterceptions.add() }

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
        stream.secure(by: engine, within: context.options.handshakeTime) { [self] result in didEnd(result) }
    }

    private func didEnd(_ result: Result<Void, StreamError>) {
        let text = Interception.text(host, port)
        switch result {
        case .success:
            interception.refusals.noteAcceptance(of: text, by: client.peer)
            context.metrics.interceptions.add()
            client.serveHTTP(for: ConnectionOrigin(scheme: .https, host: host, port: port))
        case .failure(let error):
            context.metrics.failedInterceptions.add()
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

    /// How the client refused our certificate, if it did.
    private func refusal(_ error: StreamError) -> CertificateRefusals.Refusal? {
        guard case .security(let error) = error else { return nil }
        switch error.reason {
        case .alert(let number): return TLSAlert.refusesCertificate(number) ? .alert : nil
        case .handshakeCut: return engine?.hasAnswered == true ? .silence : nil
        default: return nil
        }
    }
}
