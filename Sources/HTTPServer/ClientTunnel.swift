public import Eventing

/// A client's connection that has left HTTP; it counts as a connection until this object goes.
public final class ClientTunnel {
    /// The connection; without a delegate until the new owner sets one.
    ///
    /// Octets behind the request come first. If `isAtEnd`, the client's end has been seen already and is not told again.
    public let stream: Stream
    private let census: ConnectionCensus
    private let key: SocketAddress?

    init(_ stream: Stream, census: ConnectionCensus, key: SocketAddress?) {
        self.stream = stream
        self.census = census
        self.key = key
    }

    deinit { census.leave(key) }
}
