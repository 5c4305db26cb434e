import Eventing
import HTTPCore
import HTTPServer
import Observability
import Proxying
import Settings
import TransportSecurity
import UpstreamClient

/// The options of each loop; a reload replaces all of them at once.
struct ServingOptions: Sendable {
    /// The options of all listeners.
    var proxy: ProxyOptions
    /// The options of each listener, in the order of the sockets.
    var listeners: [ProxyOptions]
    var server: ServerLimits
    var upstream: UpstreamLimits
    /// TLS to origins.
    var security: UpstreamSecurity
    /// TLS with clients; nil without a certificate.
    var clientSecurity: TLSServerContext?
    /// Networks whose clients may use the proxy (H-139).
    var clients: [AddressRange]
    /// The most host names that are looked up at the same time.
    var nameLookUps: Int
    /// How many recent requests are kept.
    var recentRequests: Int

    /// Whether a client of this address may connect to a listener; for a Unix socket, its file mode decides.
    ///
    /// If the listener requires a login, every address may connect.
    func admits(_ peer: SocketAddress, to listener: ProxyOptions) -> Bool {
        guard listener.login == nil, let address = peer.ipAddress else { return true }
        return clients.contains { $0.contains(address) }
    }
}

/// Makes the loops' options from settings.
struct ServingOptionsMaker: Sendable {
    let sockets: BoundSockets
    let descriptors: Int
    /// Whether every request goes past the store.
    let bypassesStore: Bool
    let log: Logger
    /// The hosts whose clients refuse our certificates; kept across reloads.
    let refusals: CertificateRefusals
    let accessLogging: AccessLogging
    let telemetry: Telemetry
    private let refusalLog: RefusalLog
    /// A random name, new for each process, which identifies it in `Via`.
    private let instance: [UInt8]

    init(sockets: BoundSockets, descriptors: Int, bypassesStore: Bool = false, log: Logger) {
        self.bypassesStore = bypassesStore
        self.sockets = sockets
        self.descriptors = descriptors
        self.log = log
        accessLogging = AccessLogging(log: log)
        telemetry = Telemetry(log: log)
        refusals = CertificateRefusals { log.note($0) }
        refusalLog = RefusalLog(log)
        var generator = SystemRandomNumberGenerator()
        instance = Array(String(generator.next() as UInt64, radix: 36).utf8)
    }

    /// Makes the options; opens the file of the access log if that has changed.
    func options(for plan: ServingPlan) -> ServingOptions {
        let settings = plan.settings
        var proxy = settings.proxyOptions(sockets, instance: instance)
        proxy.bypassesStore = bypassesStore
        proxy.services = plan.services
        proxy.parents = plan.parents
        proxy.interception = plan.interception(refusals)
        proxy.refusalLog = refusalLog
        proxy.accessLog = accessLogging.options(settings.log)
        proxy.tracing = telemetry.tracing(settings.telemetry)
        return ServingOptions(
            proxy: proxy,
            listeners: settings.proxyOptions(proxy, of: sockets.listeners, logins: plan.logins),
            server: affordable(settings.serverLimits),
            upstream: affordable(settings.upstreamLimits),
            security: plan.security,
            clientSecurity: plan.clientSecurity,
            clients: settings.access.clients,
            nameLookUps: DescriptorBudget(descriptors: descriptors).nameLookUps,
            recentRequests: settings.adminRecentRequests
        )
    }

    private func affordable(_ limits: ServerLimits) -> ServerLimits {
        let affordable = DescriptorBudget(descriptors: descriptors).clientConnections
        guard affordable < limits.maxConnections else { return limits }
        warn("max-connections", affordable)
        var limits = limits
        limits.maxConnections = affordable
        return limits
    }

    private func affordable(_ limits: UpstreamLimits) -> UpstreamLimits {
        let affordable = DescriptorBudget(descriptors: descriptors).connectionsPerOrigin
        guard affordable < limits.connectionsPerOrigin else { return limits }
        warn("connections-per-origin", affordable)
        var limits = limits
        limits.connectionsPerOrigin = affordable
        return limits
    }

    private func warn(_ setting: StaticString, _ affordable: Int) {
        log.warning(
            "fewer connections than configured: not enough descriptors",
            [setting: affordable, "descriptors": descriptors]
        )
    }
}

extension Logger {
    /// Logs that a client refuses our certificates for a host.
    fileprivate func note(_ begun: CertificateRefusals.PassThrough) {
        warning(
            "host not intercepted for a while: a client refuses our certificate",
            [
                "host": begun.host, "client": begun.client?.description ?? "unix",
                "seconds": begun.left.components.seconds,
                "remedy": "make the client trust the CA, or add the host to intercept.pass-through",
            ]
        )
    }
}
