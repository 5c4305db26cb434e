import Eventing
import HTTPCore

/// The channels that a loop listens to, over a connection of its own, which is made when one is needed.
///
/// Messages may be lost: a connection that ends is replaced when the next channel is added, and not before.
/// Bound to its loop.
final class Subscriptions {
    private let loop: EventLoop
    private let connector: Connector
    private let options: ServerOptions
    private var channels: [[UInt8]: () -> Void] = [:]
    private var connection: ServerConnection?
    private var isGreeted = false
    private var backOff: BackOff

    init(_ loop: EventLoop, _ connector: Connector, _ options: ServerOptions) {
        self.loop = loop
        self.connector = connector
        self.options = options
        backOff = BackOff(first: options.firstPause, longest: options.longestPause)
    }

    /// Calls `told` for each message of a channel, until `leave`.
    ///
    /// - Parameter address: a server to connect to, if there is no connection.
    func listen(to channel: [UInt8], at address: ServerAddress, _ told: @escaping () -> Void) {
        channels[channel] = told
        if connection == nil { connect(address) } else if isGreeted { subscribe([channel]) }
    }

    func leave(_ channel: [UInt8]) {
        guard channels.removeValue(forKey: channel) != nil, isGreeted else { return }
        connection?.tell(RedisCommand("UNSUBSCRIBE", [channel]))
    }

    private func subscribe(_ names: [[UInt8]]) {
        if !names.isEmpty { connection?.tell(RedisCommand("SUBSCRIBE", names)) }
    }

    private func connect(_ address: ServerAddress) {
        guard backOff.isDue(loop.now) else { return }
        let connection = ServerConnection(loop, options)
        self.connection = connection
        connection.didPush = { [weak self] in self?.didReceive($0) }
        connection.didGreet = { [weak self] _ in self?.didGreet() }
        connection.didEnd = { [weak self] _ in self?.didEnd() }
        connection.open(address, by: connector)
    }

    private func didGreet() {
        isGreeted = true
        backOff.succeed()
        subscribe(Array(channels.keys))
    }

    private func didReceive(_ reply: RedisReply) {
        guard let list = reply.list, list.count == 3, list[0].string == "message" else { return }
        if let name = list[1].bytes { channels[name]?() }
    }

    private func didEnd() {
        (connection, isGreeted) = (nil, false)
        backOff.fail(at: loop.now)
    }

    func close() { connection?.fail(.lost("it is not needed any more")) }
}
