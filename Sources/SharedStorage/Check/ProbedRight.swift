/// A command that a node must be allowed to run, in a form that leaves nothing behind.
enum ProbedRight: String, Sendable, CaseIterable {
    case set, get, getrange, pttl, pexpire, eval, publish, xadd, xrange, xrevrange, xread, del

    func command(_ keys: CheckKeys) -> RedisCommand {
        switch self {
        case .get, .pttl, .del: RedisCommand(name, key: keys.value)
        case .set: RedisCommand(name, key: keys.value, words("1", "PX", CheckKeys.time))
        case .getrange: RedisCommand(name, key: keys.value, words("0", "0"))
        case .pexpire: RedisCommand(name, key: keys.value, words(CheckKeys.time))
        case .eval: RedisCommand(script: "return 1", keys: [keys.value], [])
        case .publish: RedisCommand(name, [keys.channel, []])
        // Adds nothing, since there is no such stream.
        case .xadd: RedisCommand(name, key: keys.stream, words("NOMKSTREAM", "*", "p", "0-0"))
        case .xrange: RedisCommand(name, key: keys.stream, words("-", "+", "COUNT", "1"))
        case .xrevrange: RedisCommand(name, key: keys.stream, words("+", "-", "COUNT", "1"))
        case .xread: RedisCommand(name, words("COUNT", "1", "STREAMS") + [keys.stream] + words("0-0"))
        }
    }

    private var name: String { rawValue.uppercased() }

    private func words(_ words: String...) -> [[UInt8]] { words.map { Array($0.utf8) } }
}
