import Administration
import Exchanges
import HTTPCore
import Locking
import Observability
import Proxying
import ResourceCore
import TransportSecurity

/// Gives the admin API the state of interception; called on any thread.
struct InterceptionSource: Sendable {
    var statistics: @Sendable () -> InterceptionStatistics?
    var note: @Sendable (TargetURI) -> String?
}

extension Application {
    var interceptionSource: InterceptionSource {
        InterceptionSource(
            statistics: { [self] in
                let options = serving.withLock { $0.options }
                guard let interception = options.proxy.interception else { return nil }
                let now = shared.service.table.environment.timekeeper.now
                return InterceptionStatistics(interception, shared.metrics, at: now)
            },
            note: { [self] uri in
                let options = serving.withLock { $0.options }
                let advice = TunnelAdvice(uri, passed: shared.metrics.tunnels, listeners: forwardNames)?.sentence
                guard let interception = options.proxy.interception else { return advice }
                let isOpen = options.proxy.mayTunnel(to: uri.port)
                let timekeeper = shared.service.table.environment.timekeeper
                let note = interception.note(uri, isOpen: isOpen, at: timekeeper.now, wall: timekeeper.wallNow)
                return advice.map { "\(note); \($0)" } ?? note
            }
        )
    }
}

extension InterceptionStatistics {
    fileprivate init(_ interception: Interception, _ metrics: ProxyMetrics, at now: MonotonicTime) {
        self.init()
        hosts = interception.hosts.map(\.text)
        passThrough = interception.passThrough.map(\.text)
        authority = interception.context.mint.authority.certificate.name
        fingerprint = interception.context.mint.authority.certificate.fingerprintText
        connections = metrics.interceptions.value
        failures = metrics.failedInterceptions.value
        minted = interception.context.mint.statistics.minted
        refused = interception.refusals.all(at: now).map { one in
            PassThrough(
                host: one.host,
                client: one.client?.description ?? "unix",
                secondsLeft: one.left.components.seconds,
                refusals: one.refusals,
                tunnels: one.tunnels
            )
        }
    }
}
