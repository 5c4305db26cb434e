/// What is wrong with a peer's certificate, or with one that vouches for it.
public struct CertificateFault: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// It is for other names or addresses.
        case wrongName
        case expired
        case notYetValid
        /// It vouches for itself.
        case selfSigned
        /// No authority that is trusted here vouches for it.
        case unknownAuthority
        /// An authority vouches for a name it may not vouch for (RFC 5280 §4.2.1.10).
        case nameConstraint
        case revoked
        /// It is meant for something else, or its issuer is no authority.
        case wrongPurpose
        /// A key or a signature that can be forged.
        case weak
        /// OpenSSL's words.
        case other(String)
    }

    public var kind: Kind
    /// 0: the peer's own certificate; else that of an authority, so many steps above.
    public var depth: Int
    /// Who the certificate is for: its common name, cleaned.
    public var subject: String
    /// Who issued it.
    public var issuer: String
    /// The names and addresses it is for, the first few.
    public var names: [String]
    /// When it becomes valid, or ceases to be: what the fault is about; `2026-11-21` or empty.
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

    /// What is wrong, and what to do.
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
