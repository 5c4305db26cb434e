public import Eventing

/// A client's connection that has left HTTP; it counts as a connection until this object goes.
public final class ClientTunnel {
    /// The connection; without a delegate until the new owner sets one.
    ///
    /// Bytes behind the request come first. If `isAtEnd`, the client's end has been seen already and is not told again.
    public let stream: Stream
    /// The client's address.
    public let peer: SocketAddress
    private let listener: HTTPListener
    private let key: SocketAddress?
    private var isCounted = true

    init(_ stream: Stream, of connection: ServerConnection) {
        self.stream = stream
        peer = connection.peer
        listener = connection.listener
        key = connection.censusKey
    }

    deinit { if isCounted { listener.connectionCounter.leave(key) } }

    /// Goes back to HTTP: from now on the client's bytes, those left unread first, are requests to `origin`, which the
    /// listener's responder answers under the listener's limits.
    ///
    /// The stream is the caller's no more. A listener that drains, or admits the client no more, closes it.
    public func serveHTTP(for origin: ConnectionOrigin) {
        guard isCounted else { return }
        isCounted = false
        listener.adopt(stream, peer: peer, censusKey: key, origin: origin)
    }
}
