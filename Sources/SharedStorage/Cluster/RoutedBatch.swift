/// Commands of one slot on their way through a cluster: what the replies of nodes mean for them.
///
/// Pure: the owner sends, waits and refreshes the map.
struct RoutedBatch {
    /// What to do after some replies.
    enum Step: Equatable {
        /// All commands have their replies.
        case done([RedisReply])
        /// Send `rest` to this node; with `isAsking`, send `restAsking` instead.
        case send(to: ServerAddress, isAsking: Bool)
        /// Send `rest` again after a short while.
        case wait(Duration)
        case fail(SharedFailure)
    }

    /// After more redirections than this, the nodes contradict each other.
    private static let hopLimit = 8

    let slot: UInt16
    private let commands: [RedisCommand]
    private var replies: [RedisReply?]
    /// The indices of commands without a reply.
    private var open: [Int]
    private var hops = 0

    init(_ commands: [RedisCommand]) {
        self.commands = commands
        slot = commands.lazy.compactMap(\.key).first.map { KeySlot.slot(of: $0) } ?? 0
        replies = Array(repeating: nil, count: commands.count)
        open = Array(commands.indices)
    }

    /// The commands that have no reply yet.
    var rest: [RedisCommand] { open.map { commands[$0] } }

    /// The same, each after the command ASKING.
    var restAsking: [RedisCommand] { rest.flatMap { [RedisCommand("ASKING"), $0] } }

    /// A node has replied to `rest`, or to `restAsking`.
    mutating func receive(_ received: [RedisReply], isAsking: Bool) -> Step {
        let own = isAsking ? stride(from: 1, to: received.count, by: 2).map { received[$0] } : received
        guard own.count == open.count else { return .fail(.unexpected) }
        var redirection: (step: Step, error: RedisError)?
        var left: [Int] = []
        for (index, reply) in zip(open, own) {
            if let error = reply.failure, let step = step(for: error) {
                redirection = redirection ?? (step, error)
                left.append(index)
            } else {
                replies[index] = reply
            }
        }
        open = left
        guard let redirection else { return .done(replies.compactMap { $0 }) }
        hops += 1
        return hops > Self.hopLimit ? .fail(.refused(redirection.error)) : redirection.step
    }

    /// What to do after a redirection; nil for any other error, which is the command's own reply.
    private func step(for error: RedisError) -> Step? {
        switch error.kind {
        case .moved(_, let address?): .send(to: address, isAsking: false)
        case .ask(_, let address?): .send(to: address, isAsking: true)
        // No host: the map must say which node is meant.
        case .moved, .ask, .tryAgain: .wait(.milliseconds(5 << min(hops, 6)))
        case .clusterDown: .fail(.refused(error))
        default: nil
        }
    }
}
