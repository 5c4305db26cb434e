import Administration
import EntityStorage
import Eventing
import Exchanges
import HTTPCore
import HTTPServer
import Locking
import Observability
import Platform
import Proxying
import Recording
import ResourceCore
import Settings
import UpstreamClient

/// The daemon: builds everything from settings, starts it, drains it and stops it.
///
/// It is made and run on the main thread. Each loop's part is bound to that loop (`LoopServices`).
final class Application: Sendable {
    private enum Phase { case running, draining, stopped }

    let log: Logger
    let storage: Storage
    let sockets: BoundSockets
    let loops: LoopGroup
    let shared: SharedServices
    let administration: Administrating
    let manager: ServiceManager
    /// Holds the settings in force.
    let reloader: Reloader
    let optionsMaker: ServingOptionsMaker
    /// Loads lists of URLs at intervals.
    let warming: Warming
    /// The hosts that pages of package indexes have linked to.
    let linkedHosts: LinkedHosts
    private let registry = MetricsRegistry()
    private let environment: [String: String]
    private let phase = Lock(Phase.running)
    /// Whether this is a daemon of its own, not that of one command.
    private let isLasting: Bool
    /// Records all exchanges, or replays recorded ones.
    private let cassette: CassetteSession?
    /// Called once, when everything serves.
    private let onServing: @Sendable () -> Void
    /// The loops that serve, and their options.
    let serving: Lock<ServingLoops<LoopBound<LoopServices>, ServingOptions>>

    /// - Parameters:
    ///   - sharing: the tier that nodes share; nil: there is none.
    ///   - files: the sources of `plan`, for reloads.
    ///   - inherited: sockets from the service manager; they replace `listen` and `admin`.
    ///   - isLasting: false for the daemon of one command: signals do not end it, only `finish()` does, and it opens no
    ///     Unix socket for the admin API.
    ///   - cassette: records all exchanges, or replays recorded ones; nil: the daemon caches.
    ///   - onServing: called once, on a loop, when everything serves.
    init(
        _ plan: ServingPlan,
        sharing: SharingPlan? = nil,
        files: SettingsFiles,
        inherited: InheritedSockets = InheritedSockets(),
        log: Logger,
        isLasting: Bool = true,
        cassette: CassetteSession? = nil,
        onServing: @escaping @Sendable () -> Void = {}
    ) throws(StartError) {
        let settings = plan.settings
        let context = files.context
        self.log = log
        environment = context.environment
        manager = ServiceManager(environment: context.environment)
        Signal.ignoreBrokenPipes()
        self.isLasting = isLasting
        self.cassette = cassette
        self.onServing = onServing
        let descriptors = Descriptors.raiseLimit()
        let count = settings.loops > 0 ? settings.loops : ProcessContext.processorCount
        do throws(EventError) {
            sockets = try BoundSockets(settings, inherited: inherited, loops: count)
        } catch {
            throw StartError(error)
        }
        let paths = DaemonPaths(settings, context: context)
        storage = Storage.open(
            settings,
            paths,
            partitionKey: sharing?.partitionKey,
            descriptors: descriptors,
            log: log
        )
        administration = try Administrating(
            settings,
            paths: paths,
            sockets: sockets.admin,
            hasOwnSocket: isLasting,
            log: log
        )
        do throws(EventError) { loops = try LoopGroup(count: count) } catch { throw StartError(error) }
        optionsMaker = ServingOptionsMaker(
            sockets: sockets,
            descriptors: descriptors,
            bypassesStore: cassette != nil,
            log: log
        )
        optionsMaker.accessLogging.register(in: registry)
        optionsMaker.telemetry.register(in: registry)
        let options = optionsMaker.options(for: plan)
        serving = Lock(ServingLoops(options: options))
        let timekeeper = LoopTimekeeper(loop: loops.handles[0])
        shared = try SharedServices(
            plan,
            options,
            storage: storage,
            sharingPlan: sharing,
            loops: count,
            timekeeper: timekeeper,
            registry: registry,
            log: log
        )
        optionsMaker.telemetry.apply(plan, policy: options.proxy.addressPolicy, resolver: shared.resolver)
        storage.store?.keepSavings { [metrics = shared.metrics] in Savings(metrics) }
        reloader = try Reloader(plan) { () throws(SettingsError) -> ServingPlan in try files.plan() }
        warming = Warming(
            shared.warmingTools(log) { [reloader] warm in
                Result { () throws(SettingsError) in try reloader.current.loaded.urls(of: warm, context) }
            }
        )
        warming.register(in: registry)
        linkedHosts = files.linkedHosts
        linkedHosts.whenChanged { [weak self] in
            guard let self else { return }
            // At most one of these waits, so the queue has room.
            _ = reloader.run { [weak self] in self?.adoptLinkedHosts() }
        }
    }

    var accessLogging: AccessLogging { optionsMaker.accessLogging }

    /// How long the process waits at its end until the log is written.
    static let flushTime = Duration.seconds(5)

    // MARK: Serving

    /// Serves until `stop()` is called; returns the exit code.
    func run() -> Int32 {
        // From here on the first loop handles signals; earlier signals stay pending until it does.
        if isLasting { Signal.block([.terminate, .interrupt, .hangup, .user1, .user2]) }
        for handle in loops.handles {
            handle.submit { [self] loop in startServing(on: loop) }
        }
        let pressure = watchMemory()
        let trim = MemoryTrim(
            shared.service.table.environment.timekeeper,
            used: { [storage] in storage.memory.used },
            workers: { [reloader] in reloader.run($0) }
        )
        trim.start()
        withExtendedLifetime(trim) { loops.join() }
        pressure?.stop()
        // Release the loops' services: their listeners refer to the application.
        _ = serving.withLock { $0.removeLoops() }
        shared.sharing?.tier.end()
        reloader.stop()
        administration.stop()
        storage.close()
        accessLogging.stop()
        optionsMaker.telemetry.stop()
        log.info("stopped")
        log.flush(within: Self.flushTime)
        return 0
    }

    private func watchMemory() -> PressureWatch? {
        let groups = (try? SmallFile.read("/proc/self/cgroup", limit: 65_536)) ?? []
        let relief = MemoryRelief(
            shared.service,
            used: { [storage] in storage.memory.used },
            registry: registry,
            log: log
        )
        return relief.watch(environment: environment, groups: String(decoding: groups, as: UTF8.self))
    }

    /// Runs on each loop; the last one to start announces that the daemon serves.
    private func startServing(on loop: EventLoop) {
        let index = loop.handle.index
        let early = serving.withLock { $0.options }
        let mine = LoopServices(
            loop,
            sockets: sockets.takeProxy(loop: index),
            isSecure: sockets.isSecure,
            shared: shared,
            cassette: cassette,
            options: early
        )
        if index == 0, isLasting { watchSignals(on: loop) }
        let (options, count) = serving.withLock { serving in
            (serving.add(LoopBound(mine, loop: loop)), serving.loops.count)
        }
        // A reload may have changed the settings meanwhile.
        mine.apply(options, renewsConnections: true)
        guard count == loops.handles.count else { return }
        loops.handles[0].submit { [self] loop in announce(on: loop) }
    }

    /// Starts the admin API and reports that the daemon serves.
    private func announce(on loop: EventLoop) {
        guard let services = serving.withLock({ $0.loops }).first(where: { $0.isHere })?.value else { return }
        let responder = administration.responder(
            reloader.current.settings,
            on: loop,
            shared: shared,
            storage: storage,
            registry: registry,
            listeners: sockets.proxyNames,
            forwardListeners: { [self] in forwardNames },
            configuration: configurationSource,
            modes: shared.modeSource(log),
            interception: interceptionSource,
            warnings: { [self] in
                reloader.current.warnings.map(\.summary) + administration.warnings + warming.faults
                    + [accessLogging.fault, optionsMaker.telemetry.fault].compactMap { $0 }
            },
            presets: { [self] in reloader.current.loaded.presets.map(\.text) },
            services: { [self] in reloader.current.injection },
            log: log,
            isReady: { [self] in isRunning }
        )
        services.serve(administration: responder, on: administration.sockets, own: administration.ownSocket)
        for name in sockets.proxyNames { log.info("listening", ["listen": name]) }
        for address in administration.addresses { log.info("listening", ["admin": address.description]) }
        logWarnings(reloader.current)
        reloader.prepare()
        warming.apply(reloader.current.settings.warm)
        manager.isReady(status: status)
        manager.watch(loops.handles, on: loop) { [self] in status }
        watchAdminFiles()
        if isLasting { greet() }
        onServing()
    }

    /// Tells a person at a terminal what to do next, below the log's first lines.
    private func greet() {
        guard StandardOutput.isTerminal else { return }
        let text = Greeting(forwardListeners: forwardNames, listeners: sockets.proxyNames).text
        // On a thread of its own: a terminal that is stopped blocks. One that is gone needs no greeting.
        _ = try? Thread(name: "greeting") { [log] in
            log.flush(within: .seconds(1))
            try? StandardOutput.write(Array(text.utf8))
        }
    }

    /// Checks at intervals that token and socket of the admin API are in place, and keeps a sample for its history.
    private func watchAdminFiles() {
        administration.record(shared, storage)
        shared.service.table.environment.timekeeper.after(AdminFiles.checkInterval) { [self] in
            guard isRunning else { return }
            administration.restoreFiles { [self] change in
                if let change { adopt(change) }
                watchAdminFiles()
            }
        }
    }

    private func adopt(_ change: AdminFiles.Change) {
        let options = administration.options(reloader.current.settings)
        for bound in serving.withLock({ $0.loops }) {
            bound.submit { services in
                services.applyToAdministration(options)
                if let socket = change.socket { services.moveAdministration(to: socket) }
            }
        }
        guard change.isRepair else { return log.info("token for readers read again", [:]) }
        let addresses = administration.addresses.map(\.description).joined(separator: ",")
        log.warning("files of the admin API were removed or replaced; they have been made again", ["admin": addresses])
    }

    /// The listeners that are a forward proxy in the settings in force.
    var forwardNames: [String] {
        let listeners = serving.withLock { $0.options.listeners }
        return zip(sockets.proxyNames, listeners).filter { $1.routes.contains(.forward) }.map { $0.0 }
    }

    /// The status line for the service manager.
    var status: String {
        let listeners = sockets.proxyNames.joined(separator: ", ")
        let resources = shared.service.table.count
        let store = storage.refusal == nil ? "" : "; nothing is stored on disk"
        let warnings = store + reloader.current.warnings.map { "; \($0.summary)" }.joined()
        return
            "serving on \(listeners); \(shared.connectionCounter.count) connections, \(resources) resources in memory\(warnings)"
    }

    /// Logs warnings about the settings in force.
    func logWarnings(_ plan: ServingPlan) {
        for warning in plan.warnings { log.warning("settings", ["warning": warning.summary]) }
    }

    /// Whether the daemon serves and is not stopping.
    var isRunning: Bool { phase.withLock { $0 } == .running }

    private func watchSignals(on loop: EventLoop) {
        _ = Signals(loop: loop, signals: [.terminate, .interrupt, .hangup, .user1, .user2]) { [self] signal in
            switch signal {
            case .hangup: reload()
            case .user1: dropMemoryCopies()
            case .user2: reopenAccessLog()
            case .terminate, .interrupt: stop()
            }
        }
    }

    /// Removes responses from memory that are neither loading nor observed; the store keeps its copies (S-017).
    private func dropMemoryCopies() {
        shared.service.table.flushUnused()
        log.info("memory copies dropped", ["resources": shared.service.table.count])
    }

    // MARK: Stopping

    /// Accepts no more requests; `run` returns when those in progress are done.
    ///
    /// Safe from any thread.
    func finish() { stop() }

    /// The first call drains, the second stops at once (H-153).
    private func stop() {
        let before = phase.withLock { phase in
            defer { phase = phase == .running ? .draining : .stopped }
            return phase
        }
        switch before {
        case .running: drain()
        case .draining: end()
        case .stopped: break
        }
    }

    private func drain() {
        manager.isStopping()
        warming.stop()
        let time = reloader.current.settings.limits.drainTimeout
        log.info("draining", ["seconds": time.components.seconds])
        shared.service.table.environment.timekeeper.after(time) { [self] in end() }
        let all = serving.withLock { $0.loops }
        let drained = Countdown(all.count) { [self] in end() }
        for bound in all { bound.submit { $0.drain(drained.arrive) } }
    }

    /// Resets connections with exchanges in progress, and ends the loops.
    ///
    /// A close instead of a reset could look like the regular end of a response.
    private func end() {
        for bound in serving.withLock({ $0.loops }) { bound.submit { $0.close() } }
        loops.stop()
    }
}
