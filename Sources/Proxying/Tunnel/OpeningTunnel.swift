import Eventing
import HTTPCore
import HTTPServer
import ResourceCore
import TransportSecurity

/// A CONNECT that may be served here: looks at the client's first bytes, then serves them or connects to the far end.
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
    /// Whether plain HTTP is served here.
    var servesHTTP = false
    /// Set where TLS ends here.
    var interception: Interception?
    /// Bytes that may be TLS have come.
    private var hasBegun = false
    /// Bytes without which a hello is not worth looking at again.
    private var helloNeeds = 0

    init(_ client: ClientTunnel, host: [UInt8], port: UInt16, responder: ProxyResponder) {
        self.client = client
        self.host = host
        self.port = port
        self.responder = responder
    }

    func start() {
        let stream = client.stream
        stream.delegate = self
        // Who opens a tunnel to a host that is intercepted is about to send a hello, however slow it is.
        let options = responder.options
        stream.setReadDeadline(after: interception == nil ? options.firstBytesTime : options.handshakeTime)
        stream.redeliver()
        // An end that was seen before is not told again.
        if stream.isAtEnd, stream.leftoverBytes == 0 { stream.closeAfterSending() }
    }

    /// Leaves all bytes unread: they are for whoever has the stream next.
    func stream(_ stream: Eventing.Stream, didRead bytes: Span<UInt8>) -> Int {
        guard !isDecided else { return 0 }
        switch TunnelledProtocol(bytes) {
        case .http? where servesHTTP: serve()
        case .tls? where interception != nil: lookAtHello(bytes)
        case .http?, .tls?, .other?: connect()
        case nil where stream.isAtEnd: connect()
        case nil: waitForMore(bytes)
        }
        return 0
    }

    func streamDidReachEnd(_ stream: Eventing.Stream) {
        guard !isDecided else { return }
        // The end of a hello that is cut never comes.
        if stream.leftoverBytes > 0, !hasBegun { connect() } else { stream.closeAfterSending() }
    }

    /// The client waits for the far end to speak first; or it has begun a hello, and goes on no more.
    func streamDidReachDeadline(_ stream: Eventing.Stream) { if hasBegun { stream.close() } else { connect() } }

    func stream(_ stream: Eventing.Stream, didFail error: StreamError) {
        attempt?.cancel()
        attempt = nil
    }

    // MARK: TLS

    /// What has begun like TLS has as long as a handshake.
    private func waitForMore(_ bytes: Span<UInt8>) {
        guard !hasBegun, interception != nil, bytes.count > 0, bytes[0] == 0x16 else { return }
        hasBegun = true
        client.stream.setReadDeadline(after: responder.options.handshakeTime)
    }

    /// The hello tells whose certificate is wanted, and whether HTTP/1.1 may be spoken.
    private func lookAtHello(_ bytes: Span<UInt8>) {
        waitForMore(bytes)
        guard bytes.count >= helloNeeds || client.stream.isAtEnd else { return }
        switch ClientHello.read(bytes) {
        case .incomplete(let needs):
            helloNeeds = needs
            if client.stream.isAtEnd { client.stream.closeAfterSending() }
        // The handshake ends by the right alert.
        case .malformed: intercept(as: host)
        case .notTLS: connect()
        case .hello(let hello):
            if let wanted = wantedHost(of: hello) { intercept(as: wanted) } else { connect() }
        }
    }

    /// The host to answer for; nil: this is not for us.
    private func wantedHost(of hello: ClientHello) -> [UInt8]? {
        guard hello.offersHTTP1 else { return nil }
        guard let sent = hello.serverName else { return host }
        guard let name = ServerName(host: sent) else { return nil }
        if name == ServerName(host: host) { return host }
        // No client sends an address (RFC 6066 §3).
        guard !name.isAddress else { return nil }
        // The client may as well have opened a tunnel to that host.
        let other = Array(name.description.utf8)
        let loop = client.stream.loop
        let verdict = interception?.verdict(other, port: port, for: client.peer, at: loop.now, wall: loop.wallNow)
        return verdict == .intercept ? other : nil
    }

    private func intercept(as wanted: [UInt8]) {
        guard let interception else { return connect() }
        isDecided = true
        InterceptedHandshake(client, as: wanted, port: port, interception, responder: responder).start()
    }

    // MARK: Others

    private func serve() {
        isDecided = true
        let origin = ConnectionOrigin(scheme: .http, host: host, port: port)
        client.serveHTTP(for: origin)
    }

    private func connect() {
        isDecided = true
        let stream = client.stream
        stream.clearReadDeadline()
        stream.isReading = false
        guard TunnelExchange.mode(host: host, port: port, responder).mayLoad else { return stream.closeAfterSending() }
        attempt = responder.connectFarEnd(host: host, port: port, client: client.peer) { [self] result in
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
