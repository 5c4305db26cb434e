import COpenSSL

/// The configuration of TLS connections from clients.
public final class TLSServerContext: ServerProtocols, Sendable {
    public let settings: TLSServerSettings
    private let context: TLSContext
    /// The protocols as ALPN sends them.
    let protocols: [UInt8]

    /// Reads the files that the settings name.
    public init(_ settings: TLSServerSettings) throws(TLSConfigurationError) {
        self.settings = settings
        protocols = encodedProtocols(settings.protocols)
        context = try TLSContext(isServer: true)
        try context.use(settings.certificate)
        let files = settings.clientAuthorityFiles
        if !files.isEmpty {
            context.trust(try TrustStore.shared(files: files, system: false, fingerprint: FileDigest.digest(of: files)))
            unsafe SSL_CTX_set_verify(context.raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        }
        // Sessions of one context must not be resumed in another (SSL_CTX_set_session_id_context).
        unsafe SSL_CTX_set_session_id_context(context.raw, Array("respite".utf8), 7)
        unsafe respite_ssl_ctx_set_session_cache_mode(context.raw, Int(SSL_SESS_CACHE_OFF))
        unsafe SSL_CTX_set_alpn_select_cb(context.raw, selectProtocol, nil)
    }

    /// When its certificate expires: the day, and the days until then, negative afterwards; nil if unknown.
    public var end: (date: String, daysLeft: Int)? {
        guard let certificate = unsafe SSL_CTX_get0_certificate(context.raw),
            let time = unsafe X509_get0_notAfter(certificate)
        else { return nil }
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard unsafe ASN1_TIME_diff(&days, &seconds, nil, time) == 1 else { return nil }
        return unsafe (CertificateFault.date(time), seconds < 0 && days == 0 ? -1 : Int(days))
    }

    /// Makes a connection for a client; nil if OpenSSL has no memory.
    public func accept() -> TLSEngine? {
        guard let ssl = unsafe SSL_new(context.raw) else { return nil }
        return unsafe TLSEngine(ssl, isServer: true, context: self, sessionKey: [])
    }
}

/// A server's context, with the protocols it accepts.
protocol ServerProtocols: AnyObject {
    /// The protocols accepted by ALPN, as it sends them, the preferred one first.
    var protocols: [UInt8] { get }
}

/// Chooses among the protocols that a client offers.
///
/// Without a common one the connection continues without ALPN. RFC 7301 §3.2 lets us refuse it, but then no response
/// could give the reason.
func selectProtocol(
    ssl: OpaquePointer?,
    chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    chosenCount: UnsafeMutablePointer<UInt8>?,
    offered: UnsafePointer<UInt8>?,
    offeredCount: UInt32,
    _: UnsafeMutableRawPointer?
) -> Int32 {
    guard let ssl = unsafe ssl, let chosen = unsafe chosen, let chosenCount = unsafe chosenCount,
        let context = unsafe TLSEngine.of(ssl)?.context as? any ServerProtocols
    else { return SSL_TLSEXT_ERR_NOACK }
    let protocols = context.protocols
    return unsafe protocols.withUnsafeBufferPointer { ours in
        var name: UnsafeMutablePointer<UInt8>?
        let result = unsafe SSL_select_next_proto(
            &name,
            chosenCount,
            ours.baseAddress,
            UInt32(ours.count),
            offered,
            offeredCount
        )
        // The chosen name may be in our list, which the context keeps; OpenSSL copies it at once.
        guard result == OPENSSL_NPN_NEGOTIATED, let name = unsafe name else { return SSL_TLSEXT_ERR_NOACK }
        unsafe chosen.pointee = UnsafePointer(name)
        return SSL_TLSEXT_ERR_OK
    }
}
