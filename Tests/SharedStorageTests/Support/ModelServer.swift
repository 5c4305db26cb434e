import HTTPCore
import Locking

@testable import SharedStorage

/// A Redis server as a model: keys and values, and the script that stores.
struct ModelServer {
    private(set) var values: [[UInt8]: [UInt8]] = [:]

    mutating func replies(to commands: [RedisCommand]) -> [RedisReply] { commands.map { reply(to: $0) } }

    private mutating func reply(to command: RedisCommand) -> RedisReply {
        let words = command.arguments
        switch String(decoding: words[0], as: UTF8.self) {
        case "GET": return values[words[1]].map { .text($0) } ?? .nothing
        case "SET":
            values[words[1]] = words[2]
            return .text("OK")
        case "EVAL": return store(Array(words[3...]))
        default: return .failure(RedisError(Array("ERR unknown command".utf8)))
        }
    }

    private mutating func store(_ words: [[UInt8]]) -> RedisReply {
        let present = values[words[0]].flatMap { try? ResourceIndex($0) }
        guard (present?.token ?? "") == String(decoding: words[2], as: UTF8.self) else { return .number(0) }
        let token = present.map { Array($0.token.utf8) } ?? words[3]
        values[words[1]] = words[5]
        values[words[0]] = token + [0x0A] + words[4]
        return .number(1)
    }

    /// Replaces each value of some length, as damage or another program does.
    mutating func replaceValues(longerThan count: Int, _ change: ([UInt8]) -> [UInt8]) {
        for (key, value) in values where value.count > count { values[key] = change(value) }
    }

    mutating func remove(where condition: ([UInt8]) -> Bool) { values = values.filter { !condition($0.key) } }
}
