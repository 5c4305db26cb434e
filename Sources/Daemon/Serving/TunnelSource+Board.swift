import Administration
import Eventing
import Proxying

extension TunnelSource {
    /// What the proxy's board says.
    init(_ board: TunnelBoard) {
        self.init()
        open = { limit in board.open(limit: limit).map { TunnelFigures($0) } }
        totals = {
            let all = board.totals
            var totals = TunnelTotals()
            (totals.open, totals.opened) = (all.open, all.opened)
            (totals.octetsUp, totals.octetsDown) = (all.octetsUp, all.octetsDown)
            return totals
        }
    }
}

extension TunnelFigures {
    init(_ record: TunnelRecord) {
        self.init(
            id: record.id,
            client: record.client.ipAddress == nil ? "unix" : record.client.description,
            target: String(decoding: record.target, as: UTF8.self),
            route: record.route.rawValue,
            state: record.state.name,
            octetsUp: record.octetsUp,
            octetsDown: record.octetsDown,
            began: record.began,
            lastActivity: record.lastActivity
        )
    }
}
