public import Exchanges
import HTTPCaching
public import HTTPCore
package import Locking

/// One URL: what is known of it, and the one place where it is loaded (S-013, S-068).
///
/// Safe from any thread. A state machine stands behind a lock; what follows from an event is done after the lock is
/// let go: first the table learns the new snapshot, then requests are answered, then observers and the store, in order.
///
/// Whoever holds it keeps it and what it loads. Loads, requests, timers and the store do not keep it: without a holder
/// and without its service it ends, its loads with it.
public final class Resource: Sendable {
    /// A number of its own within the process.
    public let id: UInt64
    public let uri: TargetURI
    package let core: ServiceCore
    package let state: Lock<ResourceState>

    /// - Parameter isNeeded: the table keeps it until a change leaves it without need of that.
    init(
        id: UInt64,
        uri: TargetURI,
        core: ServiceCore,
        isNeeded: Bool = false
    ) {
        self.id = id
        self.uri = uri
        self.core = core
        state = Lock(ResourceState(looksUp: uri.hasHost && core.looksUp(uri), isNeeded: isNeeded))
    }

    deinit {
        core.table.forget(id, of: uri)
        let (effective, generation) = state.withLock { ($0.hasEnded ? nil : $0.effective, $0.generation) }
        guard let effective else { return }
        perform(context(effective, generation)) { $0.endResource() }
    }

    /// The service it belongs to; a new one in its place if the program has dropped it.
    public var service: Service {
        let (service, isNew) = core.service
        // The table keeps resources for it again.
        if isNew { core.table.update(self, hash) }
        return service
    }

    package var environment: CoreEnvironment { core.table.environment }
    /// By which the table finds it; made anew each time.
    package var hash: UInt64 { core.table.hash(uri) }
    /// Whether it has a URL; every request of one without fails, and no table knows it (S-011, S-012).
    package var hasURL: Bool { uri.hasHost }
    /// Stands in the place of the URI: no text is read as it.
    static let noURL = TargetURI(scheme: .http, host: [], port: 80, path: [])
    /// Whether loads are requests, instead of exchanges.
    package var loadsByRequests: Bool { core.program != nil || !hasURL }
    /// Whether something may have been kept of a former life.
    var looksUp: Bool { hasURL && core.looksUp }

    // MARK: What it shows

    /// The state at this moment.
    ///
    /// Reading it starts no look-up.
    public var snapshot: ResourceSnapshot {
        let generation = core.table.configurationGeneration
        let current = state.withLock { state in
            state.generation >= generation || state.isEmpty ? state.snapshot(id, uri) : nil
        }
        return current ?? perform { $0.state.snapshot(id, uri) }
    }

    /// The most recently stored response of the shared partition, or what `load` brought later, where loads run over
    /// exchanges.
    ///
    /// Reading it starts no look-up.
    public var latestResponse: StoredResponse? { snapshot.latestResponse }

    /// How the last load failed, as it is told on the wire; nil once one succeeded, or the data was changed locally.
    public var latestFailure: ResourceError? { snapshot.latestFailure }

    /// Whether a load is under way, or the look-up that decides whether one is needed (S-073, S-091).
    public var isLoading: Bool { state.withLock { $0.isLoading } }
    /// When data or error last changed, on the wall clock; 1970 if there is neither (S-072).
    public var timestamp: Timestamp { snapshot.timestamp }

    /// It loads, is asked for or observed.
    package var isInUse: Bool { state.withLock { $0.isInUse } }

    /// What the table shows of it, and what it needs of the table; for the table, under the shard's lock.
    ///
    /// - Parameter generation: the configuration's, by which what is shown must be judged.
    func publish(in generation: UInt64) -> (sharedHit: StoredResponse?, need: ResourceNeed) {
        state.withLock { state in
            let need = state.need
            state.isNeeded = core.table.isNeeded(need)
            return (state.generation >= generation ? state.variants.sharedHit(state.effective) : nil, need)
        }
    }

    // MARK: Configuration

    /// What is configured for GET (S-048).
    public var configuration: EffectiveConfiguration { configuration(for: .get) }

    /// What is configured for requests with `method`, and by what; found out once per method and change of the
    /// configuration (S-045).
    public func configuration(for method: Method) -> EffectiveConfiguration {
        let generation = core.table.configurationGeneration
        // No closure is asked (S-012).
        if !hasURL { return .defaults }
        if let known = state.withLock({ $0.configuration(for: method, generation) }) { return known }
        let effective = core.register.effective(for: uri, method)
        RespiteLog.log(.configuration, "\(method.text) \(uri.text): \(effective)")
        state.withLock { $0.note(effective, for: method, generation) }
        return effective
    }
}
