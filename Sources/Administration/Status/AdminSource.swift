public import Eventing
import Exchanges
public import HTTPCore
public import Observability
public import Platform
public import ResourceCore

/// What administration shows and changes; closures are called on any thread and do not block.
public struct AdminSource: Sendable {
    public var service: Service
    public var metrics: MetricsRegistry
    /// Runs what takes long, such as going through all resources.
    public var workers: WorkerPool
    /// The program's version.
    public var version: String
    /// When the process began to serve, by the table's clock.
    public var started: MonotonicTime
    /// Where clients connect, as the settings write it.
    public var listeners: [String]
    /// Those of them that are a forward proxy.
    public var forwardListeners: @Sendable () -> [String] = { [] }
    /// Where administrators do.
    public var adminListeners: [SocketAddress]
    public var loops: Int
    /// Whether clients are served; false while draining.
    public var isReady: @Sendable () -> Bool = { true }
    /// What a person should know about the settings in force, a sentence each.
    public var remarks: @Sendable () -> [String] = { [] }
    /// Connections of clients open now.
    public var connections: @Sendable () -> Int = { 0 }
    public var traffic: @Sendable () -> TrafficStatistics = { TrafficStatistics() }
    public var tunnels = TunnelSource()
    public var upstream: @Sendable () -> OriginConnectionStatistics = { OriginConnectionStatistics() }
    /// How host names are looked up.
    public var names: @Sendable () -> NameStatistics = { NameStatistics() }
    /// Nil: nothing is intercepted.
    public var interception: @Sendable () -> InterceptionStatistics? = { nil }
    /// What becomes of a CONNECT to the origin of an https URI, a sentence; nil: there is nothing to tell.
    public var tunnelNote: @Sendable (TargetURI) -> String? = { _ in nil }
    public var memory: @Sendable () -> MemoryUsage = { MemoryUsage() }
    /// What all clients share, each bounded by a setting.
    public var budgets: @Sendable () -> [BudgetStatistics] = { [] }
    /// Makes a request what the forward route makes of it, with what services put into all requests.
    public var forwarded: @Sendable (inout ClientRequest) -> Void = { _ in }
    /// Nil: settings are neither shown nor read again.
    public var configuration: ConfigurationSource?
    public var log = LogSource()
    /// Nil: modes are neither shown nor changed.
    public var modes: ModeSource?
    /// Nil: there is no store.
    public var store: @Sendable () -> StoreUsage? = { nil }

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

/// What clients asked for since the start, and what they got.
public struct TrafficStatistics: Sendable, Equatable {
    /// Requests answered without asking the origin.
    public var hits = 0
    /// Requests a load was waited for, or that were validated.
    public var loads = 0
    /// Requests sent past the store.
    public var passes = 0
    /// Requests answered with an error because the origin failed, and those that were refused.
    public var failures = 0
    public var refused = 0
    /// Tunnels opened; what goes through them is no request.
    public var tunnels = 0
    /// Bytes of content given to clients of hits.
    public var cachedBytes = 0
    /// Bytes of content given to clients as it came of an origin, or after it was asked.
    public var originBytes = 0

    public init() {}

    /// Requests of clients, tunnels not among them.
    public var requests: Int { hits + loads + passes + failures + refused }
}

/// Connections to origins.
public struct OriginConnectionStatistics: Sendable {
    /// Those open or being made, those of them kept without a request, and requests that wait for one.
    public var connections = 0
    public var idle = 0
    public var waiting = 0
    /// Origins that sent bytes that belong to no response, and how long their connections are not used again.
    public var withoutReuse: [(origin: String, seconds: Int64)] = []

    public init() {}
}

/// How much memory is used; bytes.
public struct MemoryUsage: Sendable {
    /// Stored responses in memory, and what they may take.
    public var used = 0
    public var limit = 0
    public var entries = 0
    /// The whole process; nil if unknown.
    public var resident: Int?

    public init() {}
}

/// How the store stands.
public struct StoreUsage: Sendable {
    /// A word: `opening`, `ok`, `full`, `locked`, `disabled`, `closed`.
    public var state: String
    /// Why it does not work as it should.
    public var reason: String?
    public var directory: String?
    public var entries: Int64 = 0
    /// Bytes on disk, and the most there may be.
    public var used: Int64 = 0
    public var limit: Int64 = 0
    public var evictions: Int64 = 0
    public var hits: Int64 = 0
    public var misses: Int64 = 0
    public var damaged: Int64 = 0
    public var refused: Int64 = 0
    /// Operations waiting for the writer.
    public var queued = 0
    /// Invalidations that are not at rest yet: more than a few only while the disk refuses or the database is locked.
    public var pendingInvalidations = 0
    /// The longest time one piece of work kept the writer from the next, and a look-up took; microseconds.
    public var longestWrite = 0
    public var longestLookUp = 0

    public init(state: String, reason: String? = nil) {
        self.state = state
        self.reason = reason
    }
}
