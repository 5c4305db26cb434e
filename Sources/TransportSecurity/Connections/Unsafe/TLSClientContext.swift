import COpenSSL
import Locking

/// The configuration of TLS connections to servers: trusted authorities, and our certificate.
///
/// Its initializer reads the files that the settings name. Sessions are resumed only between connections of the same
/// context.
public final class TLSClientContext: Sendable {
    public let settings: TLSClientSettings
    /// Unique among the contexts of this process.
    public let number: UInt64
    /// Identifies the content of its files.
    ///
    /// A context with the same settings and fingerprint is equivalent.
    public let fingerprint: [UInt8]
    /// Identifies our certificate; empty if there is none.
    public let certificateFingerprint: [UInt8]
    private let context: TLSContext
    private let trust: TrustStore
    let sessions = SessionStore()

    private static let count = Lock<UInt64>(0)

    public init(_ settings: TLSClientSettings) throws(TLSConfigurationError) {
        self.settings = settings
        number = Self.count.withLock { count in
            count += 1
            return count
        }
        // Before the files are read for use: a later look then notices a change in between.
        let certificate = settings.certificate
        certificateFingerprint = certificate.map { FileDigest.digest(of: $0.certificateFile) } ?? []
        let trusted =
            FileDigest.digest(of: settings.authorityFiles)
            + (settings.trustsSystem ? FileDigest.systemAuthorities : [])
        fingerprint = trusted + (certificate.map { FileDigest.digest(of: [$0.certificateFile, $0.keyFile]) } ?? [])
        trust = try TrustStore.shared(
            files: settings.authorityFiles,
            system: settings.trustsSystem,
            fingerprint: trusted
        )
        context = try TLSContext(isServer: false)
        context.trust(trust)
        if let certificate = settings.certificate { try context.use(certificate) }
        let mode = settings.verifies ? SSL_VERIFY_PEER : SSL_VERIFY_NONE
        let protocols = encodedProtocols(settings.protocols)
        unsafe SSL_CTX_set_verify(context.raw, mode, settings.verifies ? verifyClientSide : nil)
        unsafe SSL_CTX_set_alpn_protos(context.raw, protocols, UInt32(protocols.count))
        let cacheMode = Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL)
        unsafe respite_ssl_ctx_set_session_cache_mode(context.raw, cacheMode)
        unsafe SSL_CTX_sess_set_new_cb(context.raw, sessionDidCome)
    }

    /// Reads the system's authorities, which takes a while, so that the first connection need not.
    ///
    /// Safe from any thread.
    public func prepare() { trust.prepare() }

    /// Whether connections of `other` may be used instead of those of this one.
    public func isEquivalent(to other: TLSClientContext) -> Bool {
        settings == other.settings && fingerprint == other.fingerprint
    }

    /// Makes a connection to `host`, a name or an address literal (IPv6 with or without brackets), at `port`.
    ///
    /// Returns nil if OpenSSL has no memory, or does not accept the name.
    public func connect(to host: [UInt8], port: UInt16) -> TLSEngine? {
        if settings.verifies || settings.certificate != nil { trust.prepare() }
        guard let ssl = unsafe SSL_new(context.raw) else { return nil }
        let name = Self.bare(host)
        let key = name + [0x3A, UInt8(port >> 8), UInt8(port & 0xFF)]
        guard let engine = unsafe TLSEngine(ssl, isServer: false, context: self, sessionKey: key) else { return nil }
        guard engine.aim(at: name, verifies: settings.verifies) else { return nil }
        if let session = sessions.take(key) { engine.resume(session) }
        return engine
    }

    /// The host without brackets and final dot.
    private static func bare(_ host: [UInt8]) -> [UInt8] {
        var bytes = host[...]
        if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") {
            bytes = bytes.dropFirst().dropLast()
        } else if bytes.last == UInt8(ascii: ".") {
            bytes = bytes.dropLast()
        }
        return Array(bytes)
    }
}

/// Called when OpenSSL has a session that can be resumed later; returns 1 if we take ownership.
private func sessionDidCome(ssl: OpaquePointer?, session: OpaquePointer?) -> Int32 {
    guard let ssl = unsafe ssl, let session = unsafe session else { return 0 }
    guard let engine = unsafe TLSEngine.of(ssl) else { return 0 }
    unsafe engine.keep(session)
    return 1
}
