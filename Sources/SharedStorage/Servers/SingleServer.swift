public import Eventing

/// One Redis server.
public final class SingleServer: SharedServer {
    private let link: ServerLink

    public init(_ address: ServerAddress, loop: EventLoop, connector: Connector, options: ServerOptions) {
        link = ServerLink(address, loop, connector, options)
    }

    public func send(
        _ commands: [RedisCommand],
        within time: Duration,
        _ completion: @escaping (SharedResult) -> Void
    ) {
        link.send(commands, within: time, completion)
    }

    public func close() { link.close() }
}
