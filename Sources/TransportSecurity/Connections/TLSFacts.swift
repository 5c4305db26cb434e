public import HTTPCore

/// What both ends of a connection agreed on, and the certificate of the other one.
public struct TLSFacts: Sendable, Equatable {
    /// Such as `TLSv1.3`.
    public var version: String
    /// The cipher suite, such as `TLS_AES_256_GCM_SHA384`.
    public var cipher: String
    /// The subject of the certificate, and its issuer; empty without a certificate.
    public var subject: String
    public var issuer: String
    /// The last second at which the certificate is valid; nil without one.
    public var ends: HTTPDate?

    public init(version: String, cipher: String, subject: String = "", issuer: String = "", ends: HTTPDate? = nil) {
        self.version = version
        self.cipher = cipher
        self.subject = subject
        self.issuer = issuer
        self.ends = ends
    }
}
