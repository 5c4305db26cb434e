import Eventing
import HTTPCore

/// Tries one server: its greeting, the rights of the user, what it reports of itself, and how fast it replies.
///
/// Bound to its loop.
final class NodeCheck {
    /// How long a reply may take; so a server slower than `shared.timeout` is measured, too.
    static let patience = Duration.seconds(2)
    static let roundTrips = 20

    private let loop: EventLoop
    private let connector: Connector
    private let options: ServerOptions
    private let link: ServerLink
    private let keys: CheckKeys
    private let isPrimary: Bool
    private var facts: NodeFacts
    private let completion: (NodeFacts) -> Void

    /// - Parameters:
    ///   - keys: in a slot of the node, if it is a primary of a cluster.
    ///   - isPrimary: false: it accepts no writes.
    ///   - completion: is called once.
    init(
        _ address: ServerAddress,
        _ keys: CheckKeys,
        isPrimary: Bool,
        loop: EventLoop,
        connector: Connector,
        options: ServerOptions,
        _ completion: @escaping (NodeFacts) -> Void
    ) {
        (self.loop, self.connector, self.options) = (loop, connector, options)
        (self.keys, self.isPrimary, self.completion) = (keys, isPrimary, completion)
        link = ServerLink(address, loop, connector, options)
        facts = NodeFacts(address: address, greeting: .failure(.timeout))
    }

    /// Tries everything, one after the other.
    func run() {
        let rights = ProbedRight.allCases.map { $0.command(keys) }
        let questions = [
            RedisCommand("INFO", "memory"), RedisCommand("CONFIG", "GET", "maxmemory*"),
            RedisCommand("INFO", "replication"),
        ]
        link.send(rights + questions, within: options.connectTimeout + Self.patience) { [self] result in
            guard let replies = received(result), let greeting = link.greeting else { return end() }
            facts.greeting = .success(greeting)
            note(rights: replies.prefix(rights.count))
            note(answers: Array(replies.dropFirst(rights.count)))
            measure()
        }
    }

    private func received(_ result: SharedResult) -> [RedisReply]? {
        switch result {
        case .success(let replies): return replies
        case .failure(let failure):
            facts.greeting = .failure(failure)
            return nil
        }
    }

    private func note(rights replies: ArraySlice<RedisReply>) {
        for (right, reply) in zip(ProbedRight.allCases, replies) { facts.errors[right] = reply.failure }
    }

    private func note(answers: [RedisReply]) {
        facts.memory = ServerMemory(info: answers[0], configuration: answers[1])
        let replication = InfoText(answers[2])
        guard let host = replication["master_host"], let port = replication["master_port"].flatMap({ Int64($0) }) else {
            return
        }
        facts.primary = ServerAddress(host: host, port: port)?.description
    }

    /// Asks again and again for one key, as look-ups do.
    private func measure() {
        let start = loop.now
        link.send([ProbedRight.get.command(keys)], within: Self.patience) { [self] result in
            guard received(result) != nil else { return end() }
            facts.roundTrips.append(loop.now - start)
            if facts.roundTrips.count < Self.roundTrips { measure() } else { sendMessage() }
        }
    }

    private func sendMessage() {
        let publish = { [self] in
            link.send([ProbedRight.publish.command(keys)], within: Self.patience) { _ in }
        }
        let trial = MessageTrial(loop, channel: keys.channel, publish: publish) { [self] outcome in
            facts.messages = outcome
            tryScripts()
        }
        trial.run(link.address, by: connector, options)
    }

    private func tryScripts() {
        guard isPrimary, facts.missing.isEmpty, facts.errors[.set] == nil else { return end() }
        let trial = ScriptTrial(keys)
        send(trial.beginning, of: trial)
    }

    private func send(_ commands: [RedisCommand], of trial: ScriptTrial) {
        link.send(commands, within: Self.patience) { [self] result in
            guard let replies = received(result) else { return end() }
            var trial = trial
            switch trial.receive(replies) {
            case .ask(let next): send(next, of: trial)
            case .done(let fault):
                facts.trial = fault.map { .failed($0) } ?? .worked
                link.send([trial.cleaning], within: Self.patience) { [self] _ in end() }
            }
        }
    }

    private func end() {
        link.close()
        completion(facts)
    }
}
