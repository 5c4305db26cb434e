import Administration
import EntityStorage
import Eventing
import Glibc
import HTTPCore
import HTTPServer
import Locking
import Observability
import Proxying
import ResourceCore
import Settings
import UpstreamClient

/// The daemon: everything built from settings, started, drained and stopped.
///
/// Made and run on the main thread; each loop's part lives on that loop (`LoopServices`).
final class Application: Sendable {
    private enum Phase { case running, draining, stopped }

    private let settings: DaemonSettings
    private let log: Logger
    private let storage: Storage
    private let sockets: BoundSockets
    private let loops: LoopGroup
    private let shared: SharedServices
    private let administration: Administrating
    private let registry = MetricsRegistry()
    private let manager: ServiceManager
    private let phase = Lock(Phase.running)
    /// By loop, from the moment it serves.
    private let services = Lock<[LoopBound<LoopServices>]>([])

    /// - Parameter inherited: sockets that were handed over; they take the place of `listen` and `admin`.
    init(
        _ settings: DaemonSettings,
        surroundings: ProcessSurroundings,
        inherited: InheritedSockets = InheritedSockets(),
        log: Logger
    ) throws(StartError) {
        self.settings = settings
        self.log = log
        manager = ServiceManager(environment: surroundings.environment)
        Signals.ignoreBrokenPipes()
        Signals.unblock([.terminate, .interrupt])
        let descriptors = Descriptors.raiseLimit()
        let count = settings.loops > 0 ? settings.loops : Self.coreCount
        do throws(EventError) {
            sockets = try BoundSockets(settings, inherited: inherited, loops: count)
            let paths = DaemonPaths(settings, surroundings: surroundings)
            storage = Storage.open(settings, directory: paths.storageDirectory, descriptors: descriptors, log: log)
            administration = try Administrating(settings, paths: paths, sockets: sockets.admin, log: log)
            loops = try LoopGroup(count: count)
            shared = try Self.share(settings, sockets, storage, loops, registry, log, descriptors: descriptors)
        } catch {
            throw StartError(userMessage: error.userMessage)
        }
    }

    static var coreCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    private static func share(
        _ settings: DaemonSettings,
        _ sockets: BoundSockets,
        _ storage: Storage,
        _ loops: LoopGroup,
        _ registry: MetricsRegistry,
        _ log: Logger,
        descriptors: Int
    ) throws(EventError) -> SharedServices {
        let table = ResourceTable(
            environment: CoreEnvironment(
                timekeeper: LoopTimekeeper(loop: loops.handles[0]),
                hasher: storage.hasher,
                store: storage.store,
                eviction: storage.memory
            )
        )
        let configuration = settings.serviceConfiguration
        let resolver = NameResolver(
            workers: try WorkerPool(count: 4, name: "resolver"),
            options: settings.resolverOptions
        )
        var serverLimits = settings.serverLimits
        // An eighth of the descriptors is for origins, files, the store and administration.
        let affordable = max(16, descriptors - max(64, descriptors / 8))
        if affordable < serverLimits.maxConnections {
            log.warning(
                "fewer connections than set, for want of descriptors",
                ["max-connections": affordable, "descriptors": descriptors]
            )
            serverLimits.maxConnections = affordable
        }
        var options = settings.proxyOptions(sockets, instance: instance())
        if settings.log.access {
            let secrets = SecretParameters(settings.log.secretParameters)
            options.accessLog = AccessLog(log: log, format: settings.log.format, secrets: secrets)
        }
        return SharedServices(
            service: Service(name: "default", configuration: configuration, table: table),
            hasher: storage.hasher,
            resolver: resolver,
            limiter: OriginLimiter(limits: settings.upstreamLimits),
            census: ConnectionCensus(limits: serverLimits),
            options: options,
            metrics: ProxyMetrics(in: registry),
            serverLimits: serverLimits,
            upstreamLimits: settings.upstreamLimits,
            descriptorReserve: 32,
            clients: settings.access.clients
        )
    }

    /// Random, and new for each process.
    private static func instance() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return Array(String(generator.next() as UInt64, radix: 36).utf8)
    }

    // MARK: Serving

    /// Serves until told to stop; returns the exit code.
    func run() -> Int32 {
        for handle in loops.handles {
            handle.submit { [self] loop in startServing(on: loop) }
        }
        loops.join()
        administration.stop()
        storage.close()
        log.info("stopped")
        return 0
    }

    /// Runs on each loop; the last one to begin announces that we serve.
    private func startServing(on loop: EventLoop) {
        let index = loop.handle.index
        let mine = LoopServices(loop, sockets: sockets.proxy[index], shared: shared)
        if index == 0 { watchSignals(on: loop) }
        let count = services.withLock { services in
            services.append(LoopBound(mine, loop: loop))
            return services.count
        }
        guard count == loops.handles.count else { return }
        loops.handles[0].submit { [self] loop in announce(on: loop) }
    }

    /// Everything serves: administration begins, and says so.
    private func announce(on loop: EventLoop) {
        guard let services = services.withLock({ $0 }).first(where: { $0.isHere })?.value else { return }
        let responder = administration.responder(
            on: loop,
            shared: shared,
            storage: storage,
            registry: registry,
            listeners: sockets.proxyAddresses,
            isReady: { [self] in phase.withLock { $0 } == .running }
        )
        services.serve(administration: responder, on: administration.sockets, shared: shared)
        for address in sockets.proxyAddresses { log.info("listening", ["listen": address.description]) }
        for socket in administration.sockets { log.info("listening", ["admin": socket.address.description]) }
        manager.isReady(status: status)
        manager.watch(loops.handles, on: loop) { [self] in status }
    }

    /// One line for the service manager.
    private var status: String {
        let listeners = sockets.proxyAddresses.map(\.description).joined(separator: ", ")
        let resources = shared.service.table.count
        return "serving on \(listeners); \(shared.census.count) connections, \(resources) resources in memory"
    }

    private func watchSignals(on loop: EventLoop) {
        _ = Signals(loop: loop, signals: [.terminate, .interrupt]) { [self] _ in stop() }
    }

    // MARK: Stopping

    /// The first call drains, the second stops at once (H-153).
    private func stop() {
        let before = phase.withLock { phase in
            defer { phase = phase == .running ? .draining : .stopped }
            return phase
        }
        switch before {
        case .running: drain()
        case .draining: loops.stop()
        case .stopped: break
        }
    }

    private func drain() {
        manager.isStopping()
        log.info("draining", ["seconds": settings.limits.drainTimeout.components.seconds])
        shared.service.table.environment.timekeeper.after(settings.limits.drainTimeout) { [self] in loops.stop() }
        let all = services.withLock { $0 }
        let left = Lock(all.count)
        let drained: @Sendable () -> Void = { [self] in
            if left.withLock({
                $0 -= 1; return $0
            }) == 0 {
                loops.stop()
            }
        }
        for (index, bound) in all.enumerated() {
            _ = index
            bound.submit { $0.drain(drained) }
        }
    }
}
