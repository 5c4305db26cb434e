import COpenSSL

/// Notes the first fault in the server's chain, so that errors can name it; OpenSSL calls it for each certificate.
func verifyClientSide(isGood: Int32, store: OpaquePointer?) -> Int32 {
    guard isGood != 1, let store = unsafe store else { return isGood }
    let index = SSL_get_ex_data_X509_STORE_CTX_idx()
    guard let ssl = unsafe X509_STORE_CTX_get_ex_data(store, index),
        let engine = unsafe TLSEngine.of(OpaquePointer(ssl)), engine.certificateFault == nil
    else { return isGood }
    engine.certificateFault = unsafe CertificateFault(store)
    return isGood
}

extension CertificateFault {
    /// The fault that OpenSSL found in the certificate that it verifies.
    fileprivate init(_ store: OpaquePointer) {
        let code = unsafe X509_STORE_CTX_get_error(store)
        let certificate = unsafe X509_STORE_CTX_get_current_cert(store)
        self.init(Self.kind(code), depth: unsafe Int(X509_STORE_CTX_get_error_depth(store)))
        guard let certificate = unsafe certificate else { return }
        subject = unsafe Self.commonName(X509_get_subject_name(certificate))
        issuer = unsafe Self.commonName(X509_get_issuer_name(certificate))
        switch kind {
        case .wrongName: names = unsafe Self.names(certificate)
        case .expired: date = unsafe Self.date(X509_get0_notAfter(certificate))
        case .notYetValid: date = unsafe Self.date(X509_get0_notBefore(certificate))
        default: break
        }
    }

    private static func kind(_ code: Int32) -> Kind {
        switch code {
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .wrongName
        case X509_V_ERR_CERT_HAS_EXPIRED: .expired
        case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .selfSigned
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
            X509_V_ERR_CERT_UNTRUSTED, X509_V_ERR_CERT_SIGNATURE_FAILURE:
            .unknownAuthority
        case X509_V_ERR_PERMITTED_VIOLATION, X509_V_ERR_EXCLUDED_VIOLATION, X509_V_ERR_SUBTREE_MINMAX,
            X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE, X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX,
            X509_V_ERR_UNSUPPORTED_NAME_SYNTAX:
            .nameConstraint
        case X509_V_ERR_CERT_REVOKED: .revoked
        case X509_V_ERR_INVALID_PURPOSE, X509_V_ERR_INVALID_CA, X509_V_ERR_CERT_REJECTED,
            X509_V_ERR_KEYUSAGE_NO_CERTSIGN:
            .wrongPurpose
        case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK: .weak
        default:
            .other(unsafe X509_verify_cert_error_string(Int(code)).map { unsafe String(cString: $0) } ?? "\(code)")
        }
    }

    private static func commonName(_ name: OpaquePointer?) -> String {
        unsafe name.map { unsafe cleaned(Certificate.commonName($0)) } ?? ""
    }

    /// The first few names and addresses for which the certificate is valid.
    private static func names(_ certificate: OpaquePointer) -> [String] {
        let found = unsafe X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil)
        guard let found = unsafe found else { return [] }
        let list = OpaquePointer(found)
        defer { unsafe GENERAL_NAMES_free(list) }
        var names: [String] = []
        let count = unsafe respite_names_count(list)
        for index in 0..<max(0, count) where names.count < 5 {
            var bytes: UnsafePointer<UInt8>?
            var length: Int32 = 0
            let kind = unsafe respite_name_bytes(list, index, &bytes, &length)
            guard let bytes = unsafe bytes, length > 0 else { continue }
            let text = unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(length)))
            names.append(kind == GEN_IPADD ? address(text) : cleaned(text))
        }
        if count > 5 { names.append("…") }
        return names
    }

    private static func address(_ bytes: [UInt8]) -> String {
        if bytes.count == 4 { return bytes.map { "\($0)" }.joined(separator: ".") }
        let pairs = stride(from: 0, to: bytes.count - 1, by: 2)
        return pairs.map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
    }

    /// The day as `2026-11-22`; empty if it cannot be read.
    static func date(_ time: UnsafePointer<ASN1_TIME>?) -> String { unsafe Certificate.date(time)?.day ?? "" }

    /// The visible ASCII characters of a peer's text, at most 64.
    private static func cleaned(_ bytes: some Sequence<UInt8>) -> String {
        let visible = bytes.prefix(64).map { (0x20...0x7E).contains($0) && $0 != 0x22 ? $0 : UInt8(ascii: "?") }
        return String(decoding: visible, as: UTF8.self)
    }
}
