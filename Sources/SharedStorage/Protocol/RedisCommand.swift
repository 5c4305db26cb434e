/// A command for a Redis server.
public struct RedisCommand: Sendable, Equatable {
    /// The name and what follows it, each as bytes.
    public var arguments: [[UInt8]]
    /// A key that decides the slot; all keys of one command are in that slot; nil: any node will do.
    public var key: [UInt8]?

    /// A command about a key, which is its first argument.
    public init(_ name: String, key: [UInt8], _ rest: [[UInt8]] = []) {
        arguments = [Array(name.utf8), key] + rest
        self.key = key
    }

    /// A command that is about no key.
    public init(_ words: String...) { arguments = words.map { Array($0.utf8) } }

    /// A command about things that are no keys.
    public init(_ name: String, _ rest: [[UInt8]]) { arguments = [Array(name.utf8)] + rest }

    /// A script that runs on the server, with its keys and arguments.
    ///
    /// - Parameter keys: at least one, all of one slot.
    public init(script: String, keys: [[UInt8]], _ rest: [[UInt8]]) {
        arguments = [Array("EVAL".utf8), Array(script.utf8), Array("\(keys.count)".utf8)] + keys + rest
        key = keys.first
    }

    /// The bytes of all arguments.
    var count: Int { arguments.reduce(0) { $0 + $1.count } }
}
