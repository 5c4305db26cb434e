/// How a client speaks TLS: what it trusts, who it says it is.
public struct TLSClientSettings: Sendable, Hashable {
    /// A certificate with its chain, and its key, as files in PEM form.
    public struct Certificate: Sendable, Hashable {
        public var certificateFile: String
        public var keyFile: String

        public init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// Files of authorities to trust, in PEM form.
    public var authorityFiles: [String] = []
    /// Whether the system's authorities are trusted, too.
    public var trustsSystem = true
    /// Whether the server's certificate and its name are verified; without that anybody in between can read and change
    /// everything.
    public var verifies = true
    /// What is shown to a server that asks who the client is.
    public var certificate: Certificate?
    /// Offered by ALPN, the preferred one first (RFC 7301).
    public var protocols = ["http/1.1"]

    public init() {}
}

/// How a server speaks TLS.
public struct TLSServerSettings: Sendable, Hashable {
    public var certificate: TLSClientSettings.Certificate
    /// Accepted by ALPN, the preferred one first.
    public var protocols = ["http/1.1"]
    /// Authorities whose clients are let in; empty: clients are not asked for a certificate.
    public var clientAuthorityFiles: [String] = []

    public init(certificate: TLSClientSettings.Certificate) { self.certificate = certificate }
}
