import Eventing
import Exchanges
import HTTPCaching
import HTTPCore
import HTTPServer
import Outcomes
import ResourceCore
import Stores

/// What all exchanges of a listener on one loop share: the service, the options, the counters.
///
/// Bound to its loop.
final class ProxyContext: ExchangeRecorder {
    let loop: EventLoop
    let deliveryContext: any DeliveryContext
    let provider: any ExchangeProvider
    let service: Service
    let hasher: any PartitionHasher
    let connector: Connector
    let metrics: ProxyMetrics
    /// A new number from 0 to 1 with each call.
    let chance: @Sendable () -> Double
    private let cacheStatus = CacheStatusWriter()
    /// Routes requests without TLS.
    private(set) var router: Router
    /// Routes requests that come by TLS.
    private(set) var secureRouter: Router
    /// Nil: requests are not logged.
    private(set) var accessLog: LoopAccessLog?
    /// The latest requests of the loop; nil: they are not kept.
    private(set) var ring: RequestRing?
    private let loopRing: RequestRing?
    /// Nil: no request is traced.
    private(set) var tracing: Tracing?
    /// Whether anybody wants notes about exchanges.
    private var takesNotes = false

    init(
        loop: EventLoop,
        provider: any ExchangeProvider,
        service: Service,
        hasher: any PartitionHasher,
        connector: Connector,
        options: ProxyOptions,
        metrics: ProxyMetrics,
        ring: RequestRing?,
        chance: @escaping @Sendable () -> Double
    ) {
        loopRing = ring
        self.ring = ring?.ifOn
        self.chance = chance
        self.loop = loop
        deliveryContext = provider.context
        self.provider = provider
        self.service = service
        self.hasher = hasher
        self.connector = connector
        self.metrics = metrics
        router = Router(options: options)
        secureRouter = Router(options: options.overTLS)
        accessLog = options.accessLog.map { LoopAccessLog($0) }
        tracing = options.tracing
        takesNotes = accessLog != nil || self.ring != nil || tracing != nil
    }

    /// Replaced when the settings change; exchanges in progress keep the old ones.
    var options: ProxyOptions {
        get { router.options }
        set {
            var new = newValue
            // What the loops know together stays.
            new.questions.equivalents = router.options.questions.equivalents
            router = Router(options: new)
            secureRouter = Router(options: new.overTLS)
            accessLog = newValue.accessLog.map { LoopAccessLog($0) }
            ring = loopRing?.ifOn
            tracing = newValue.tracing
            takesNotes = accessLog != nil || ring != nil || tracing != nil
        }
    }

    /// Records an exchange, with notes if requests are logged or traced, or recent ones are kept.
    func recorder(of exchange: ServerExchange) -> any ExchangeRecorder {
        takesNotes ? ExchangeNotes(self, tracing?.begin(exchange, chance: chance)) : self
    }

    /// The notes about an exchange; nil if nobody wants them.
    func notes(about exchange: ServerExchange) -> ExchangeNotes? {
        takesNotes ? exchange.recorder as? ExchangeNotes : nil
    }

    /// Records an exchange that began before anybody wanted notes.
    func exchangeDidEnd(_ exchange: ServerExchange, isComplete: Bool) {
        metrics.count(exchange)
        accessLog?.write(exchange, nil, isComplete: isComplete)
    }

    func exchangeDidEnd(_ exchange: ServerExchange, _ notes: ExchangeNotes, isComplete: Bool) {
        metrics.count(exchange)
        if let accessLog { accessLog.write(exchange, notes.logged, isComplete: isComplete) }
        if let trace = notes.trace {
            trace.record(exchange, target: notes.target(of: exchange), notes.logged, isComplete: isComplete)
        }
        guard let ring else { return }
        notes.end(exchange, isComplete: isComplete)
        ring.record(exchange, notes)
    }

    /// Our member of Cache-Status in the response to a client, which is noted.
    ///
    /// - Parameters:
    ///   - applied: the rules for the response; nil if none applied, or if it is no resource's.
    ///   - key: the cache key, if the request asks for it.
    func cacheStatus(
        _ outcome: CacheOutcome,
        by applied: @autoclosure () -> AppliedRules? = nil,
        for exchange: ServerExchange,
        ttl: Int64? = nil,
        key: TargetURI? = nil
    ) -> [UInt8] {
        if takesNotes { notes(about: exchange)?.note(outcome, by: applied()) }
        return cacheStatus.member(outcome, ttl: ttl, key: key)
    }

    /// The provider for requests to origins that an exchange causes.
    func provider(for exchange: ServerExchange) -> any ExchangeProvider {
        guard tracing != nil, let trace = notes(about: exchange)?.trace else { return provider }
        return TracingProvider(provider, trace)
    }

    /// Runs `work` on the loop: at once if the caller is on it.
    func onLoop(_ work: @escaping @Sendable () -> Void) {
        if deliveryContext.isCurrent { work() } else { deliveryContext.submit(work) }
    }
}
