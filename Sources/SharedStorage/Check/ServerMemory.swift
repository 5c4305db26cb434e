/// How much memory a server may use, and what it does when that is full.
struct ServerMemory: Sendable, Hashable {
    /// In bytes; 0: without limit.
    var limit: Int64
    /// Such as `volatile-lfu`.
    var policy: String

    /// Reads either reply; nil: the server answered neither question.
    ///
    /// - Parameters:
    ///   - info: the reply to `INFO memory`.
    ///   - configuration: the reply to `CONFIG GET maxmemory*`.
    init?(info: RedisReply, configuration: RedisReply) {
        let told = InfoText(info)
        var (limit, policy) = (told["maxmemory"], told["maxmemory_policy"])
        let list = configuration.list ?? []
        for index in stride(from: 0, to: list.count - 1, by: 2) {
            switch list[index].string {
            case "maxmemory": limit = limit ?? list[index + 1].string
            case "maxmemory-policy": policy = policy ?? list[index + 1].string
            default: break
            }
        }
        guard let limit = limit.flatMap({ Int64($0) }), let policy, policy.utf8.count < 40 else { return nil }
        (self.limit, self.policy) = (limit, policy.filter { $0.isLetter || $0 == "-" })
    }
}

/// The lines of a reply to INFO, `name:value`.
struct InfoText {
    private let lines: [Substring]

    init(_ reply: RedisReply) { lines = (reply.string ?? "").split(whereSeparator: \.isNewline) }

    subscript(name: String) -> String? {
        lines.first { $0.hasPrefix("\(name):") }.map { String($0.dropFirst(name.count + 1)) }
    }
}
