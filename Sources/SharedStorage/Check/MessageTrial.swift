import Eventing

/// Listens to a channel on a connection of its own, publishes a message there, and waits for it.
///
/// Bound to its loop.
final class MessageTrial {
    private static let patience = Duration.seconds(2)

    private let loop: EventLoop
    private let channel: [UInt8]
    private let publish: () -> Void
    private var completion: ((MessageOutcome) -> Void)?
    private var connection: ServerConnection?
    private var timer: LoopTimer?
    private var hasCome = false

    /// - Parameters:
    ///   - publish: sends a message to the channel.
    ///   - completion: is called once.
    init(
        _ loop: EventLoop,
        channel: [UInt8],
        publish: @escaping () -> Void,
        _ completion: @escaping (MessageOutcome) -> Void
    ) {
        (self.loop, self.channel) = (loop, channel)
        (self.publish, self.completion) = (publish, completion)
    }

    func run(_ address: ServerAddress, by connector: Connector, _ options: ServerOptions) {
        let connection = ServerConnection(loop, options)
        self.connection = connection
        timer = loop.schedule(after: Self.patience) { [self] in end(.lost) }
        connection.didPush = { [self] in receive($0) }
        connection.didGreet = { [channel, unowned connection] _ in
            connection.tell(RedisCommand("SUBSCRIBE", [channel]))
        }
        connection.didEnd = { [self] in end(.failed($0)) }
        connection.open(address, by: connector)
    }

    private func receive(_ reply: RedisReply) {
        if let error = reply.failure {
            return end(.refused(error, command: hasCome ? "unsubscribe" : "subscribe"))
        }
        switch reply.list?.first?.string {
        case "subscribe": publish()
        case "message":
            hasCome = true
            connection?.tell(RedisCommand("UNSUBSCRIBE", [channel]))
        case "unsubscribe": end(.came)
        default: break
        }
    }

    private func end(_ outcome: MessageOutcome) {
        guard let completion = completion.take() else { return }
        timer?.cancel()
        timer = nil
        let last = connection.take()
        last?.didPush = nil
        last?.fail(.lost("it is not needed any more"))
        completion(outcome)
    }
}
