import COpenSSL
import HTTPCore

/// The content of a certificate before it is signed.
struct CertificateDraft {
    /// Nil: no subject; the names are only in the extension.
    var commonName: String?
    var organization: String?
    var begins: HTTPDate
    var ends: HTTPDate
    /// Extensions in OpenSSL's form; they contain no text of a peer.
    var extensions: [(number: Int32, value: String)]
    /// The one name or address for which it is valid.
    var name: ServerName?

    /// Signs the certificate by `issuer`, or by itself.
    ///
    /// Returns nil if OpenSSL refuses something in it, or has no memory.
    func signed(for key: PrivateKey, by issuer: (certificate: Certificate, key: PrivateKey)?) -> Certificate? {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let raw = unsafe X509_new() else { return nil }
        let certificate = unsafe Certificate(owning: raw)
        unsafe X509_set_version(raw, 2)
        let above = issuer?.certificate ?? certificate
        guard setSerialNumber(of: certificate), setValidity(of: certificate), setSubject(of: certificate),
            unsafe X509_set_issuer_name(raw, X509_get_subject_name(above.raw)) == 1,
            unsafe X509_set_pubkey(raw, key.raw) == 1
        else { return nil }
        for (number, value) in extensions {
            guard add(number, value, to: certificate, issuer: above) else { return nil }
        }
        if let name { guard add(name, to: certificate) else { return nil } }
        let signer = issuer?.key ?? key
        return unsafe X509_sign(raw, signer.raw, signer.digest) > 0 ? certificate : nil
    }

    /// Sets 126 random bits in a number of 127: RFC 5280 §4.1.2.2 allows 20 bytes, and requires a positive number.
    private func setSerialNumber(of certificate: Certificate) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard unsafe RAND_bytes(&bytes, 16) == 1 else { return false }
        bytes[0] = bytes[0] & 0x3F | 0x40
        guard let number = unsafe BN_bin2bn(bytes, 16, nil) else { return false }
        defer { unsafe BN_free(number) }
        return unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate.raw)) != nil
    }

    private func setValidity(of certificate: Certificate) -> Bool {
        unsafe ASN1_TIME_set(X509_getm_notBefore(certificate.raw), Int(begins.seconds)) != nil
            && ASN1_TIME_set(X509_getm_notAfter(certificate.raw), Int(ends.seconds)) != nil
    }

    private func setSubject(of certificate: Certificate) -> Bool {
        guard let subject = unsafe X509_get_subject_name(certificate.raw) else { return false }
        for (key, value) in [("O", organization), ("CN", commonName)] {
            guard let value else { continue }
            let bytes = Array(value.utf8)
            let kind = respite_mbstring_utf8()
            guard unsafe X509_NAME_add_entry_by_txt(subject, key, kind, bytes, Int32(bytes.count), -1, 0) == 1 else {
                return false
            }
        }
        return true
    }

    private func add(_ number: Int32, _ value: String, to certificate: Certificate, issuer: Certificate) -> Bool {
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, issuer.raw, certificate.raw, nil, nil, 0)
        guard let made = unsafe X509V3_EXT_nconf_nid(nil, &context, number, value) else { return false }
        defer { unsafe X509_EXTENSION_free(made) }
        return unsafe X509_add_ext(certificate.raw, made, -1) == 1
    }

    /// Adds the name as bytes, so that nothing in it can be read as syntax; critical without a subject
    /// (RFC 5280 §4.2.1.6).
    private func add(_ name: ServerName, to certificate: Certificate) -> Bool {
        guard let names = unsafe GENERAL_NAMES_new() else { return false }
        defer { unsafe GENERAL_NAMES_free(names) }
        guard let entry = unsafe GENERAL_NAME_new() else { return false }
        guard let text = unsafe name.isAddress ? ASN1_OCTET_STRING_new() : ASN1_IA5STRING_new() else {
            unsafe GENERAL_NAME_free(entry)
            return false
        }
        unsafe ASN1_STRING_set(text, name.bytes, Int32(name.bytes.count))
        // From here on the entry owns the text, and the list owns the entry.
        unsafe GENERAL_NAME_set0_value(entry, name.isAddress ? GEN_IPADD : GEN_DNS, text)
        guard unsafe respite_names_push(names, entry) > 0 else {
            unsafe GENERAL_NAME_free(entry)
            return false
        }
        let list = unsafe UnsafeMutableRawPointer(names)
        let isCritical: Int32 = commonName == nil && organization == nil ? 1 : 0
        return unsafe X509_add1_ext_i2d(certificate.raw, NID_subject_alt_name, list, isCritical, 0) == 1
    }
}
