import Configurations
import Eventing
import Exchanges
import HTTPCore
import HTTPServer
import Observability
import Platform
import Proxying
import ResourceCore
import ResourceDoubles
import TestDoubles
import TestSupport
import UpstreamClient

/// A proxy on a loop of the test's own thread, whose clocks stand still until the test moves them.
///
/// Its clients come by a Unix socket: what is written there has arrived.
final class QuietProxy {
    /// Where its socket is; another one after each beginning.
    private(set) var path = ""
    let store: MemoryVariantStore?
    let provider: SortingProvider
    private let manual: ManualLoop
    private let context = ManualContext()
    private let timekeeper = ManualTimekeeper()
    private let workers = ScriptedWorkers()
    private let configuration: Configuration
    private let directory: TemporaryDirectory
    private let change: (inout ProxyOptions) -> Void
    private var served: (service: Service, listener: HTTPListener)?
    private var flushed = 0
    private static let limits: ServerLimits = {
        var limits = ServerLimits()
        limits.idleTimeout = .seconds(86_400)
        return limits
    }()
    private static let count = LockedBox(0)
    /// Only there for names that nobody looks up.
    private static let threads = try? WorkerPool(count: 1)

    /// - Parameters:
    ///   - directory: where its sockets are.
    ///   - change: changes its options, each time it begins.
    init(
        in directory: TemporaryDirectory,
        store: MemoryVariantStore?,
        configuration: Configuration,
        _ change: @escaping (inout ProxyOptions) -> Void = { _ in }
    ) throws {
        self.change = change
        self.directory = directory
        self.store = store
        self.configuration = configuration
        manual = try ManualLoop(start: timekeeper.now)
        timekeeper.setWall(manual.loop.wallNow)
        provider = SortingProvider(context: context)
        try restart()
    }

    deinit {
        served?.listener.close()
        manual.turn()
        context.close()
    }

    /// Milliseconds since some moment.
    var now: Int { Int(timekeeper.now.nanoseconds / 1_000_000) }

    var service: Service? { served?.service }
    func resource(_ path: String) -> Resource? { served.map { $0.service.resource(for: World.uri(path)) } }

    // MARK: What happens to it

    /// Begins anew with what the store has.
    func restart() throws {
        served?.listener.close()
        run()
        path = directory.path("\(Self.count.change { $0 += 1; return $0 })")
        let hasher = PlainHasher()
        let environment = CoreEnvironment(
            timekeeper: timekeeper,
            hasher: hasher,
            store: store,
            transformWorkers: workers
        )
        let table = ResourceTable(environment: environment)
        let service = Service(name: "test", configuration: configuration, table: table)
        let threads = try Self.threads ?? WorkerPool(count: 1)
        var options = ProxyOptions(
            via: Via(instance: Array("test".utf8)),
            addressPolicy: AddressPolicy(allowsLoopback: true, allowsPrivate: true)
        )
        change(&options)
        let responder = ProxyResponder(
            loop: manual.loop,
            provider: provider,
            service: service,
            hasher: hasher,
            connector: Connector(loop: manual.loop, resolver: NameResolver(workers: threads)),
            options: options,
            metrics: ProxyMetrics(in: MetricsRegistry())
        )
        let listener = HTTPListener(
            loop: manual.loop,
            socket: try ListeningSocket(binding: .unix(path: path)),
            responder: responder,
            connectionCounter: ConnectionCounter(limits: Self.limits),
            limits: Self.limits
        )
        served = (service, listener)
    }

    /// Memory is needed for other things.
    func leaveMemory() { served?.service.table.flushUnused() }

    func advance(by duration: Duration) {
        timekeeper.advance(by: duration)
        context.perform { manual.advance(by: duration) }
        run()
    }

    /// Runs all that is to do now.
    ///
    /// - Parameter read: reads what clients have received; returns whether there was anything.
    func run(_ read: () -> Bool = { false }) {
        while true {
            var didRun = context.run()
            if let store {
                for writer in store.writers.dropFirst(flushed) { writer.flush() }
                if store.run() { didRun = true }
            }
            if workers.run() { didRun = true }
            context.perform { manual.turn() }
            if read() { didRun = true }
            if !didRun { return }
        }
    }
}

/// Takes requests for origins, and tells for whom they are.
final class SortingProvider: ExchangeProvider {
    /// Who gets a response: a load of a resource, a load that was cut or a slow reader of one, or one client.
    enum Receiver { case load, resumption, client }

    struct Started: Sendable {
        let exchange: ScriptedExchange
        let receiver: Receiver
    }

    private let manualContext: ManualContext
    private let started = LockedBox<[Started]>([])

    init(context: ManualContext) { manualContext = context }

    var context: any DeliveryContext { manualContext }

    /// The requests since the last call.
    func take() -> [Started] {
        started.change { all in
            defer { all = [] }
            return all
        }
    }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        let exchange = ScriptedExchange(request, receiver, manualContext)
        let kind: Receiver =
            receiver is Load ? .load : "\(type(of: receiver))".hasPrefix("ExchangeRelay") ? .client : .resumption
        started.change { $0.append(Started(exchange: exchange, receiver: kind)) }
        return exchange
    }
}
