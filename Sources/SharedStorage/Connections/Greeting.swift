/// The first command on a connection, and what its reply reports about the server.
struct Greeting: Sendable, Equatable {
    /// The oldest version that has what we need.
    static let oldest = (6, 2)

    var version: String
    /// Whether it is a node of a cluster.
    var isClustered: Bool
    var isReplica: Bool

    /// HELLO with the login, if there is one.
    static func command(_ options: ServerOptions) -> RedisCommand {
        var command = RedisCommand("HELLO", "2")
        if let password = options.password {
            command.arguments += [Array("AUTH".utf8), Array((options.user ?? "default").utf8), password]
        }
        return command
    }

    init(_ reply: RedisReply) throws(SharedFailure) {
        if let error = reply.failure {
            if error.kind == .unknownCommand { throw .tooOld("5 or earlier") }
            throw .refused(error)
        }
        guard let list = reply.list, let version = Self.value("version", list)?.string else {
            throw .noRedis("its greeting has no version")
        }
        self.version = String(version.filter { $0.isASCII && ($0.isNumber || $0 == ".") }.prefix(20))
        isClustered = Self.value("mode", list)?.string == "cluster"
        isReplica = Self.value("role", list)?.string == "replica" || Self.value("role", list)?.string == "slave"
        guard Self.isRecent(self.version) else { throw .tooOld(self.version) }
    }

    private static func value(_ name: String, _ list: [RedisReply]) -> RedisReply? {
        for index in stride(from: 0, to: list.count - 1, by: 2) where list[index].string == name {
            return list[index + 1]
        }
        return nil
    }

    private static func isRecent(_ version: String) -> Bool {
        let numbers = version.split(separator: ".").prefix(2).map { Int($0) ?? 0 }
        guard numbers.count == 2 else { return false }
        return (numbers[0], numbers[1]) >= oldest
    }
}
