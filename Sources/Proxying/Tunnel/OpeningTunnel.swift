import Eventing
import HTTPCore
import HTTPServer
import ResourceCore

/// A CONNECT that may be served here: looks at the client's first octets, then serves them or connects to the far end.
///
/// Bound to its loop; the client's stream keeps it alive. The 2xx has been sent, so that what is held is answered without
/// the origin; what is not served here gets its connection now.
final class OpeningTunnel: StreamDelegate {
    private let client: ClientTunnel
    private let host: [UInt8]
    private let port: UInt16
    private let responder: ProxyResponder
    private var attempt: ConnectAttempt?
    private var isDecided = false

    init(_ client: ClientTunnel, host: [UInt8], port: UInt16, responder: ProxyResponder) {
        self.client = client
        self.host = host
        self.port = port
        self.responder = responder
    }

    func start() {
        let stream = client.stream
        stream.delegate = self
        stream.setReadDeadline(after: responder.options.firstOctetsTime)
        stream.redeliver()
        // An end that was seen before is not told again.
        if stream.isAtEnd, stream.leftoverBytes == 0 { stream.closeAfterSending() }
    }

    /// Leaves all octets unread: they are for whoever has the stream next.
    func stream(_ stream: Eventing.Stream, didRead bytes: Span<UInt8>) -> Int {
        guard !isDecided else { return 0 }
        switch TunnelledProtocol(bytes) {
        case .http?: serve()
        case .tls?, .other?: connect()
        case nil where stream.isAtEnd: connect()
        case nil: break
        }
        return 0
    }

    func streamDidReachEnd(_ stream: Eventing.Stream) {
        guard !isDecided else { return }
        if stream.leftoverBytes > 0 { connect() } else { stream.closeAfterSending() }
    }

    /// The client waits for the far end to speak first.
    func streamDidReachDeadline(_ stream: Eventing.Stream) { connect() }

    func stream(_ stream: Eventing.Stream, didFail error: StreamError) {
        attempt?.cancel()
        attempt = nil
    }

    private func serve() {
        isDecided = true
        let origin = ConnectionOrigin(scheme: .http, host: host, port: port, isIntercepted: false)
        client.serveHTTP(for: origin)
    }

    private func connect() {
        isDecided = true
        let stream = client.stream
        stream.clearReadDeadline()
        stream.isReading = false
        guard TunnelExchange.mode(host: host, port: port, responder).mayLoad else { return stream.closeAfterSending() }
        attempt = responder.connectFarEnd(host: host, port: port) { [self] result in
            attempt = nil
            switch result {
            // The client has its 2xx: nothing more can be said.
            case .failure: stream.close()
            case .success(let far):
                stream.isReading = true
                responder.openTunnel(from: client, to: far, target: host + Array(":\(port)".utf8), route: .connect)
            }
        }
    }
}
