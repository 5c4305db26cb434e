public import Eventing

/// One Redis server.
public final class SingleServer: SharedServer {
    private let link: ServerLink
    private let subscriptions: Subscriptions

    public init(_ address: ServerAddress, loop: EventLoop, connector: Connector, options: ServerOptions) {
        link = ServerLink(address, loop, connector, options)
        subscriptions = Subscriptions(loop, connector, options)
    }

    public func prepare() { link.prepare() }

    public func send(
        _ commands: [RedisCommand],
        within time: Duration,
        _ completion: @escaping (SharedResult) -> Void
    ) {
        link.send(commands, within: time, completion)
    }

    public func listen(to channel: [UInt8], _ told: @escaping () -> Void) {
        subscriptions.listen(to: channel, at: link.address, told)
    }

    public func leave(_ channel: [UInt8]) { subscriptions.leave(channel) }

    public func close() {
        link.close()
        subscriptions.close()
    }
}
