import COpenSSL

/// Owns one `SSL_CTX`.
///
/// `@unchecked Sendable`: it does not change while it is in use, and OpenSSL locks its inner state.
@safe
final class TLSContext: @unchecked Sendable {
    let raw: OpaquePointer

    init(isServer: Bool) throws(TLSConfigurationError) {
        ErrorQueue.clear()
        guard let raw = unsafe SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
            throw TLSConfigurationError(
                subject: .library,
                userMessage: "no TLS context: \(ErrorQueue.takeDescription())"
            )
        }
        unsafe self.raw = raw
        unsafe respite_ssl_ctx_set_min_version(raw, TLS1_2_VERSION)
        unsafe respite_ssl_ctx_set_mode(raw, Int(SSL_MODE_RELEASE_BUFFERS))
        // SSL_OP_NO_COMPRESSION, SSL_OP_NO_RENEGOTIATION: macros that Swift cannot import.
        unsafe SSL_CTX_set_options(raw, respite_ssl_options())
        if isServer { unsafe Self.restrict(raw) }
    }

    /// Restricts TLS 1.2 to ephemeral keys and authenticated ciphers, which every client of the last ten years has.
    ///
    /// TLS 1.3 has no others.
    private static func restrict(_ raw: OpaquePointer) {
        unsafe SSL_CTX_set_cipher_list(raw, "ECDHE+AESGCM:ECDHE+CHACHA20")
        unsafe respite_ssl_ctx_set_groups(raw, "X25519:P-256:P-384")
        unsafe SSL_CTX_set_options(raw, respite_ssl_server_options())
    }

    deinit { unsafe SSL_CTX_free(raw) }

    /// Trusts only the authorities in `store`.
    func trust(_ store: TrustStore) { unsafe SSL_CTX_set1_cert_store(raw, store.raw) }

    /// Presents this certificate to peers.
    func use(_ certificate: TLSClientSettings.Certificate) throws(TLSConfigurationError) {
        ErrorQueue.clear()
        guard unsafe SSL_CTX_use_certificate_chain_file(raw, certificate.certificateFile) == 1 else {
            throw TLSConfigurationError(
                subject: .certificateFile,
                userMessage:
                    "cannot read a certificate from \(certificate.certificateFile): \(ErrorQueue.takeDescription())"
            )
        }
        if let fault = KeyFile.fault(certificate.keyFile) {
            throw TLSConfigurationError(subject: .keyFile, userMessage: fault)
        }
        unsafe SSL_CTX_set_default_passwd_cb(raw, refusePassword)
        guard unsafe SSL_CTX_use_PrivateKey_file(raw, certificate.keyFile, SSL_FILETYPE_PEM) == 1,
            unsafe SSL_CTX_check_private_key(raw) == 1
        else {
            throw TLSConfigurationError(
                subject: .keyFile,
                userMessage:
                    "cannot use the key in \(certificate.keyFile) for that certificate: \(ErrorQueue.takeDescription())"
            )
        }
    }
}

/// The names of protocols as ALPN sends them; names that are too long are skipped.
func encodedProtocols(_ names: [String]) -> [UInt8] {
    names.flatMap { name -> [UInt8] in
        let bytes = Array(name.utf8)
        return (1...255).contains(bytes.count) ? [UInt8(bytes.count)] + bytes : []
    }
}
