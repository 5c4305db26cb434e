public import HTTPCore

/// The connections to one origin.
public struct OriginConnections: Sendable, Equatable {
    /// What TLS of the latest connection has agreed on, and the origin's certificate.
    public struct Security: Sendable, Equatable {
        /// Such as `TLSv1.3` and `TLS_AES_256_GCM_SHA384`.
        public var version: String
        public var cipher: String
        public var subject: String
        public var issuer: String
        /// The last second at which the certificate is valid.
        public var ends: HTTPDate?

        public init(version: String, cipher: String, subject: String, issuer: String, ends: HTTPDate?) {
            self.version = version
            self.cipher = cipher
            self.subject = subject
            self.issuer = issuer
            self.ends = ends
        }
    }

    /// Scheme, host and port, such as `http://origin.example:8080`.
    public var origin: String
    /// Connections open or being made, idle ones among them, and requests that wait for a connection.
    public var connections = 0
    public var idle = 0
    public var waiting = 0
    /// Nil without TLS.
    public var security: Security?

    public init(origin: String) { self.origin = origin }
}
