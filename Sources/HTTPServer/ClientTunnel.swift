public import Eventing

/// A client's connection that has left HTTP; it counts as a connection until this object is released.
public final class ClientTunnel {
    /// The connection; without a delegate until the new owner sets one.
    ///
    /// Bytes behind the request come first. If `isAtEnd`, the client's end has come already and is not reported again.
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
        key = connection.peerKey
    }

    deinit { if isCounted { listener.connectionCounter.leave(key) } }

    /// Goes back to HTTP: from now on the client's bytes, unread ones first, are requests to `origin`.
    ///
    /// The listener's responder answers them under the listener's limits. The stream does not belong to the caller any more.
    /// A listener that drains, or does not admit the client any more, closes it.
    public func serveHTTP(for origin: ConnectionOrigin) {
        guard isCounted else { return }
        isCounted = false
        listener.adopt(stream, peer: peer, peerKey: key, origin: origin)
    }
}
