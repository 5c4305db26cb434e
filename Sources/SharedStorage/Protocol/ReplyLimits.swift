/// How much a server may reply before it counts as broken or hostile.
public struct ReplyLimits: Sendable {
    /// The most bytes of one reply.
    public var bytes = 32 << 20
    /// The most strings, numbers and lists in one reply.
    public var elements = 65_536

    public init() {}
}

/// Why bytes are no reply that we accept.
enum ReplyFault: Error, Equatable {
    /// They are not of the protocol of Redis.
    case malformed(String)
    /// The reply has more bytes, or more elements, than `ReplyLimits` allow.
    case tooLarge
}
