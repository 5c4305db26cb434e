public import Eventing
import Exchanges
public import HTTPCore
public import Observability
public import Platform
public import ResourceCore

/// What the admin API shows and changes.
///
/// Its closures are called on any thread, and do not block. Stored properties: one for each thing that a route shows
/// or changes.
public struct AdminSource: Sendable {
    public var service: Service
    public var metrics: MetricsRegistry
    /// Runs long work, such as a walk over all resources.
    public var workers: WorkerPool
    /// The program's version.
    public var version: String
    /// When the process began to serve, on the resource table's clock.
    public var started: MonotonicTime
    /// Where clients connect, in the form of the settings.
    public var listeners: [String]
    /// The listeners that are a forward proxy.
    public var forwardListeners: @Sendable () -> [String] = { [] }
    /// Where administrators connect.
    public var adminListeners: [SocketAddress]
    public var loops: Int
    /// Whether clients are served; false while draining.
    public var isReady: @Sendable () -> Bool = { true }
    /// Warnings about the settings in force, a sentence each.
    public var warnings: @Sendable () -> [String] = { [] }
    /// The presets in force with their indexes: `pip=https://index.example/simple`.
    public var presets: @Sendable () -> [String] = { [] }
    /// The number of open client connections.
    public var connections: @Sendable () -> Int = { 0 }
    public var traffic: @Sendable () -> TrafficStatistics = { TrafficStatistics() }
    /// What the cache has saved since it was installed.
    public var savings: @Sendable () -> SavingsStatistics = { SavingsStatistics() }
    /// What the daemon did lately.
    public var history = History()
    public var tunnels = TunnelSource()
    public var requests = RequestSource()
    public var upstream: @Sendable () -> OriginConnectionStatistics = { OriginConnectionStatistics() }
    /// The origins with connections, at most this many, those with the most connections first.
    public var origins: @Sendable (_ limit: Int) -> [OriginConnections] = { _ in [] }
    /// The named services in force.
    public var services: @Sendable () -> [ServiceFacts] = { [] }
    /// Statistics of name look-ups.
    public var names: @Sendable () -> NameStatistics = { NameStatistics() }
    /// Returns nil if nothing is intercepted.
    public var interception: @Sendable () -> InterceptionStatistics? = { nil }
    /// A sentence about a CONNECT to the origin of an https URI; nil if there is nothing to say.
    public var tunnelNote: @Sendable (TargetURI) -> String? = { _ in nil }
    public var memory: @Sendable () -> MemoryUsage = { MemoryUsage() }
    /// Resources that all clients share, each limited by a setting.
    public var budgets: @Sendable () -> [BudgetStatistics] = { [] }
    /// Changes a request as the forward route does, including the fields that services add to all requests.
    public var forwarded: @Sendable (inout ClientRequest) -> Void = { _ in }
    /// Nil: the API neither shows nor reloads settings.
    public var configuration: ConfigurationSource?
    public var log = LogSource()
    /// Nil: the API neither shows nor changes modes.
    public var modes: ModeSource?
    /// Returns nil if there is no store.
    public var store: @Sendable () -> StoreUsage? = { nil }
    /// Returns nil if nodes share nothing.
    public var shared: @Sendable () -> SharedUsage? = { nil }
    /// Gives a sentence about what the shared server has for a load, on any thread; nil: nodes share nothing.
    public var sharedNote: (@Sendable (LoadFacts, @escaping @Sendable (String) -> Void) -> Void)?

    public init(
        service: Service,
        metrics: MetricsRegistry,
        workers: WorkerPool,
        version: String,
        listeners: [String] = [],
        adminListeners: [SocketAddress] = [],
        loops: Int = 1
    ) {
        self.service = service
        self.metrics = metrics
        self.workers = workers
        self.version = version
        self.listeners = listeners
        self.adminListeners = adminListeners
        self.loops = loops
        started = service.table.environment.timekeeper.now
    }
}

/// Counts of client requests since the start, by result.
public struct TrafficStatistics: Sendable, Equatable {
    /// Requests that were served without asking the origin server.
    public var hits = 0
    /// Requests that waited for a load or a validation.
    public var loads = 0
    /// Requests that bypassed the cache.
    public var passes = 0
    /// Requests that got an error because the origin server failed, and refused ones.
    public var failures = 0
    public var refused = 0
    /// Opened tunnels, which do not count as requests.
    public var tunnels = 0
    /// Bytes of content sent for hits.
    public var cachedBytes = 0
    /// Bytes of content sent for all other requests.
    public var originBytes = 0
    /// The time that hits would have taken longer as loads; nil without both.
    public var savedTime: Duration?

    public init() {}

    /// Reckons `savedTime`: each hit would have taken as long as a load did on average.
    ///
    /// - Parameters:
    ///   - hitTime: the time that all hits took.
    ///   - loadTime: the time that `loads` loads took.
    public mutating func reckonSavedTime(hits: Int, _ hitTime: Duration, loads: Int, _ loadTime: Duration) {
        savedTime = hits > 0 && loads > 0 ? max(.zero, loadTime / loads * hits - hitTime) : nil
    }

    /// All requests of clients, without tunnels.
    public var requests: Int { hits + loads + passes + failures + refused }
}

/// What the cache has saved, over restarts if there is a store.
public struct SavingsStatistics: Sendable, Equatable {
    /// Requests that were served without asking the origin server, and bytes of content sent for them.
    public var requests: Int64 = 0
    public var bytes: Int64 = 0
    /// Since when they are counted; nil: since this start.
    public var since: HTTPDate?

    public init() {}
}

/// Connections to origins.
public struct OriginConnectionStatistics: Sendable {
    /// Connections open or being made, idle ones among them, and requests that wait for a connection.
    public var connections = 0
    public var idle = 0
    public var waiting = 0
    /// Origins that sent bytes after a whole response, and how long their connections are not reused.
    public var withoutReuse: [(origin: String, seconds: Int64)] = []

    public init() {}
}

/// Memory in use, in bytes.
public struct MemoryUsage: Sendable {
    /// Bytes of stored responses in memory, and their limit.
    public var used = 0
    public var limit = 0
    public var entries = 0
    /// Resident bytes of the whole process; nil if unknown.
    public var resident: Int?

    public init() {}
}

/// The state and size of the store.
public struct StoreUsage: Sendable {
    /// One of `opening`, `ok`, `full`, `locked`, `disabled` and `closed`.
    public var state: String
    /// Why the store does not work normally.
    public var reason: String?
    public var directory: String?
    public var entries: Int64 = 0
    /// Bytes on disk, and their limit.
    public var used: Int64 = 0
    public var limit: Int64 = 0
    public var compressed = CompressedContent()
    public var shared = SharedBodies()
    public var evictions: Int64 = 0
    public var hits: Int64 = 0
    public var misses: Int64 = 0
    public var damaged: Int64 = 0
    public var refused: Int64 = 0
    /// Operations that wait for the writer.
    public var queued = 0
    /// Invalidations that are not on disk yet: many only if the disk refuses writes or the database is locked.
    public var pendingInvalidations = 0
    /// The longest time of one operation of the writer, and of one look-up, in microseconds.
    public var longestWrite = 0
    public var longestLookUp = 0

    public init(state: String, reason: String? = nil) {
        self.state = state
        self.reason = reason
    }
}
