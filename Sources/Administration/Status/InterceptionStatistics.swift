/// Statistics of TLS interception.
public struct InterceptionStatistics: Sendable, Equatable {
    /// A host to which one client gets blind tunnels, because it refused our certificates.
    public struct PassThrough: Sendable, Equatable {
        /// `host:port`.
        public var host: String
        /// The client's address; `unix` for those of a Unix socket.
        public var client: String
        /// How much longer this applies.
        public var secondsLeft: Int64
        /// Handshakes that the client aborted, and blind tunnels since then.
        public var refusals: Int
        public var tunnels: Int

        public init(host: String, client: String, secondsLeft: Int64, refusals: Int, tunnels: Int) {
            self.host = host
            self.client = client
            self.secondsLeft = secondsLeft
            self.refusals = refusals
            self.tunnels = tunnels
        }
    }

    /// Patterns of intercepted hosts.
    public var hosts: [String] = []
    public var passThrough: [String] = []
    /// The CA's name, and the SHA-256 of its certificate.
    public var authority = ""
    public var fingerprint = ""
    /// Connections whose handshake succeeded, and those whose handshake failed.
    public var connections = 0
    public var failures = 0
    /// Certificates made since the CA was read.
    public var minted = 0
    public var refused: [PassThrough] = []

    public init() {}
}
