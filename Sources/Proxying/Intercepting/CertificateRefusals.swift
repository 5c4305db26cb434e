import Eventing
public import HTTPCore
import Locking

/// Remembers which clients refuse our certificates for a host: they accept only one of their own, or do not trust our
/// CA.
///
/// A client that has refused twice within ten minutes, without accepting any in between, gets blind tunnels to that
/// host. A client that sees a certificate and closes without an alert may have other reasons: that counts half. Safe
/// from any thread.
public final class CertificateRefusals: Sendable {
    /// A host to which a client gets blind tunnels although no setting asks for them.
    public struct PassThrough: Sendable, Hashable {
        /// `host:port`.
        public var host: String
        /// The client's address; nil: clients of a Unix socket.
        public var client: IPAddress?
        /// How long it still gets blind tunnels.
        public var left: Duration
        /// Connections that the client refused, and tunnels since.
        public var refusals: Int
        public var tunnels: Int
    }

    /// How a client refuses.
    enum Refusal {
        /// By an alert about the certificate.
        case alert
        /// By ending the connection without an alert.
        case silence

        fileprivate var weight: Int { self == .alert ? 2 : 1 }
    }

    private struct Key: Hashable {
        var host: String
        var client: IPAddress?
    }

    private struct Record {
        /// The last few refusals, with their weights.
        var refusals: [(time: MonotonicTime, weight: Int)] = []
        var count = 0
        var tunnels = 0
        /// When the client's blind tunnels end; nil without any.
        var end: MonotonicTime?
        var order: UInt64 = 0
    }

    private struct State {
        var records: [Key: Record] = [:]
        var count: UInt64 = 0
    }

    static let window = Duration.seconds(600)
    /// The weight of two alerts.
    static let needed = 4
    /// How many pairs of host and client are remembered.
    static let limit = 4096

    private let state = Lock(State())
    private let report: @Sendable (PassThrough) -> Void

    /// - Parameter report: called on any thread when a client begins to get blind tunnels to a host.
    public init(report: @escaping @Sendable (PassThrough) -> Void = { _ in }) { self.report = report }

    /// A client has refused a certificate of ours for this host.
    ///
    /// - Parameter time: how long the client then gets blind tunnels; nil: never.
    func noteRefusal(
        _ refusal: Refusal = .alert,
        of host: String,
        by client: SocketAddress,
        at now: MonotonicTime,
        time: Duration?
    ) {
        let key = Key(host: host, client: client.ipAddress?.unmapped)
        let begun = state.withLock { state -> PassThrough? in
            state.count += 1
            var record = state.records[key] ?? Record()
            record.order = state.count
            record.count += 1
            record.refusals = record.refusals.filter { now - $0.time <= Self.window }.suffix(Self.needed - 1)
            record.refusals.append((now, refusal.weight))
            defer {
                state.records[key] = record
                Self.bound(&state)
            }
            let weight = record.refusals.reduce(0) { $0 + $1.weight }
            guard let time, weight >= Self.needed else { return nil }
            record.refusals = []
            record.end = now + time
            record.tunnels = 0
            return PassThrough(host: host, client: key.client, left: time, refusals: record.count, tunnels: 0)
        }
        if let begun { report(begun) }
    }

    /// A client has accepted a certificate of ours for this host.
    func noteAcceptance(of host: String, by client: SocketAddress) {
        let key = Key(host: host, client: client.ipAddress?.unmapped)
        state.withLock { if $0.records[key]?.end == nil { $0.records[key] = nil } }
    }

    /// Whether this client gets a blind tunnel to the host; counts the tunnel if so.
    func passesThrough(_ host: String, for client: SocketAddress, at now: MonotonicTime) -> Bool {
        let key = Key(host: host, client: client.ipAddress?.unmapped)
        return state.withLock { state in
            guard let end = state.records[key]?.end else { return false }
            guard now < end else {
                state.records[key] = nil
                return false
            }
            state.records[key]?.tunnels += 1
            return true
        }
    }

    /// All pairs in force at `now`, by host.
    public func all(at now: MonotonicTime) -> [PassThrough] {
        state.withLock { state in
            state.records.compactMap { key, record in
                guard let end = record.end, now < end else { return nil }
                return PassThrough(
                    host: key.host,
                    client: key.client,
                    left: end - now,
                    refusals: record.count,
                    tunnels: record.tunnels
                )
            }
        }
        .sorted { ($0.host, $0.client?.description ?? "") < ($1.host, $1.client?.description ?? "") }
    }

    private static func bound(_ state: inout State) {
        guard state.records.count > limit else { return }
        // Removes a quarter at once, so that sorting is seldom needed.
        for (old, _) in state.records.sorted(by: { $0.value.order < $1.value.order }).prefix(limit / 4) {
            state.records[old] = nil
        }
    }
}
