import Administration
import Eventing
import Proxying

extension TunnelSource {
    /// Reads the proxy's registry of tunnels.
    init(_ registry: TunnelRegistry) {
        self.init()
        open = { limit in registry.open(limit: limit).map { TunnelStatistics($0) } }
        passed = { limit in
            registry.passed(limit: limit).map { (String(decoding: $0.name, as: UTF8.self), $0.count) }
        }
        totals = {
            let all = registry.totals
            var totals = TunnelTotals()
            (totals.open, totals.opened) = (all.open, all.opened)
            (totals.bytesUp, totals.bytesDown) = (all.bytesUp, all.bytesDown)
            return totals
        }
    }
}

extension TunnelStatistics {
    init(_ record: TunnelRecord) {
        self.init(
            id: record.id,
            client: record.client.ipAddress == nil ? "unix" : record.client.description,
            target: String(decoding: record.target, as: UTF8.self),
            route: record.route.rawValue,
            state: record.state.name,
            bytesUp: record.bytesUp,
            bytesDown: record.bytesDown,
            began: record.began,
            lastActivity: record.lastActivity
        )
    }
}
