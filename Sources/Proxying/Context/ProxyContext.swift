import Eventing
import Exchanges
import HTTPCore
import HTTPServer
import ResourceCore

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
    let cacheStatus = CacheStatusWriter()
    /// Routes requests without TLS.
    private(set) var router: Router
    /// Routes requests that come by TLS.
    private(set) var secureRouter: Router

    init(
        loop: EventLoop,
        provider: any ExchangeProvider,
        service: Service,
        hasher: any PartitionHasher,
        connector: Connector,
        options: ProxyOptions,
        metrics: ProxyMetrics
    ) {
        self.loop = loop
        deliveryContext = provider.context
        self.provider = provider
        self.service = service
        self.hasher = hasher
        self.connector = connector
        self.metrics = metrics
        router = Router(options: options)
        secureRouter = Router(options: options.overTLS)
    }

    /// Replaced when the settings change; exchanges in progress keep the old ones.
    var options: ProxyOptions {
        get { router.options }
        set {
            router = Router(options: newValue)
            secureRouter = Router(options: newValue.overTLS)
        }
    }

    func exchangeDidEnd(_ exchange: ServerExchange, isComplete: Bool) {
        metrics.count(exchange)
        router.options.accessLog?.write(exchange, isComplete: isComplete)
    }

    /// Runs `work` on the loop: at once if the caller is on it.
    func onLoop(_ work: @escaping @Sendable () -> Void) {
        if deliveryContext.isCurrent { work() } else { deliveryContext.submit(work) }
    }
}
