public import Eventing
public import HTTPCore
public import TransportSecurity

/// Accepts the connections of one listening socket on one loop, and serves them with one responder.
///
/// Bound to its loop. Its owner retains it as long as it is to accept; its connections retain it, too.
public final class HTTPListener {
    /// Events since the start.
    public struct Statistics: Sendable {
        public var connections = 0
        public var requests = 0
        /// Requests answered with an error because they were malformed or beyond a limit.
        public var refused = 0
        /// Heads and contents that stopped in the middle (H-031, H-049).
        public var incomplete = 0
        /// Connections closed at once, because their peer is not admitted or has too many.
        public var turnedAway = 0
        /// Handshakes of TLS that failed.
        public var insecure = 0
    }

    /// A connection whose handshake of TLS is under way.
    private struct Handshake {
        let stream: Stream
        let peerKey: SocketAddress?
    }

    public let loop: EventLoop
    public let responder: any Responder
    public let rules: RequestParser.Rules
    /// What connections speak TLS under; nil: they speak plain HTTP.
    ///
    /// Replaced when the certificate changes; connections accepted before keep theirs.
    public var security: TLSServerContext?
    /// Replaced when the settings change; how heads are parsed holds for connections accepted from then on.
    public var limits: ServerLimits {
        didSet { idleNanoseconds = limits.idleTimeout.wholeNanoseconds }
    }
    /// `limits.idleTimeout`, which is set with every request.
    private(set) var idleNanoseconds: Int64
    public internal(set) var statistics = Statistics()
    /// No further connections and requests are accepted.
    public private(set) var isDraining = false
    /// The head being read; its arrays serve one request after the other.
    var head = RequestHead()

    let connectionCounter: ConnectionCounter
    private var listener: Listener?
    private var connections: [ObjectIdentifier: ServerConnection] = [:]
    private var handshakes: [ObjectIdentifier: Handshake] = [:]
    private var drained: (() -> Void)?
    /// Whether a client of this address may use the listener.
    ///
    /// Asked when a client connects, and for all connections when this is replaced: those that are not admitted any more end
    /// after the response in progress.
    public var admits: (SocketAddress) -> Bool {
        didSet { for connection in Array(connections.values) { connection.reviewAdmission() } }
    }

    /// Accepts from now on.
    /// - Parameters:
    ///   - security: what connections speak TLS under; nil: they do not.
    ///   - descriptorReserve: descriptors left for other uses (H-156).
    ///   - connectionCounter: shared by the listeners whose connections are counted together.
    ///   - admits: whether a client of this address may use the listener; other clients get 403.
    public init(
        loop: EventLoop,
        socket: ListeningSocket,
        responder: any Responder,
        connectionCounter: ConnectionCounter,
        limits: ServerLimits = ServerLimits(),
        rules: RequestParser.Rules = RequestParser.Rules(),
        security: TLSServerContext? = nil,
        descriptorReserve: Int = 0,
        admits: @escaping (SocketAddress) -> Bool = { _ in true }
    ) {
        self.loop = loop
        self.admits = admits
        self.responder = responder
        self.connectionCounter = connectionCounter
        self.rules = rules
        self.security = security
        self.limits = limits
        idleNanoseconds = limits.idleTimeout.wholeNanoseconds
        listener = Listener(loop: loop, socket: socket, descriptorReserve: descriptorReserve) { [weak self] in
            if let self { accept($0, from: $1) } else { $0.close() }
        }
    }

    /// Connections open now, tunnels left out.
    package var connectionCount: Int { connections.count }

    // MARK: Accepting

    private func accept(_ stream: Stream, from address: SocketAddress?) {
        let peer = address ?? .unix(path: "")
        let key = peerKey(of: peer)
        guard admits(peer) else {
            return turnAway(stream, ProblemDocument(status: 403, detail: "`access.clients` does not list your address"))
        }
        guard connectionCounter.admit(key) else {
            return turnAway(stream, ProblemDocument(status: 503, detail: Self.tooManyConnections))
        }
        statistics.connections += 1
        if let security { shakeHands(stream, peer, key, security) } else { serve(stream, peer, key) }
        if connectionCounter.isFull(resumption()) { listener?.pause() }
    }

    private static let tooManyConnections =
        "too many connections from your address: `limits.max-connections-per-peer` says how many there may be"

    /// The peer, as the limit of connections per peer counts it; nil: not counted.
    private func peerKey(of peer: SocketAddress) -> SocketAddress? {
        guard peer.isLocalOnly else { return peer.withoutPort }
        return limits.countsLoopbackPeers && peer.ipAddress != nil ? peer.withoutPort : nil
    }

    private func serve(_ stream: Stream, _ peer: SocketAddress, _ key: SocketAddress?) {
        let connection = ServerConnection(stream, peer: peer, listener: self, peerKey: key)
        connections[ObjectIdentifier(connection)] = connection
    }

    /// Serves once TLS is established, for which a client has as long as for a head.
    private func shakeHands(
        _ stream: Stream,
        _ peer: SocketAddress,
        _ key: SocketAddress?,
        _ security: TLSServerContext
    ) {
        guard let engine = security.accept() else {
            connectionCounter.leave(key)
            return stream.close()
        }
        handshakes[ObjectIdentifier(stream)] = Handshake(stream: stream, peerKey: key)
        stream.secure(by: engine, within: limits.headerTimeout) { [self] result in
            handshakes[ObjectIdentifier(stream)] = nil
            if case .success = result { return serve(stream, peer, key) }
            statistics.insecure += 1
            connectionCounter.leave(key)
            guard stream.isOpen else { return }
            let detail = "this listener speaks TLS, and the request came without: write https:// in the proxy's URL"
            refuse(stream, ProblemDocument(status: 400, detail: detail))
        }
    }

    /// Serves HTTP on the stream of a tunnel, which is counted already.
    func adopt(_ stream: Stream, peer: SocketAddress, peerKey: SocketAddress?, origin: ConnectionOrigin) {
        guard !isDraining, stream.isOpen, admits(peer) else {
            connectionCounter.leave(peerKey)
            return stream.close()
        }
        let connection = ServerConnection(stream, peer: peer, listener: self, peerKey: peerKey, origin: origin)
        connections[ObjectIdentifier(connection)] = connection
        connection.resume()
    }

    /// A closure that has this listener accept again; any thread may call it.
    private func resumption() -> @Sendable () -> Void {
        let bound = LoopBound(self, loop: loop)
        let handle = loop.handle
        return { handle.submit { _ in bound.value.listener?.resume() } }
    }

    /// Responds before any request and closes (H-132); closes without a response where that would take a handshake.
    private func turnAway(_ stream: Stream, _ problem: ProblemDocument) {
        statistics.turnedAway += 1
        if security == nil { refuse(stream, problem) } else { stream.close() }
    }

    private func refuse(_ stream: Stream, _ problem: ProblemDocument) {
        stream.append { output in
            var fields = ProblemResponse.fields(problem, at: loop.wallNow)
            if problem.status == 503 { fields.append(.retryAfter, "1") }
            ProblemResponse.append(problem, fields: fields, connection: .close, to: &output)
        }
        stream.lingeringClose(time: limits.lingeringTime)
    }

    func forget(_ connection: ServerConnection) {
        connections[ObjectIdentifier(connection)] = nil
        if connections.isEmpty { drained.take()?() }
    }

    // MARK: The end

    /// Accepts no more, closes idle connections, and has the others close after their response (H-153).
    /// - Parameter completion: called on the loop once no connection is left, tunnels aside.
    public func drain(_ completion: @escaping () -> Void) {
        isDraining = true
        listener?.close()
        listener = nil
        endHandshakes()
        for connection in connections.values { connection.drain() }
        if connections.isEmpty { loop.atEndOfTurn(completion) } else { drained = completion }
    }

    /// Accepts no more and closes all connections at once.
    public func close() {
        isDraining = true
        listener?.close()
        listener = nil
        endHandshakes()
        for connection in connections.values { connection.abandon() }
    }

    private func endHandshakes() {
        for handshake in handshakes.values {
            connectionCounter.leave(handshake.peerKey)
            handshake.stream.close()
        }
        handshakes = [:]
    }
}

extension SocketAddress {
    /// The host alone.
    fileprivate var withoutPort: SocketAddress {
        if case .ip(let address, _, let scope) = self { return .ip(address.unmapped, port: 0, scope: scope) }
        return self
    }
}
