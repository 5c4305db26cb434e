/// Why a server gave no replies.
public enum SharedFailure: Error, Sendable, Hashable {
    /// No connection could be made; the sentence is the reason.
    case unreachable(String)
    /// The replies did not come within the deadline.
    case timeout
    /// The connection ended, or brought nothing for too long.
    case lost(String)
    /// It does not speak the protocol of Redis, or breaks it.
    case noRedis(String)
    /// It is older than what is needed.
    case tooOld(String)
    /// It refused the connection, or what was asked.
    case refused(RedisError)
    /// Too many commands wait already.
    case busy
    /// No node of the cluster has the slot.
    case noNode
    /// The replies are none that the commands can have.
    case unexpected

    /// What happened and what to do, for people.
    public var userMessage: String {
        switch self {
        case .unreachable(let sentence): sentence
        case .timeout: "no reply within the time allowed by `shared.timeout`"
        case .lost(let reason): "the connection was lost: \(reason)"
        case .noRedis(let reason): "this is not a Redis server, or it broke its protocol: \(reason)"
        case .tooOld(let version): "the server is Redis \(version); 6.2 or later is needed"
        case .refused(let error): error.userMessage
        case .busy: "too many commands wait for the server"
        case .noNode: "no node of the cluster has this slot (`redis-cli cluster info`)"
        case .unexpected: "the server sent a reply that the command cannot have"
        }
    }
}

/// The replies to some commands, in their order; a reply may be an error of its own.
public typealias SharedResult = Result<[RedisReply], SharedFailure>
