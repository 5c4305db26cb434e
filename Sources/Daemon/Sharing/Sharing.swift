import Administration
import Eventing
import Exchanges
import HTTPCore
import Observability
import Platform
import Proxying
import ResourceCore
import Settings
import SharedStorage
import Stores
import TransportSecurity

/// The shared tier of a daemon whose settings name a server.
struct Sharing: Sendable {
    let tier: SharedTier
    /// What `respite status` calls the server.
    let name: String
    private let workers: WorkerPool
    /// The store of this node alone; nil: responses are in memory only.
    private let base: (any VariantStore)?
    private let position: PositionFile?
    private let addresses: [ServerAddress]
    private let isCluster: Bool
    private let options: ServerOptions

    /// - Parameters:
    ///   - base: the store of this node alone; nil: responses are in memory only.
    ///   - directory: the directory of the store; nil without one.
    init(
        _ plan: SharingPlan,
        base: (any VariantStore)?,
        directory: String?,
        timekeeper: any Timekeeper,
        workers: WorkerPool,
        registry: MetricsRegistry,
        log: Logger
    ) {
        (addresses, isCluster, options) = (plan.addresses, plan.isCluster, plan.server)
        let name = plan.addresses.map(\.description).joined(separator: ", ")
        self.name = name
        let histogram = registry.histogram("respite_shared_lookup_seconds", "Time of look-ups on the shared server.")
        tier = SharedTier(
            plan.tier,
            timekeeper: timekeeper,
            workers: { workers.submit($0) },
            report: { log.note(fault: $0, of: name) },
            observe: { histogram.observe($0) }
        )
        self.workers = workers
        self.base = base
        position = directory.map { PositionFile("\($0)/shared.position", timekeeper) }
        tier.begin(from: position?.read())
        Self.register(tier, in: registry)
    }

    /// The store of this node, wrapped: the tier learns what is stored and purged.
    var store: any VariantStore { SharedStore(base, tier) }

    /// A loop's provider, which asks the shared tier before the origins.
    ///
    /// - Returns: on the first loop, the exchange that follows the purges of other nodes, too; to be closed at the end.
    func provider(
        over base: any ExchangeProvider,
        on loop: EventLoop,
        by connector: Connector,
        for service: Service
    ) -> (provider: any ExchangeProvider, purges: PurgeExchange?) {
        let client = TierClient(loop, server(loop, connector, options), tier)
        let bound = LoopBound(client, loop: loop)
        tier.add(bound)
        let purges = loop.handle.index == 0 ? follow(by: client, on: loop, connector, service) : nil
        return (SharedProvider(base, tier, bound), purges)
    }

    private func server(_ loop: EventLoop, _ connector: Connector, _ options: ServerOptions) -> any SharedServer {
        isCluster
            ? ClusterServer(addresses, loop: loop, connector: connector, options: options)
            : SingleServer(addresses[0], loop: loop, connector: connector, options: options)
    }

    private func follow(
        by client: TierClient,
        on loop: EventLoop,
        _ connector: Connector,
        _ service: Service
    ) -> PurgeExchange {
        var options = options
        options.silence = PurgeExchange.silence
        let received = ReceivedChange(service, base)
        let exchange = PurgeExchange(
            client,
            server(loop, connector, options),
            filter: ReceivedChange.filter,
            make: { [tier, workers] work in
                let run: @Sendable () -> Void = {
                    if work.isUnproven { received.wipeAll() }
                    for change in work.changes { received.make(change) }
                    tier.didMakeChanges()
                }
                if !workers.submit(run) { run() }
            },
            save: { [position] in position?.save($0) }
        )
        tier.follow(by: exchange, on: loop)
        exchange.start()
        return exchange
    }

    /// What `respite status` shows.
    var usage: SharedUsage {
        let statistics = tier.statistics
        var usage = SharedUsage(server: name, reason: statistics.fault)
        (usage.hits, usage.misses) = (statistics.hits, statistics.misses)
        (usage.failures, usage.skipped) = (statistics.failures, statistics.skipped)
        (usage.waits, usage.leases, usage.lostLeases) = (statistics.waits, statistics.heldLeases, statistics.lostLeases)
        (usage.stored, usage.refused) = (statistics.stored, statistics.refused)
        usage.isFollowing = statistics.isFollowing
        (usage.announcements, usage.purges, usage.resets) =
            (statistics.announcements, statistics.purges, statistics.resets)
        usage.broken = statistics.broken + statistics.foreign
        return usage
    }

    private static func register(_ tier: SharedTier, in registry: MetricsRegistry) {
        let statistics = tier.statistics
        registry.counter("respite_shared_hits_total", "Look-ups that the shared server answered.") { statistics.hits }
        registry.counter("respite_shared_misses_total", "Look-ups for which it had nothing.") { statistics.misses }
        registry.counter("respite_shared_failures_total", "Look-ups that got no answer in time, or an error.") {
            statistics.failures
        }
        registry.counter("respite_shared_skipped_total", "Look-ups left out while it is slow or down.") {
            statistics.skipped
        }
        registry.counter("respite_shared_stored_total", "Responses stored on the shared server.") { statistics.stored }
        registry.counter("respite_shared_refused_total", "Responses that it did not take.") { statistics.refused }
        registry.counter("respite_shared_broken_total", "Records there that were damaged, or of another format.") {
            statistics.broken + statistics.foreign
        }
        registry.counter("respite_shared_waits_total", "Look-ups that waited for the load of another node.") {
            statistics.waits
        }
        registry.counter("respite_shared_leases_total", "Loads for which other nodes could wait.") { statistics.leases }
        registry.counter("respite_shared_leases_lost_total", "Leases that the server lost while they were held.") {
            statistics.lostLeases
        }
        registry.counter("respite_shared_purges_sent_total", "Purges that this node announced to others.") {
            statistics.announcements
        }
        registry.counter("respite_shared_purges_received_total", "Purges that other nodes announced.") {
            statistics.purges
        }
        registry.counter("respite_shared_purges_unreadable_total", "Announced purges that this node cannot read.") {
            statistics.foreignPurges
        }
        registry.counter("respite_shared_resets_total", "Times that all responses had to be validated.") {
            statistics.resets
        }
        registry.gauge("respite_shared_following", "1 while this node hears of the purges of others.") {
            statistics.isFollowing ? 1 : 0
        }
        registry.gauge("respite_shared_leases", "Loads now for which other nodes wait.") { statistics.heldLeases }
        registry.gauge("respite_shared_down", "1 while the shared server is left out.") { tier.breaker.isDown ? 1 : 0 }
    }
}

extension Logger {
    fileprivate func note(fault: String?, of server: String) {
        if let fault {
            warning("shared server of no use; this node goes on alone", ["server": server, "reason": fault])
        } else {
            info("shared server in use again", ["server": server])
        }
    }
}
