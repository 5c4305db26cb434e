import EntityStorage
import Eventing
import Exchanges
import HTTPServer
import Logins
import Observability
import Platform
import Proxying
import ResourceCore
import Settings
import Stores
import Transformers
import Transforms
import UpstreamClient

/// What all loops share, as long as the daemon runs.
struct SharedServices: Sendable {
    let service: Service
    let hasher: any PartitionHasher
    let resolver: NameResolver
    let limiter: OriginLimiter
    let connectionCounter: ConnectionCounter
    let metrics: ProxyMetrics
    let recentRequests = RecentRequests()
    let policyStatistics: PolicyStatistics
    let origins: CircuitBreakers
    /// The tier that nodes share; nil: there is none.
    let sharing: Sharing?
    let modes: ModeRegistry
    /// Checks passwords on the threads of pipelines.
    let logins: LoginQueue
    /// The threads of pipelines, logins and lists.
    let workers: WorkerPool
    private let memory: S3FIFO
    /// Descriptors kept for the store, the admin API and origins (H-156).
    let descriptorReserve = 32

    init(
        _ plan: ServingPlan,
        _ options: ServingOptions,
        storage: Storage,
        sharingPlan: SharingPlan?,
        loops: Int,
        timekeeper: any Timekeeper,
        registry: MetricsRegistry,
        log: Logger
    ) throws(StartError) {
        let origins = CircuitBreakers(plan.settings.circuitBreakerOptions, report: { log.note($0) })
        self.origins = origins
        let report = BudgetReport(log) { timekeeper.now }
        let workers = try WorkerPool.start(
            count: ProcessContext.processorCount,
            name: "transform",
            queueLimit: 4096
        )
        self.workers = workers
        var limits = LoginQueue.Limits()
        // If there are two threads, one stays free for pipelines and lists.
        limits.running = max(1, min(limits.running, ProcessContext.processorCount - 1))
        let logins = LoginQueue(limits: limits) { workers.submit($0) }
        self.logins = logins
        logins.register(in: registry)
        let sharing = sharingPlan.map {
            Sharing(
                $0,
                base: storage.store,
                directory: storage.directory,
                timekeeper: timekeeper,
                workers: workers,
                registry: registry,
                log: log
            )
        }
        self.sharing = sharing
        let table = ResourceTable(
            environment: CoreEnvironment(
                timekeeper: timekeeper,
                hasher: storage.hasher,
                store: sharing?.store ?? storage.store,
                eviction: storage.memory,
                transformWorkers: TransformPool(pool: workers),
                transformMemory: TransformMemory(limit: plan.settings.limits.transformMemory.bytes) {
                    report.refused("limits.transform-memory")
                },
                contentDecoder: DecodeTransformer(),
                origins: origins
            )
        )
        service = Service(name: "default", configuration: plan.settings.serviceConfiguration, table: table)
        let modes = ModeRegistry(plan.settings)
        self.modes = modes
        service.reconfigure { plan.configure(&$0, modes) }
        hasher = storage.hasher
        memory = storage.memory
        var resolverOptions = plan.settings.resolverOptions
        resolverOptions.limit = options.nameLookUps
        resolver = NameResolver(workers: try WorkerPool.start(count: 4, name: "resolver"), options: resolverOptions)
        let limiter = OriginLimiter(limits: options.upstream, report: { log.note($0) })
        self.limiter = limiter
        connectionCounter = ConnectionCounter(limits: options.server) { report.refused("limits.unfinished-heads") }
        metrics = ProxyMetrics(in: registry, loops: loops)
        let statistics = PolicyStatistics()
        policyStatistics = statistics
        registry.counter("respite_upstream_retries_total", "Requests to origins repeated by `retry`.") {
            statistics.retries
        }
        registry.counter("respite_rate_limit_waits_total", "Requests that waited for their turn by `rate-limit`.") {
            statistics.waits
        }
        registry.counter("respite_rate_limit_refused_total", "Requests refused by `rate-limit`.") {
            statistics.refusals
        }
        registry.counter("respite_token_requests_total", "Requests to token endpoints.") { statistics.tokens }
        registry.counter("respite_origin_refused_total", "Requests not sent because their origin was down.") {
            origins.refusals
        }
        registry.gauge("respite_origins_without_reuse", "Origins that sent more than their responses announce.") {
            limiter.statistics(at: timekeeper.now).bans.count
        }
        registry.gauge("respite_upstream_connections", "Connections to origins.") {
            limiter.statistics(at: timekeeper.now).connections
        }
        registry.gauge("respite_upstream_idle_connections", "Idle connections to origins.") {
            limiter.statistics(at: timekeeper.now).idle
        }
        let resolver = resolver
        registry.gauge("respite_name_lookups", "Look-ups of host names in progress.") { resolver.statistics.underWay }
        registry.counter(
            "respite_name_lookups_refused_total",
            "Look-ups of host names refused because too many were in progress."
        ) { resolver.statistics.refused }
        registry.counter("respite_name_server_questions_total", "Questions sent to name servers.") {
            resolver.statistics.servers.reduce(0) { $0 + $1.questions }
        }
        registry.counter("respite_name_server_timeouts_total", "Questions that name servers did not answer in time.") {
            resolver.statistics.servers.reduce(0) { $0 + $1.timeouts }
        }
        registry.gauge("respite_origins_down", "Origins that are down.") {
            origins.outages(at: timekeeper.now).count
        }
    }

    /// Applies changed settings, except the ones that each loop applies itself.
    func apply(_ plan: ServingPlan, _ options: ServingOptions) {
        modes.adopt(plan.settings)
        service.reconfigure { plan.configure(&$0, modes) }
        memory.limit = plan.settings.memory.limit.bytes
        resolver.apply(plan.settings.resolverOptions)
        service.table.environment.transforms.memory.limit = plan.settings.limits.transformMemory.bytes
        limiter.apply(options.upstream)
        origins.options = plan.settings.circuitBreakerOptions
        connectionCounter.apply(options.server)
    }
}

extension Logger {
    /// Logs that an origin sent bytes after a whole response.
    fileprivate func note(_ ban: ReuseBan) {
        warning(
            "origin sent bytes after a whole response; its connections are not reused",
            ["origin": ban.origin, "seconds": ban.remaining.components.seconds]
        )
    }

    /// Logs that an origin went down or is up again.
    fileprivate func note(_ change: CircuitBreakers.Change) {
        switch change {
        case .down(let outage):
            warning(
                "origin is down",
                ["origin": outage.origin, "failures": outage.failures, "reason": outage.reason]
            )
        case .up(let origin): info("origin is up again", ["origin": origin])
        }
    }
}
