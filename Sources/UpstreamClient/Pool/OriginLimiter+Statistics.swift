import Eventing
public import HTTPCore
import Locking
public import TransportSecurity

extension OriginLimiter {
    /// Connections to all origins, over all loops.
    public struct Statistics: Sendable {
        /// Connections that are open or being made.
        public var connections = 0
        /// Connections without an exchange, which `upstream.keep-alive-timeout` closes.
        public var idle = 0
        /// Exchanges that wait for a connection.
        public var waiting = 0
        /// Origins whose connections are not reused.
        public var bans: [ReuseBan] = []
    }

    /// The current counts.
    public func statistics(at now: MonotonicTime) -> Statistics {
        state.withLock { state in
            var statistics = Statistics()
            for slots in state.origins.values {
                statistics.connections += slots.shared.taken
                statistics.idle += slots.shared.idle.reduce(0) { $0 + $1.count }
                statistics.waiting += slots.shared.waiters.count
            }
            statistics.bans = state.bans.current(at: now)
            return statistics
        }
    }

    /// The connections to one origin, with whatever TLS settings.
    public struct OriginStatistics: Sendable, Equatable {
        /// Scheme, host and port, without the default port.
        public let origin: String
        public var connections = 0
        public var idle = 0
        public var waiting = 0
        /// What TLS of the latest connection has agreed on; nil without TLS.
        public var security: TLSFacts?
    }

    /// The origins with connections or waiters, at most this many, those with the most connections first.
    public func origins(limit: Int) -> [OriginStatistics] {
        let found = state.withLock { state in
            var found: [String: OriginStatistics] = [:]
            for slots in state.origins.values where slots.shared.taken > 0 || !slots.shared.waiters.isEmpty {
                let name = slots.key.origin
                found[name, default: OriginStatistics(origin: name)].add(slots.shared)
            }
            return found
        }
        return Array(found.values.sorted { ($1.connections, $0.origin) < ($0.connections, $1.origin) }.prefix(limit))
    }

    /// Makes connections to an origin carry only one exchange each for a while (H-104).
    func banReuse(of key: PoolKey, at now: MonotonicTime) {
        guard state.withLock({ $0.bans.add(key, at: now) }) else { return }
        report(ReuseBan(origin: key.name, remaining: ReuseBans.time))
    }
}

extension OriginLimiter.OriginStatistics {
    fileprivate mutating func add(_ shared: OriginLimiter.Shared) {
        connections += shared.taken
        idle += shared.idle.reduce(0) { $0 + $1.count }
        waiting += shared.waiters.count
        security = shared.security ?? security
    }
}
