public import Eventing
public import HTTPCore
public import TransportSecurity

/// Accepts the connections of one listening socket on one loop, and serves them with one responder.
///
/// Bound to its loop; its owner holds it as long as it is to accept, its connections hold it too.
public final class HTTPListener: ListenerState {
    /// A connection whose handshake of TLS is under way.
    private struct Handshake {
        let stream: Stream
        let censusKey: SocketAddress?
    }

    public let loop: EventLoop
    public let responder: any Responder
    public let rules: RequestParser.Rules
    /// What connections speak TLS under; nil: they speak plain HTTP.
    ///
    /// Replaced when the certificate is another one; connections accepted before go on by theirs.
    public var security: TLSServerContext?

    let connectionCounter: ConnectionCounter
    private var listener: Listener?
    private var connections: [ObjectIdentifier: ServerConnection] = [:]
    private var handshakes: [ObjectIdentifier: Handshake] = [:]
    private var drained: (() -> Void)?
    /// Whether a client of this address may use the listener; asked when it connects, and for all connections when this
    /// is replaced: those of others end, after the response under way.
    public var admits: (SocketAddress) -> Bool {
        didSet { for connection in Array(connections.values) { connection.reviewAdmission() } }
    }

    /// Accepts from now on.
    /// - Parameters:
    ///   - security: what connections speak TLS under; nil: they do not.
    ///   - descriptorReserve: descriptors left for others (H-156).
    ///   - connectionCounter: shared by the listeners whose connections are counted together.
    ///   - admits: whether a client of this address may use the listener; others are told 403.
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
        super.init(limits: limits)
        listener = Listener(loop: loop, socket: socket, descriptorReserve: descriptorReserve) { [weak self] in
            if let self { accept($0, from: $1) } else { $0.close() }
        }
    }

    /// Connections open now, tunnels left out.
    package var connectionCount: Int { connections.count }

    // MARK: Accepting

    private func accept(_ stream: Stream, from address: SocketAddress?) {
        let peer = address ?? .unix(path: "")
        let key = censusKey(of: peer)
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

    /// What the cap per peer goes by; nil: there is none for `peer`.
    private func censusKey(of peer: SocketAddress) -> SocketAddress? {
        guard peer.isLocalOnly else { return peer.withoutPort }
        return limits.countsLoopbackPeers && peer.ipAddress != nil ? peer.withoutPort : nil
    }

    private func serve(_ stream: Stream, _ peer: SocketAddress, _ key: SocketAddress?) {
        let connection = ServerConnection(stream, peer: peer, listener: self, censusKey: key)
        connections[ObjectIdentifier(connection)] = connection
    }

    /// Serves once TLS stands; it must in the time a head has.
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
        handshakes[ObjectIdentifier(stream)] = Handshake(stream: stream, censusKey: key)
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
    func adopt(_ stream: Stream, peer: SocketAddress, censusKey: SocketAddress?, origin: ConnectionOrigin) {
        guard !isDraining, stream.isOpen, admits(peer) else {
            connectionCounter.leave(censusKey)
            return stream.close()
        }
        let connection = ServerConnection(stream, peer: peer, listener: self, censusKey: censusKey, origin: origin)
        connections[ObjectIdentifier(connection)] = connection
        connection.goOn()
    }

    /// What lets this listener accept again, from any thread.
    private func resumption() -> @Sendable () -> Void {
        let bound = LoopBound(self, loop: loop)
        let handle = loop.handle
        return { handle.submit { _ in bound.value.listener?.resume() } }
    }

    /// Answers before any request and closes (H-132); without a word where that would take a handshake.
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
            connectionCounter.leave(handshake.censusKey)
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
