public import HTTPCore
import Locking

/// Makes certificates of our own authority for hosts when they are first needed, and keeps them.
///
/// Safe from any thread. All certificates share one key, which exists only in this process's memory. A key for each
/// host would cost more and protect nothing, since all would be in the same memory.
public final class CertificateMint: Sendable {
    /// Counts since the start.
    public struct Statistics: Sendable, Hashable {
        /// Certificates signed.
        public var minted = 0
        /// Requests that used a certificate made before.
        public var reused = 0
    }

    /// How long a certificate is valid; it is renewed when half of that is over.
    public static let lifetimeSeconds: Int64 = 7 * 86_400

    /// One host's certificate.
    ///
    /// Its lock is held while the certificate is made, so that concurrent requests for the same host wait for it.
    private final class HostCertificate: Sendable {
        struct Content {
            var certificate: Certificate?
            /// When it has to be renewed.
            var renewal = HTTPDate(seconds: .min)
        }

        let content = Lock(Content())
    }

    private struct State {
        var hosts: [ServerName: (certificate: HostCertificate, order: UInt64)] = [:]
        var count: UInt64 = 0
        var statistics = Statistics()
    }

    public let authority: CertificateAuthority
    let key: PrivateKey
    private let limit: Int
    private let state = Lock(State())

    /// - Parameter limit: how many hosts' certificates are kept, the most recently used ones.
    public init(_ authority: CertificateAuthority, limit: Int = 4096) throws(AuthorityError) {
        guard let key = PrivateKey.makeP256() else { throw .notMade }
        self.authority = authority
        self.limit = limit
        self.key = key
    }

    public var statistics: Statistics { state.withLock { $0.statistics } }

    /// Whether our own certificate is still valid, so that clients can accept those signed by it.
    public func isOpen(at now: HTTPDate) -> Bool { now <= authority.certificate.ends }

    /// The certificate for `host` at `now`.
    ///
    /// Nil if the authority's has expired or does not permit this host, or if OpenSSL fails.
    func certificate(for host: ServerName, at now: HTTPDate) -> Certificate? {
        guard isOpen(at: now), authority.certificate.permits(host) else { return nil }
        let (certificate, isNew) = hostCertificate(host).content.withLock { content in
            if let certificate = content.certificate, now < content.renewal,
                now.seconds >= content.renewal.seconds - Self.lifetimeSeconds
            {
                return (Certificate?.some(certificate), false)
            }
            let fresh = authority.issue(for: host, to: key, at: now, lifetime: Self.lifetimeSeconds)
            content.certificate = fresh
            let end = min(now.seconds + Self.lifetimeSeconds, authority.certificate.ends.seconds)
            content.renewal = HTTPDate(seconds: now.seconds + (end - now.seconds) / 2)
            return (fresh, true)
        }
        state.withLock { state in
            if isNew { state.statistics.minted += 1 } else { state.statistics.reused += 1 }
        }
        return certificate
    }

    private func hostCertificate(_ host: ServerName) -> HostCertificate {
        state.withLock { state in
            state.count += 1
            if let known = state.hosts[host]?.certificate {
                state.hosts[host]?.order = state.count
                return known
            }
            if state.hosts.count >= limit {
                // Drop a quarter at once, so that sorting is seldom needed.
                for (old, _) in state.hosts.sorted(by: { $0.value.order < $1.value.order }).prefix(limit / 4) {
                    state.hosts[old] = nil
                }
            }
            let certificate = HostCertificate()
            state.hosts[host] = (certificate, state.count)
            return certificate
        }
    }
}
