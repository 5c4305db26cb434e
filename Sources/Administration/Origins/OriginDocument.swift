import Exchanges
import Formats
import HTTPCore
import ResourceCore

/// `/v1/origins`: connections and circuit breakers, by origin.
struct OriginDocument {
    private let origins: [OriginConnections]
    /// One origin may occur several times, for different TLS settings.
    private let outages: [String: [OriginOutage]]

    /// - Parameter origins: those with connections; origins that are down come behind them.
    init(_ origins: [OriginConnections], _ environment: CoreEnvironment) {
        let down = environment.origins?.outages(at: environment.timekeeper.now) ?? []
        outages = Dictionary(grouping: down, by: \.origin)
        let known = Set(origins.map(\.origin))
        let others = outages.keys.filter { !known.contains($0) }.sorted()
        self.origins =
            origins + others.map { OriginConnections(origin: $0, connections: 0, idle: 0, waiting: 0) }
    }

    func write(to writer: inout JSONWriter) {
        writer.memberArray("origins") { writer in
            for origin in origins { writer.object { write(origin, to: &$0) } }
        }
    }

    private func write(_ origin: OriginConnections, to writer: inout JSONWriter) {
        let outages = outages[origin.origin] ?? []
        writer.member("origin", origin.origin)
        writer.member("connections", origin.connections)
        writer.member("idleConnections", origin.idle)
        writer.member("waiting", origin.waiting)
        writer.member("isDown", !outages.isEmpty)
        writer.memberArray("outages") { writer in
            for outage in outages { writer.object { ModeDocument.write(outage, to: &$0) } }
        }
    }
}
