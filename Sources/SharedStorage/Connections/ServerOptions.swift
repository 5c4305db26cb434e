public import Eventing
public import TransportSecurity

/// How servers are connected to.
public struct ServerOptions: Sendable {
    /// Nil: the default user, or none.
    public var user: String?
    public var password: [UInt8]?
    /// Nil: without TLS.
    public var security: TLSClientContext?
    /// Judges the addresses that names and clusters lead to.
    public var policy: AddressPolicy
    public var connectTimeout = Duration.seconds(1)
    /// If a command has no reply for this long, the connection is closed.
    public var silence = Duration.seconds(2)
    /// The pause after a failed connection; each further one is twice as long.
    public var firstPause = Duration.milliseconds(100)
    public var longestPause = Duration.seconds(5)
    /// The most bytes of commands that wait to be sent.
    public var unsentLimit = 32 << 20
    public var replies = ReplyLimits()

    public init(policy: AddressPolicy = AddressPolicy(allowsLoopback: true, allowsPrivate: true)) {
        self.policy = policy
    }
}
