import COpenSSL
public import HTTPCore

/// Our own authority: a certificate and its key, which signs certificates for hosts.
///
/// Safe from any thread.
public final class CertificateAuthority: Sendable {
    /// The certificate that clients have to trust.
    public let certificate: AuthorityCertificate
    let key: PrivateKey
    /// Certificates between ours and one that clients trust; a server sends them after its own.
    let chain: [Certificate]

    private init(_ certificate: Certificate, _ key: PrivateKey, chain: [Certificate] = []) {
        self.certificate = AuthorityCertificate(certificate)
        self.key = key
        self.chain = chain
    }

    /// Whether `other` has the same certificate and chain.
    public func isSame(as other: CertificateAuthority) -> Bool {
        certificate.fingerprint == other.certificate.fingerprint
            && chain.map(\.fingerprint) == other.chain.map(\.fingerprint)
    }

    /// The last second at which its certificates are valid.
    var ends: HTTPDate { certificate.ends }

    /// Makes an authority on the curve P-256, which may sign certificates of hosts and no other authorities.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 characters.
    ///   - hosts: the hosts it may sign certificates for; empty: every host.
    public static func make(
        name: String,
        days: Int,
        for hosts: [PermittedHost] = [],
        at now: HTTPDate
    ) throws(AuthorityError) -> CertificateAuthority {
        let draft = CertificateDraft(
            commonName: name,
            organization: "Respite",
            // The clocks of containers and virtual machines are sometimes slow.
            begins: HTTPDate(seconds: now.seconds - 86_400),
            ends: HTTPDate(seconds: now.seconds + Int64(days) * 86_400),
            extensions: [
                (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"),
                (NID_key_usage, "critical,keyCertSign,cRLSign"),
                (NID_subject_key_identifier, "hash"),
            ] + (hosts.isEmpty ? [] : [(NID_name_constraints, NameConstraints(hosts).configuration)])
        )
        guard (1...64).contains(name.unicodeScalars.count), let key = PrivateKey.makeP256(),
            let certificate = draft.signed(for: key, by: nil)
        else { throw .notMade }
        return CertificateAuthority(certificate, key)
    }

    /// Reads two texts in PEM form: the certificate, followed by its chain, and the key.
    convenience init(certificate text: [UInt8], key keyText: [UInt8], of files: AuthorityFiles) throws(AuthorityError) {
        let all = Certificate.all(inPEM: text)
        guard let certificate = all.first else { throw .noCertificate(files.certificateFile) }
        guard certificate.isAuthority else { throw .noAuthority(files.certificateFile) }
        guard let key = PrivateKey(pem: keyText) else { throw .noKey(files.keyFile) }
        guard certificate.isFor(key) else {
            throw .otherKey(certificateFile: files.certificateFile, keyFile: files.keyFile)
        }
        // Clients trust a self-signed certificate or not; sending it changes nothing.
        let chain = certificate.isSignedByItself ? [] : all.filter { !$0.isSignedByItself }
        self.init(certificate, key, chain: chain)
    }

    var keyPEM: [UInt8] { key.pem }

    /// Makes a certificate for one host and `key`, valid from an hour ago for `lifetime` seconds, but not beyond our
    /// own's.
    ///
    /// Returns nil if OpenSSL has no memory or no randomness.
    func issue(for host: ServerName, to key: PrivateKey, at now: HTTPDate, lifetime: Int64) -> Certificate? {
        let text = host.description
        let draft = CertificateDraft(
            // Some clients refuse longer common names (RFC 5280, ub-common-name). Under name constraints, some clients
            // read an address here as a name that is not permitted.
            commonName: text.utf8.count <= 64 && !(host.isAddress && certificate.constraints != nil) ? text : nil,
            begins: HTTPDate(seconds: max(now.seconds - 3600, certificate.begins.seconds)),
            ends: HTTPDate(seconds: min(now.seconds + lifetime, ends.seconds)),
            extensions: [
                (NID_basic_constraints, "critical,CA:FALSE"),
                (NID_key_usage, "critical,digitalSignature"),
                (NID_ext_key_usage, "serverAuth"),
            ] + (certificate.certificate.hasKeyIdentifier ? [(NID_authority_key_identifier, "keyid")] : []),
            name: host
        )
        return draft.signed(for: key, by: (certificate.certificate, self.key))
    }
}
