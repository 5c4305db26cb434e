public import Eventing

/// A client's connection that has left HTTP; it counts as a connection until this object is released.
public final class ClientTunnel {
    /// The connection, which has no delegate until the new owner sets one.
    ///
    /// It first lends the bytes behind the request. If `isAtEnd`, the client has sent its last byte already, which is
    /// not reported again.
    public let stream: Stream
    /// The client's address.
    public let peer: SocketAddress
    private let listener: HTTPListener
    private let key: SocketAddress?
    private let login: ConnectionLogin?
    private var isCounted = true

    init(_ stream: Stream, of connection: ServerConnection) {
        self.stream = stream
        peer = connection.peer
        listener = connection.listener
        key = connection.peerKey
        login = connection.login
    }

    deinit { if isCounted { listener.connectionCounter.leave(key) } }

    /// Returns to HTTP: the client's bytes, unread ones first, are requests to `origin`.
    ///
    /// The listener's responder answers them under the listener's limits. The stream no longer belongs to the caller. A
    /// listener that drains, or no longer admits the client, closes it.
    public func serveHTTP(for origin: ConnectionOrigin) {
        guard isCounted else { return }
        isCounted = false
        listener.adopt(stream, peer: peer, peerKey: key, origin: origin, login: login)
    }
}
