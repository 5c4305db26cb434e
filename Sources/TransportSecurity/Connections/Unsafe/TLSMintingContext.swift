import COpenSSL
public import HTTPCore

/// The configuration of intercepted TLS connections: each presents a certificate of our own authority for its host.
///
/// One context serves all hosts, and each connection gets its certificate from the mint. A context for each host would
/// take about 14 KiB. Sessions are resumed only for the same host.
public final class TLSMintingContext: ServerProtocols, Sendable {
    public let mint: CertificateMint
    private let context: TLSContext
    /// Only HTTP/1.1.
    let protocols = encodedProtocols(["http/1.1"])

    public init(_ mint: CertificateMint) throws(TLSConfigurationError) {
        self.mint = mint
        context = try TLSContext(isServer: true)
        unsafe respite_ssl_ctx_set_session_cache_mode(context.raw, Int(SSL_SESS_CACHE_OFF))
        unsafe SSL_CTX_set_alpn_select_cb(context.raw, selectProtocol, nil)
    }

    /// Makes a connection for a client that wants `host`; nil if OpenSSL has no memory or no randomness.
    ///
    /// If there is no certificate it signs one: about 0.6 ms of CPU, once per host and half week.
    public func accept(as host: ServerName, at now: HTTPDate) -> TLSEngine? {
        guard let certificate = mint.certificate(for: host, at: now), let ssl = unsafe SSL_new(context.raw) else {
            return nil
        }
        guard let engine = unsafe TLSEngine(ssl, isServer: true, context: self, sessionKey: []) else { return nil }
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard unsafe SSL_use_certificate(ssl, certificate.raw) == 1, unsafe SSL_use_PrivateKey(ssl, mint.key.raw) == 1
        else { return nil }
        for link in mint.authority.chain { unsafe respite_ssl_add_chain_certificate(ssl, link.raw) }
        // A session for one host is not valid for another.
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let name = (host.isAddress ? [1] : [0]) + host.bytes
        unsafe EVP_Digest(name, name.count, &digest, &count, EVP_sha256(), nil)
        guard unsafe SSL_set_session_id_context(ssl, digest, count) == 1 else { return nil }
        return engine
    }
}
