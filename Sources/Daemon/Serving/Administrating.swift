import Transforms
import Administration
import EntityStorage
import Eventing
import Exchanges
import HTTPCore
import HTTPServer
import Observability
import Platform
import Proxying
import ResourceCore
import Settings
import TransportSecurity
import UpstreamClient

/// Serves the admin API: made before the loops start, used on the first loop.
struct Administrating: Sendable {
    private let files: AdminFiles
    /// The listeners that settings name, or that the service manager opened.
    let sockets: [ListeningSocket]
    private let workers: WorkerPool
    private let loops: Int
    private let storageDirectory: String?
    private let history = History()

    /// Reads or makes the token, and opens the Unix socket beside the configured addresses.
    ///
    /// - Parameter hasOwnSocket: whether to open the Unix socket.
    init(
        _ settings: DaemonSettings,
        paths: DaemonPaths,
        sockets bound: [ListeningSocket],
        hasOwnSocket: Bool,
        log: Logger
    ) throws(StartError) {
        loops = settings.loops > 0 ? settings.loops : ProcessContext.processorCount
        storageDirectory = paths.storageDirectory
        workers = try WorkerPool.start(count: 1, name: "admin", queueLimit: 64)
        sockets = bound
        files = AdminFiles(
            paths,
            readTokenFile: settings.adminReadTokenFile,
            hasSocket: hasOwnSocket,
            log: log
        )
    }

    /// The user's Unix socket, if there is one.
    var ownSocket: ListeningSocket? { files.socket }
    /// The addresses of all admin listeners.
    var addresses: [SocketAddress] { (sockets + [ownSocket].compactMap { $0 }).map(\.address) }

    /// Checks that token and socket are in place, and makes missing ones; calls `completion` on a worker thread.
    func restoreFiles(_ completion: @escaping @Sendable (AdminFiles.Change?) -> Void) {
        let isTaken = workers.submit { [files] in completion(files.restore()) }
        if !isTaken { completion(nil) }
    }

    /// Adds a sample of the counters to the history.
    func record(_ shared: SharedServices, _ storage: Storage) {
        var sample = History.Sample()
        sample.time = shared.service.table.environment.timekeeper.now
        sample.traffic = TrafficStatistics(shared.metrics)
        sample.memory = storage.memory.used
        sample.store = storage.store?.statistics().usedBytes ?? 0
        sample.connections = shared.connectionCounter.count
        history.record(sample)
    }

    /// Reads the token for readers anew, as a reload does; blocks.
    func reload(_ settings: DaemonSettings) { files.useReadTokenFile(settings.adminReadTokenFile) }

    /// Warnings about the files of the admin API.
    var warnings: [String] { [files.readTokenFault].compactMap { $0 } }

    /// The responder's options.
    func options(_ settings: DaemonSettings) -> AdminOptions {
        var options = AdminOptions(token: files.token, addresses: addresses, hosts: settings.adminHosts)
        options.readToken = files.readToken
        options.secrets = SecretParameters(settings.log.secretParameters)
        options.recentRequests = settings.adminRecentRequests
        options.contentLimit = settings.limits.jsonSize.bytes
        options.contentDepth = settings.limits.jsonDepth
        return options
    }

    /// Makes the responder of the first loop.
    ///
    /// - Parameter settings: the settings in force.
    func responder(
        _ settings: DaemonSettings,
        on loop: EventLoop,
        shared: SharedServices,
        storage: Storage,
        registry: MetricsRegistry,
        listeners: [String],
        forwardListeners: @escaping @Sendable () -> [String],
        configuration: ConfigurationSource,
        modes: ModeSource,
        interception: InterceptionSource,
        warnings: @escaping @Sendable () -> [String],
        presets: @escaping @Sendable () -> [String],
        services: @escaping @Sendable () -> ServiceInjection,
        log: Logger,
        isReady: @escaping @Sendable () -> Bool
    ) -> AdminResponder {
        var source = AdminSource(
            service: shared.service,
            metrics: registry,
            workers: workers,
            version: Version.text,
            listeners: listeners,
            adminListeners: addresses,
            loops: loops
        )
        source.isReady = isReady
        source.forwardListeners = forwardListeners
        source.warnings = warnings
        source.presets = presets
        source.forwarded = { services().apply(to: &$0, shared.hasher) }
        source.services = { services().routes.map { ServiceFacts($0) } }
        source.configuration = configuration
        source.modes = modes
        source.connections = { shared.connectionCounter.count }
        source.interception = interception.statistics
        source.tunnelNote = { [service = shared.service] uri in
            guard let denial = service.tunnelDenial(host: uri.host, port: uri.port) else {
                return interception.note(uri)
            }
            return "CONNECT to it is refused by \(denial.rule)"
        }
        source.traffic = { TrafficStatistics(shared.metrics) }
        source.savings = { Self.savings(storage, shared.metrics) }
        source.history = history
        source.tunnels = TunnelSource(shared.metrics.tunnels)
        source.requests = requests(shared.recentRequests)
        let timekeeper = shared.service.table.environment.timekeeper
        source.names = { shared.resolver.statistics }
        source.upstream = { OriginConnectionStatistics(shared.limiter.statistics(at: timekeeper.now)) }
        source.origins = { shared.limiter.origins(limit: $0).map(OriginConnections.init) }
        source.log.lines = log.recent
        source.memory = { Self.memory(storage) }
        source.budgets = { shared.budgets(log) }
        shared.registerBudgets(log, in: registry)
        source.store = { [storageDirectory] in Self.store(storage, storageDirectory) }
        if let sharing = shared.sharing {
            source.shared = { sharing.usage }
            source.sharedNote = { sharing.tier.describe($0, $1) }
        }
        register(source, in: registry)
        return AdminResponder(loop: loop, context: loop.handle, source: source, options: options(settings))
    }

    func stop() { workers.stop() }

    /// Lists recent requests on a worker, for a few readers at a time: each has a copy of all rings in memory.
    private func requests(_ recent: RecentRequests) -> RequestSource {
        let readers = ReaderCount(limit: 4)
        return RequestSource { [workers] id, completion in
            guard readers.begin() else { return completion(nil) }
            recent.gather(after: id) { records in
                let isTaken = workers.submit {
                    completion(records())
                    readers.end()
                }
                guard !isTaken else { return }
                readers.end()
                completion(nil)
            }
        }
    }

    // MARK: Statistics

    private static func memory(_ storage: Storage) -> MemoryUsage {
        var statistics = MemoryUsage()
        statistics.used = storage.memory.used
        statistics.limit = storage.memory.limit
        statistics.entries = storage.memory.count
        statistics.resident = ResidentMemory.now?.all
        return statistics
    }

    private static func store(_ storage: Storage, _ directory: String?) -> StoreUsage? {
        guard let statistics = storage.store?.statistics() else {
            guard let refusal = storage.refusal else { return nil }
            var statistics = StoreUsage(state: "disabled", reason: refusal)
            statistics.directory = directory
            return statistics
        }
        var result: StoreUsage
        switch statistics.state {
        case .opening: result = StoreUsage(state: "opening")
        case .ok: result = StoreUsage(state: "ok")
        case .full(let reason): result = StoreUsage(state: "full", reason: reason)
        case .locked(let reason, _): result = StoreUsage(state: "locked", reason: reason)
        case .disabled(let reason): result = StoreUsage(state: "disabled", reason: reason)
        case .closed: result = StoreUsage(state: "closed")
        }
        result.directory = directory
        result.entries = statistics.entries
        result.used = statistics.usedBytes
        result.limit = statistics.limit
        result.compressed = CompressedContent(statistics.space)
        result.shared = SharedBodies(statistics.space)
        result.evictions = statistics.evictions
        result.hits = statistics.hits
        result.misses = statistics.misses
        result.damaged = statistics.damaged
        result.refused = statistics.refused
        result.queued = statistics.queued
        result.pendingInvalidations = statistics.pendingInvalidations
        result.longestWrite = microseconds(statistics.longestWrite)
        result.longestLookUp = microseconds(statistics.longestLookUp)
        return result
    }

    private static func savings(_ storage: Storage, _ metrics: ProxyMetrics) -> SavingsStatistics {
        var result = SavingsStatistics()
        let savings = storage.store?.savings ?? Savings(metrics)
        (result.requests, result.bytes, result.since) = (savings.requests, savings.bytes, savings.since)
        return result
    }

    private static func microseconds(_ time: Duration) -> Int {
        Int(time.components.seconds) * 1_000_000 + Int(time.components.attoseconds / 1_000_000_000_000)
    }

    /// Registers gauges and counters.
    ///
    /// Their closures must not retain the registry.
    private func register(_ source: AdminSource, in registry: MetricsRegistry) {
        let (service, memory, statistics) = (source.service, source.memory, source.store)
        registry.gauge("respite_connections", "Client connections.", read: source.connections)
        registry.gauge("respite_resources", "Resources in memory.") { service.table.count }
        registry.gauge("respite_memory_used_bytes", "Bytes of stored responses in memory.") { memory().used }
        registry.gauge("process_resident_memory_bytes", "Bytes the process has in memory.") {
            memory().resident ?? 0
        }
        let renditions = service.table.environment.renditions
        for (name, help) in [
            ("respite_renditions_made_total", "Renditions of stored responses made by transformers."),
            ("respite_forms_made_total", "The old name of respite_renditions_made_total, for one version."),
        ] { registry.counter(name, help) { renditions.made } }
        for (name, help) in [
            ("respite_renditions_restored_total", "Renditions read from the store instead."),
            ("respite_forms_restored_total", "The old name of respite_renditions_restored_total, for one version."),
        ] { registry.counter(name, help) { renditions.restored } }
        func store(_ name: String, _ help: String, _ read: @escaping @Sendable (StoreUsage) -> Int64) {
            registry.gauge(name, help) { Int(statistics().map(read) ?? 0) }
        }
        store("respite_store_used_bytes", "Bytes the store takes on disk.") { $0.used }
        store("respite_store_limit_bytes", "Bytes the store may take.") { $0.limit }
        store("respite_store_entries", "Stored responses on disk.") { $0.entries }
        let compressed = "stored responses whose content is compressed"
        store("respite_store_compressed_entries", "Number of \(compressed).") { $0.compressed.entries }
        store("respite_store_compressed_content_bytes", "Bytes of content of \(compressed).") { $0.compressed.content }
        store("respite_store_compressed_bytes", "Bytes that it takes compressed.") { $0.compressed.bytes }
        store("respite_store_shared_bodies", "Body files that share the bytes of another one.") { $0.shared.bodies }
        store("respite_store_shared_bytes", "Bytes that these would take alone.") { $0.shared.bytes }
        store("respite_store_queued", "Operations that wait for the store's writer.") { Int64($0.queued) }
        store("respite_store_pending_invalidations", "Invalidations that are not on disk yet.") {
            Int64($0.pendingInvalidations)
        }
        registry.gauge(
            "respite_store_longest_write_seconds",
            "The longest time of one operation of the store's writer."
        ) {
            Duration.microseconds(statistics()?.longestWrite ?? 0)
        }
        registry.gauge("respite_store_longest_look_up_seconds", "The longest time of a look-up in the store.") {
            Duration.microseconds(statistics()?.longestLookUp ?? 0)
        }
        let savings = source.savings
        registry.counter("respite_saved_requests_total", "Requests that origins did not get, since the store was made.")
        {
            Int(savings().requests)
        }
        registry.counter("respite_saved_bytes_total", "Bytes of content sent for them.") { Int(savings().bytes) }
        store("respite_store_healthy", "1 while the store works.") { $0.state == "ok" ? 1 : 0 }
    }
}

extension CompressedContent {
    fileprivate init(_ space: SpaceSavings) {
        self.init(entries: space.compressedEntries, content: space.compressedContent, bytes: space.compressedBytes)
    }
}

extension SharedBodies {
    fileprivate init(_ space: SpaceSavings) { self.init(bodies: space.sharedBodies, bytes: space.sharedBytes) }
}

extension OriginConnections {
    fileprivate init(_ statistics: OriginLimiter.OriginStatistics) {
        self.init(origin: statistics.origin)
        connections = statistics.connections
        idle = statistics.idle
        waiting = statistics.waiting
        guard let facts = statistics.security else { return }
        security = Security(
            version: facts.version,
            cipher: facts.cipher,
            subject: facts.subject,
            issuer: facts.issuer,
            ends: facts.ends
        )
    }
}

extension OriginConnectionStatistics {
    init(_ statistics: OriginLimiter.Statistics) {
        self.init()
        connections = statistics.connections
        idle = statistics.idle
        waiting = statistics.waiting
        withoutReuse = statistics.bans.map { ($0.origin, $0.remaining.components.seconds) }
    }
}

extension Savings {
    /// What was saved since the start.
    init(_ metrics: ProxyMetrics) {
        self.init(requests: Int64(metrics.hits.value), bytes: Int64(metrics.cachedBytes.value))
    }
}

extension TrafficStatistics {
    init(_ metrics: ProxyMetrics) {
        self.init()
        hits = metrics.hits.value
        loads = metrics.misses.value
        passes = metrics.passes.value
        failures = metrics.failures.value
        refused = metrics.refusals.value
        tunnels = metrics.tunnels.totals.opened
        cachedBytes = metrics.cachedBytes.value
        originBytes = metrics.originBytes.value
        let (hit, load) = (metrics.durations(.hit).snapshot, metrics.durations(.miss).snapshot)
        reckonSavedTime(
            hits: hit.total,
            .nanoseconds(hit.nanoseconds),
            loads: load.total,
            .nanoseconds(load.nanoseconds)
        )
    }
}

extension ServiceFacts {
    fileprivate init(_ route: ServiceRoute) {
        self.init(
            name: route.name,
            base: route.base,
            addedFields: route.injected.map { String(decoding: $0.name, as: UTF8.self) },
            hasCredential: route.credential != nil || route.identity != nil,
            isEverywhere: route.injectsEverywhere,
            allowedOrigins: route.allowOrigins.map { String(decoding: $0, as: UTF8.self) }
        )
    }
}
