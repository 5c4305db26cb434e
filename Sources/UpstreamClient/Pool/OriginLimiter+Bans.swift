import Eventing
public import HTTPCore
import Locking

extension OriginLimiter {
    /// Connections to all origins, over all loops.
    public struct Statistics: Sendable {
        /// Those that are open or being made.
        public var connections = 0
        /// Those kept without an exchange, until `upstream.keep-alive-timeout` ends them.
        public var idle = 0
        /// Exchanges that wait for one.
        public var waiting = 0
        /// Origins whose connections are not used again.
        public var bans: [ReuseBan] = []
    }

    /// What there is to be told now.
    public func statistics(at now: MonotonicTime) -> Statistics {
        state.withLock { state in
            var statistics = Statistics()
            for places in state.origins.values {
                statistics.connections += places.shared.taken
                statistics.idle += places.shared.idle.reduce(0) { $0 + $1.count }
                statistics.waiting += places.shared.waiters.count
            }
            statistics.bans = state.bans.current(at: now)
            return statistics
        }
    }

    /// Has connections to `origin` carry one exchange each from now on, for a while (H-104).
    func banReuse(of origin: PoolKey, at now: MonotonicTime) {
        guard state.withLock({ $0.bans.add(origin, at: now) }) else { return }
        report(ReuseBan(origin: origin.name, remaining: ReuseBans.time))
    }
}
