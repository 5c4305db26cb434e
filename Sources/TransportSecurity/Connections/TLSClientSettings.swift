/// How a client uses TLS: the authorities that it trusts, and the certificate by which it identifies itself.
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
    /// Whether the server's certificate and its name are verified.
    ///
    /// Without verification, an attacker on the path can read and change everything.
    public var verifies = true
    /// The certificate for servers that ask for one.
    public var certificate: Certificate?
    /// The protocols offered by ALPN, the preferred one first (RFC 7301).
    public var protocols = ["http/1.1"]

    public init() {}
}

/// How a server uses TLS.
public struct TLSServerSettings: Sendable, Hashable {
    public var certificate: TLSClientSettings.Certificate
    /// The protocols accepted by ALPN, the preferred one first.
    public var protocols = ["http/1.1"]
    /// The authorities of client certificates; empty: clients are not asked for one.
    public var clientAuthorityFiles: [String] = []

    public init(certificate: TLSClientSettings.Certificate) { self.certificate = certificate }
}
