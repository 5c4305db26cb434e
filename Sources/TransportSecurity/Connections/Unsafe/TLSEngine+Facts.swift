import COpenSSL

extension TLSEngine {
    /// What was agreed; a resumed session has the certificate of the first one.
    public var facts: TLSFacts {
        var facts = TLSFacts(version: version, cipher: cipher)
        guard let raw = unsafe SSL_get1_peer_certificate(ssl) else { return facts }
        let certificate = unsafe Certificate(owning: raw)
        facts.subject = certificate.subjectName
        facts.issuer = certificate.issuerName
        facts.ends = certificate.ends
        return facts
    }

    private var cipher: String {
        guard let cipher = unsafe SSL_get_current_cipher(ssl), let name = unsafe SSL_CIPHER_get_name(cipher) else {
            return ""
        }
        return unsafe String(cString: name)
    }
}
