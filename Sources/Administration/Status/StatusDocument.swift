import Eventing
import Exchanges
import Formats
import HTTPCore
import ResourceCore

/// `/v1/status`: the state of the daemon and its cache.
struct StatusDocument {
    /// The most targets of tunnels that are named.
    private static let targetLimit = 20

    private let source: AdminSource

    init(_ source: AdminSource) { self.source = source }

    func write(to writer: inout JSONWriter) {
        let table = source.service.table
        let uptime = table.environment.timekeeper.now - source.started
        writer.member("version", source.version)
        writer.member("uptimeSeconds", max(0, uptime.components.seconds))
        writer.member("mode", source.service.configuration.mode.rawValue)
        writer.memberArray("serviceModes") { writer in
            for service in source.modes?.services() ?? [] {
                guard let mode = service.mode else { continue }
                writer.object { writer in
                    writer.member("name", service.name)
                    writer.member("mode", mode.rawValue)
                }
            }
        }
        ModeDocument.writeOutages(table.environment, to: &writer)
        writer.member("ready", source.isReady())
        writer.member("loops", source.loops)
        writer.memberArray("listeners") { writer in for one in source.listeners { writer.text(one) } }
        writer.memberArray("forwardListeners") { writer in for one in source.forwardListeners() { writer.text(one) } }
        writer.memberArray("adminListeners") { writer in
            for one in source.adminListeners { writer.text(one.description) }
        }
        // The documented schema of the API has this name for the warnings.
        writer.memberArray("remarks") { writer in for one in source.warnings() { writer.text(one) } }
        writer.memberArray("rules") { writer in for one in source.presets() { writer.text(one) } }
        writer.member("connections", source.connections())
        writer.member("resources", table.count)
        writer.memberObject("upstream") { Self.write(source.upstream(), to: &$0) }
        writer.memberObject("names") { Self.write(source.names(), to: &$0) }
        writer.memberObject("traffic") { Self.write(source.traffic(), to: &$0) }
        writer.memberObject("savings") { Self.write(source.savings(), to: &$0) }
        writer.memberObject("tunnels") { writer in
            TunnelDocument.write(source.tunnels.totals(), to: &writer)
            writer.memberArray("passed") { writer in
                for (target, count) in source.tunnels.passed(Self.targetLimit) {
                    writer.object { writer in
                        writer.member("target", target)
                        writer.member("tunnels", count)
                    }
                }
            }
        }
        if let interception = source.interception() {
            writer.memberObject("interception") { Self.write(interception, to: &$0) }
        }
        writer.memberObject("memory") { Self.write(source.memory(), to: &$0) }
        writer.memberArray("budgets") { writer in
            for budget in source.budgets() { writer.object { budget.write(to: &$0) } }
        }
        if let shared = source.shared() { writer.memberObject("shared") { shared.write(to: &$0) } }
        writer.name("store")
        if let store = source.store() { writer.object { Self.write(store, to: &$0) } } else { writer.null() }
    }

    private static func write(_ traffic: TrafficStatistics, to writer: inout JSONWriter) {
        writer.member("requests", traffic.requests)
        writer.member("hits", traffic.hits)
        writer.member("loads", traffic.loads)
        writer.member("passes", traffic.passes)
        writer.member("failures", traffic.failures)
        writer.member("refused", traffic.refused)
        writer.member("tunnels", traffic.tunnels)
        writer.member("bytesFromCache", traffic.cachedBytes)
        writer.member("bytesFromOrigins", traffic.originBytes)
        if let time = traffic.savedTime { writer.member("savedMilliseconds", time.wholeNanoseconds / 1_000_000) }
    }

    private static func write(_ savings: SavingsStatistics, to writer: inout JSONWriter) {
        writer.member("requests", savings.requests)
        writer.member("bytes", savings.bytes)
        if let since = savings.since { writer.member("since", bytes: since.bytes) }
    }

    private static func write(_ upstream: OriginConnectionStatistics, to writer: inout JSONWriter) {
        writer.member("connections", upstream.connections)
        writer.member("idleConnections", upstream.idle)
        writer.member("waiting", upstream.waiting)
        writer.memberArray("withoutReuse") { writer in
            for one in upstream.withoutReuse {
                writer.object { writer in
                    writer.member("origin", one.origin)
                    writer.member("secondsLeft", one.seconds)
                }
            }
        }
    }

    private static func write(_ names: NameStatistics, to writer: inout JSONWriter) {
        writer.member("underWay", names.underWay)
        writer.member("refused", names.refused)
        writer.memberArray("servers") { writer in
            for server in names.servers {
                writer.object { writer in
                    writer.member("address", server.address.description)
                    writer.member("questions", server.questions)
                    writer.member("answers", server.answers)
                    writer.member("timeouts", server.timeouts)
                    if let time = server.typicalTime {
                        writer.member("typicalMicroseconds", time.wholeNanoseconds / 1000)
                    }
                    if let complaint = server.complaint { writer.member("complaint", complaint) }
                }
            }
        }
    }

    private static func write(_ interception: InterceptionStatistics, to writer: inout JSONWriter) {
        writer.memberArray("hosts") { writer in for host in interception.hosts { writer.text(host) } }
        writer.memberArray("passThrough") { writer in for host in interception.passThrough { writer.text(host) } }
        writer.member("authority", interception.authority)
        writer.member("fingerprint", interception.fingerprint)
        writer.member("connections", interception.connections)
        writer.member("failures", interception.failures)
        writer.member("minted", interception.minted)
        writer.memberArray("refused") { writer in
            for one in interception.refused {
                writer.object { writer in
                    writer.member("host", one.host)
                    writer.member("client", one.client)
                    writer.member("secondsLeft", one.secondsLeft)
                    writer.member("refusals", one.refusals)
                    writer.member("tunnels", one.tunnels)
                }
            }
        }
    }

    private static func write(_ memory: MemoryUsage, to writer: inout JSONWriter) {
        writer.member("usedBytes", memory.used)
        writer.member("limitBytes", memory.limit)
        writer.member("entries", memory.entries)
        if let resident = memory.resident { writer.member("residentBytes", resident) }
    }

    private static func write(_ store: StoreUsage, to writer: inout JSONWriter) {
        writer.member("state", store.state)
        if let reason = store.reason { writer.member("reason", reason) }
        if let directory = store.directory { writer.member("directory", directory) }
        writer.member("entries", store.entries)
        writer.member("usedBytes", store.used)
        writer.member("limitBytes", store.limit)
        writer.memberObject("compressed") { store.compressed.write(to: &$0) }
        writer.memberObject("shared") { store.shared.write(to: &$0) }
        writer.member("hits", store.hits)
        writer.member("misses", store.misses)
        writer.member("evictions", store.evictions)
        writer.member("damaged", store.damaged)
        writer.member("refused", store.refused)
        writer.member("queued", store.queued)
        writer.member("pendingInvalidations", store.pendingInvalidations)
        writer.member("longestWriteMicroseconds", store.longestWrite)
        writer.member("longestLookUpMicroseconds", store.longestLookUp)
    }
}
