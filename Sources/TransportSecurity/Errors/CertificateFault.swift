/// What is wrong with a peer's certificate, or with one of its issuers' certificates.
public struct CertificateFault: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// It is valid for other names or addresses.
        case wrongName
        case expired
        case notYetValid
        /// It is signed by itself.
        case selfSigned
        /// No trusted authority has issued it.
        case unknownAuthority
        /// Its issuer may not issue certificates for this name (RFC 5280 §4.2.1.10).
        case nameConstraint
        case revoked
        /// It has another purpose, or its issuer is not an authority.
        case wrongPurpose
        /// Its key or signature can be forged.
        case weak
        /// Another fault, as OpenSSL describes it.
        case other(String)
    }

    public var kind: Kind
    /// 0: the peer's own certificate; otherwise the authority this many steps above it.
    public var depth: Int
    /// The common name of the certificate's subject, in printable ASCII.
    public var subject: String
    /// The common name of its issuer.
    public var issuer: String
    /// The first few names and addresses for which it is valid.
    public var names: [String]
    /// When it becomes valid or expires, if that is the fault: `2026-11-21`; otherwise empty.
    public var date: String

    public init(
        _ kind: Kind,
        depth: Int = 0,
        subject: String = "",
        issuer: String = "",
        names: [String] = [],
        date: String = ""
    ) {
        self.kind = kind
        self.depth = depth
        self.subject = subject
        self.issuer = issuer
        self.names = names
        self.date = date
    }

    /// A sentence that says what is wrong, and how to mend it.
    public var sentence: String {
        switch kind {
        case .wrongName:
            names.isEmpty
                ? "its certificate names no host; it cannot be the one of this host"
                : "its certificate is for \(names.joined(separator: ", ")), not for this host"
        case .expired: "\(whose) expired\(date.isEmpty ? "" : " on \(date)")"
        case .notYetValid: "\(whose) is not valid before \(date.isEmpty ? "a later time" : date); is our clock right?"
        case .selfSigned:
            "its certificate is signed by itself and not trusted here; if it is genuine, add it to `tls.ca-files`"
        case .unknownAuthority:
            "\(whose) was issued by \(issuer.isEmpty ? "an authority" : "“\(issuer)”") that is not trusted here; if it is "
                + "genuine, add that authority to `tls.ca-files` (or have the server send the certificates in between)"
        case .nameConstraint:
            "its certificate was issued by an authority that may not vouch for this name (name constraints)"
        case .revoked: "\(whose) is revoked"
        case .wrongPurpose: "\(whose) is not meant for this purpose"
        case .weak: "\(whose) has a key or a signature that is too weak"
        case .other(let words): "\(whose) is not accepted: \(words)"
        }
    }

    private var whose: String {
        depth == 0 ? "its certificate" : "the certificate of its authority\(subject.isEmpty ? "" : " “\(subject)”")"
    }
}
