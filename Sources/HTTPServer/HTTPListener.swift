public import Eventing
public import HTTPCore
public import TransportSecurity

/// Accepts the connections of one listening socket on one loop, and serves them with one responder.
///
/// Bound to its loop. Its owner retains it while it accepts; its connections retain it, too.
public final class HTTPListener {
    /// Events since the start.
    public struct Statistics: Sendable {
        public var connections = 0
        public var requests = 0
        /// Requests answered with an error because they were malformed or beyond a limit.
        public var refused = 0
        /// Heads and contents that ended before they were complete (H-031, H-049).
        public var incomplete = 0
        /// Connections closed at once because their peer is not admitted or has too many.
        public var turnedAway = 0
        /// Handshakes of TLS that failed.
        public var insecure = 0
    }

    /// A connection whose TLS handshake is in progress.
    private struct Handshake {
        let stream: Stream
        let peerKey: SocketAddress?
    }

    public let loop: EventLoop
    public let responder: any Responder
    public let rules: RequestParser.Rules
    /// The TLS context of connections; nil: they use plain HTTP.
    ///
    /// Replaced when the certificate changes; connections accepted before keep the old one.
    public var security: TLSServerContext?
    /// Replaced when the settings change; the limits of the parser apply to connections accepted from then on.
    public var limits: ServerLimits {
        didSet { idleNanoseconds = limits.idleTimeout.wholeNanoseconds }
    }
    /// `limits.idleTimeout`, which is set with every request.
    private(set) var idleNanoseconds: Int64
    public internal(set) var statistics = Statistics()
    /// Whether no further connections and requests are accepted.
    public private(set) var isDraining = false
    /// The head being read; each request reuses its arrays.
    var head = RequestHead()

    let connectionCounter: ConnectionCounter
    private var listener: Listener?
    private var connections: [ObjectIdentifier: ServerConnection] = [:]
    private var handshakes: [ObjectIdentifier: Handshake] = [:]
    private var drained: (() -> Void)?
    /// Whether a client of this address may use the listener.
    ///
    /// Called when a client connects, and for all connections when this is replaced. Connections that are no longer
    /// admitted end after the response in progress.
    public var admits: (SocketAddress) -> Bool {
        didSet { for connection in Array(connections.values) { connection.reviewAdmission() } }
    }

    /// Begins to accept.
    /// - Parameters:
    ///   - security: the TLS context of connections; nil: plain HTTP.
    ///   - descriptorReserve: descriptors left for other uses (H-156).
    ///   - connectionCounter: shared by all listeners whose connections are counted together.
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

    /// Open connections, without tunnels.
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

    /// The peer for the limit of connections per peer; nil: not counted.
    private func peerKey(of peer: SocketAddress) -> SocketAddress? {
        guard peer.isLocalOnly else { return peer.withoutPort }
        return limits.countsLoopbackPeers && peer.ipAddress != nil ? peer.withoutPort : nil
    }

    private func serve(_ stream: Stream, _ peer: SocketAddress, _ key: SocketAddress?) {
        let connection = ServerConnection(stream, peer: peer, listener: self, peerKey: key)
        connections[ObjectIdentifier(connection)] = connection
    }

    /// Serves once TLS is established; the handshake has as much time as a head.
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

    /// Serves HTTP on the stream of a tunnel, which has been counted already.
    func adopt(
        _ stream: Stream,
        peer: SocketAddress,
        peerKey: SocketAddress?,
        origin: ConnectionOrigin,
        login: ConnectionLogin?
    ) {
        guard !isDraining, stream.isOpen, admits(peer) else {
            connectionCounter.leave(peerKey)
            return stream.close()
        }
        let connection = ServerConnection(
            stream,
            peer: peer,
            listener: self,
            peerKey: peerKey,
            origin: origin,
            login: login
        )
        connections[ObjectIdentifier(connection)] = connection
        connection.resume()
    }

    /// Makes a closure that lets this listener accept again; any thread may call it.
    private func resumption() -> @Sendable () -> Void {
        let bound = LoopBound(self, loop: loop)
        let handle = loop.handle
        return { handle.submit { _ in bound.value.listener?.resume() } }
    }

    /// Responds before any request and closes (H-132).
    ///
    /// Closes without a response if that would take a handshake.
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

    /// Stops accepting, closes idle connections, and closes the others after their response (H-153).
    /// - Parameter completion: called on the loop once no connection is left; tunnels do not count.
    public func drain(_ completion: @escaping () -> Void) {
        isDraining = true
        listener?.close()
        listener = nil
        endHandshakes()
        for connection in connections.values { connection.drain() }
        if connections.isEmpty { loop.atEndOfTurn(completion) } else { drained = completion }
    }

    /// Stops accepting and closes all connections at once.
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
    /// The address without its port.
    fileprivate var withoutPort: SocketAddress {
        if case .ip(let address, _, let scope) = self { return .ip(address.unmapped, port: 0, scope: scope) }
        return self
    }
}
