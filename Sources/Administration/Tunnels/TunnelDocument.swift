import Formats
import HTTPCore

/// `/v1/tunnels`: the open tunnels.
struct TunnelDocument {
    private let tunnels: [TunnelStatistics]
    private let totals: TunnelTotals
    private let now: MonotonicTime

    init(_ source: TunnelSource, limit: Int, at now: MonotonicTime) {
        tunnels = source.open(limit)
        totals = source.totals()
        self.now = now
    }

    func write(to writer: inout JSONWriter) {
        writer.memberArray("tunnels") { writer in
            for tunnel in tunnels { writer.object { write(tunnel, to: &$0) } }
        }
        writer.memberObject("totals") { Self.write(totals, to: &$0) }
    }

    private func write(_ tunnel: TunnelStatistics, to writer: inout JSONWriter) {
        writer.member("id", tunnel.id)
        writer.member("client", tunnel.client)
        writer.member("target", tunnel.target)
        writer.member("route", tunnel.route)
        writer.member("state", tunnel.state)
        writer.member("bytesUp", tunnel.bytesUp)
        writer.member("bytesDown", tunnel.bytesDown)
        writer.member("ageSeconds", now.wholeSeconds(since: tunnel.began))
        writer.member("idleSeconds", now.wholeSeconds(since: tunnel.lastActivity))
    }

    static func write(_ totals: TunnelTotals, to writer: inout JSONWriter) {
        writer.member("open", totals.open)
        writer.member("opened", totals.opened)
        writer.member("bytesUp", totals.bytesUp)
        writer.member("bytesDown", totals.bytesDown)
    }
}
