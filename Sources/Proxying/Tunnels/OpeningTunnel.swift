import Eventing
import HTTPCore
import HTTPServer
import ResourceCore
import TransportSecurity

/// A CONNECT that may be served here: looks at the client's first bytes, then serves them or connects to the far end.
///
/// The 2xx has been sent, so that stored responses are served without the origin. Bytes that are not served here now
/// get a connection to the far end. Bound to its loop; the client's stream keeps it alive.
final class OpeningTunnel: StreamDelegate {
    private let client: ClientTunnel
    private let host: [UInt8]
    private let port: UInt16
    private let context: ProxyContext
    private var attempt: ConnectAttempt?
    private var isDecided = false
    /// Whether HTTP without TLS is served here.
    private let servesHTTP: Bool
    /// How the client opened the tunnel.
    var route = TunnelRecord.Route.connect
    /// Set if TLS ends here.
    var interception: Interception?
    /// Whether bytes that may be TLS have been received.
    private var hasBegun = false
    /// How many bytes must be received before the hello is read again.
    private var helloNeeds = 0

    init(_ client: ClientTunnel, host: [UInt8], port: UInt16, servesHTTP: Bool, context: ProxyContext) {
        self.client = client
        self.host = host
        self.port = port
        self.servesHTTP = servesHTTP
        self.context = context
    }

    func start() {
        let stream = client.stream
        stream.delegate = self
        // A client that opens a tunnel to an intercepted host is about to send a hello, however slow it is.
        let options = context.options
        stream.setReadDeadline(after: interception == nil ? options.firstBytesTime : options.handshakeTime)
        stream.redeliver()
        // An end of input that came before is not reported again.
        if stream.isAtEnd, stream.unreadBytes == 0 { stream.closeAfterSending() }
    }

    /// Leaves all bytes unread, for the next owner of the stream.
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
        // A hello that is cut off will never be complete.
        if stream.unreadBytes > 0, !hasBegun { connect() } else { stream.closeAfterSending() }
    }

    /// Either the client waits for the far end to speak first, or it has begun a hello and stopped.
    func streamDidReachDeadline(_ stream: Eventing.Stream) { if hasBegun { stream.close() } else { connect() } }

    func stream(_ stream: Eventing.Stream, didFail error: StreamError) {
        attempt?.cancel()
        attempt = nil
    }

    // MARK: TLS

    /// Allows bytes that begin like TLS the time of a handshake.
    private func waitForMore(_ bytes: Span<UInt8>) {
        guard !hasBegun, interception != nil, bytes.count > 0, bytes[0] == 0x16 else { return }
        hasBegun = true
        client.stream.setReadDeadline(after: context.options.handshakeTime)
    }

    /// Reads the hello: it names the host whose certificate is wanted, and the protocols that the client accepts.
    private func lookAtHello(_ bytes: Span<UInt8>) {
        waitForMore(bytes)
        guard bytes.count >= helloNeeds || client.stream.isAtEnd else { return }
        switch ClientHello.read(bytes) {
        case .incomplete(let needs):
            helloNeeds = needs
            if client.stream.isAtEnd { client.stream.closeAfterSending() }
        // The handshake then ends with the right alert.
        case .malformed: intercept(as: host)
        case .notTLS: connect()
        case .hello(let hello):
            if let wanted = wantedHost(of: hello) { intercept(as: wanted) } else { connect() }
        }
    }

    /// The host whose certificate to use; nil: this connection is not intercepted.
    private func wantedHost(of hello: ClientHello) -> [UInt8]? {
        guard hello.offersHTTP1 else { return nil }
        guard let sent = hello.serverName else { return host }
        guard let name = ServerName(host: sent) else { return nil }
        if name == ServerName(host: host) { return host }
        // No client sends an address as the name (RFC 6066 §3).
        guard !name.isAddress else { return nil }
        // Treat it as if the client had opened a tunnel to that host.
        let other = Array(name.description.utf8)
        let loop = client.stream.loop
        let verdict = interception?.verdict(other, port: port, for: client.peer, at: loop.now, wall: loop.wallNow)
        return verdict == .intercept ? other : nil
    }

    private func intercept(as wanted: [UInt8]) {
        guard let interception else { return connect() }
        isDecided = true
        InterceptedHandshake(client, as: wanted, port: port, interception, context: context).start()
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
        guard context.tunnelConfiguration(host: host, port: port).mode.mayLoad else {
            return stream.closeAfterSending()
        }
        attempt = context.connectFarEnd(host: host, port: port, client: client.peer) { [self] result in
            attempt = nil
            switch result {
            // The client has its 2xx already: no error response can follow.
            case .failure: stream.close()
            case .success(let far):
                stream.isReading = true
                context.openTunnel(from: client, to: far, target: host + Array(":\(port)".utf8), route: route)
            }
        }
    }
}
