import Eventing
public import HTTPCore
import Locking

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

    /// Makes connections to an origin carry only one exchange each for a while (H-104).
    func banReuse(of key: PoolKey, at now: MonotonicTime) {
        guard state.withLock({ $0.bans.add(key, at: now) }) else { return }
        report(ReuseBan(origin: key.name, remaining: ReuseBans.time))
    }
}
