import EntityStorage
import Eventing
import HTTPServer
import Observability
import Proxying
import ResourceCore
import Settings
import Transformers
import UpstreamClient

/// What all loops serve with, from the start to the end.
struct SharedServices: Sendable {
    let service: Service
    let hasher: any PartitionHasher
    let resolver: NameResolver
    let limiter: OriginLimiter
    let census: ConnectionCensus
    let metrics: ProxyMetrics
    let policyFigures: PolicyFigures
    private let memory: S3FIFO
    /// Descriptors kept for the store, administration and origins (H-156).
    let descriptorReserve = 32

    init(
        _ plan: ServingPlan,
        _ options: ServingOptions,
        storage: Storage,
        timekeeper: any Timekeeper,
        registry: MetricsRegistry
    ) throws(EventError) {
        let table = ResourceTable(
            environment: CoreEnvironment(
                timekeeper: timekeeper,
                hasher: storage.hasher,
                store: storage.store,
                eviction: storage.memory,
                transformWorkers: TransformPool(
                    pool: try WorkerPool(count: Application.coreCount, name: "transform", queueLimit: 4096)
                ),
                contentDecoder: DecodeTransformer()
            )
        )
        service = Service(name: "default", configuration: plan.settings.serviceConfiguration, table: table)
        service.reconfigure { plan.configure(&$0) }
        hasher = storage.hasher
        memory = storage.memory
        resolver = NameResolver(
            workers: try WorkerPool(count: 4, name: "resolver"),
            options: plan.settings.resolverOptions
        )
        limiter = OriginLimiter(limits: options.upstream)
        census = ConnectionCensus(limits: options.server)
        metrics = ProxyMetrics(in: registry)
        let figures = PolicyFigures()
        policyFigures = figures
        registry.counter("respite_upstream_retries_total", "Requests to origins made again by `retry`.") {
            figures.retries
        }
        registry.counter("respite_rate_limit_waits_total", "Requests that waited for their turn by `rate-limit`.") {
            figures.waits
        }
        registry.counter("respite_rate_limit_refused_total", "Requests refused by `rate-limit`.") { figures.refusals }
        registry.counter("respite_token_requests_total", "Requests to token endpoints.") { figures.tokens }
    }

    /// Puts other settings in force, all but what the loops hold themselves.
    func apply(_ plan: ServingPlan, _ options: ServingOptions) {
        service.reconfigure { plan.configure(&$0) }
        memory.limit = plan.settings.memory.limit.bytes
        resolver.overrides = plan.settings.hosts
        limiter.apply(options.upstream)
        census.apply(options.server)
    }
}
