public import HTTPCore
import Locking

/// Certificates of our own authority for hosts: made when first asked for, and kept.
///
/// Safe from any thread. All are for one key of this process, which is nowhere but in its memory: a key for each host would
/// cost another and protect nothing, since all lie in the same place.
public final class CertificateMint: Sendable {
    /// What has happened here since the start.
    public struct Statistics: Sendable, Hashable {
        /// Certificates signed.
        public var minted = 0
        /// Certificates that were there already.
        public var reused = 0
    }

    /// How long a certificate is good; another one is made when half of it is over.
    public static let lifetimeSeconds: Int64 = 7 * 86_400

    /// One host's certificate.
    ///
    /// Whoever makes it holds its lock meanwhile, so that all others who want the same wait for it.
    private final class Place: Sendable {
        struct Content {
            var certificate: Certificate?
            /// When another one is due.
            var renewal = HTTPDate(seconds: .min)
        }

        let content = Lock(Content())
    }

    private struct State {
        var places: [ServerName: (place: Place, order: UInt64)] = [:]
        var count: UInt64 = 0
        var statistics = Statistics()
    }

    public let authority: CertificateAuthority
    let key: PrivateKey
    private let limit: Int
    private let state = Lock(State())

    /// - Parameter limit: as many hosts have a certificate at hand; those asked for last.
    public init(_ authority: CertificateAuthority, limit: Int = 4096) throws(AuthorityError) {
        guard let key = PrivateKey.makeP256() else { throw .notMade }
        self.authority = authority
        self.limit = limit
        self.key = key
    }

    public var statistics: Statistics { state.withLock { $0.statistics } }

    /// Whether our own certificate is still good, so that clients can accept those signed by it.
    public func isOpen(at now: HTTPDate) -> Bool { now <= authority.certificate.ends }

    /// The certificate for `host` at `now`; nil if the authority's has ended or is not for this host, or OpenSSL makes none.
    func certificate(for host: ServerName, at now: HTTPDate) -> Certificate? {
        guard isOpen(at: now), authority.certificate.permits(host) else { return nil }
        let place = place(for: host)
        let (certificate, isNew) = place.content.withLock { content in
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

    private func place(for host: ServerName) -> Place {
        state.withLock { state in
            state.count += 1
            if let known = state.places[host]?.place {
                state.places[host]?.order = state.count
                return known
            }
            if state.places.count >= limit {
                // A quarter at once, so that sorting is paid seldom.
                for (old, _) in state.places.sorted(by: { $0.value.order < $1.value.order }).prefix(limit / 4) {
                    state.places[old] = nil
                }
            }
            let place = Place()
            state.places[host] = (place, state.count)
            return place
        }
    }
}
