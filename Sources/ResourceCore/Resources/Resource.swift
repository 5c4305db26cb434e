public import Configurations
public import Exchanges
import HTTPCaching
public import HTTPCore
package import Locking
package import Outcomes
package import Stores

/// One URL: what is known of it, and the only object that loads it (S-013, S-068).
///
/// Safe from any thread. A lock guards a state machine; effects follow after its release. First the table gets the new
/// snapshot, then requests their results, then observers and the store follow, in order.
///
/// A reference keeps the resource and its loads alive; loads, requests, timers and the store do not. Without a
/// reference and without its service it ends, and cancels its loads.
public final class Resource: Sendable {
    /// Unique within the process.
    public let id: UInt64
    public let uri: TargetURI
    /// The table's hash of the URI.
    package let hash: UInt64
    package let core: ServiceCore
    package let state: Lock<ResourceState>

    /// - Parameters:
    ///   - hash: the table's hash of the URI.
    ///   - isNeeded: whether the table keeps it until a later change shows that nothing needs it.
    init(
        id: UInt64,
        uri: TargetURI,
        hash: UInt64,
        core: ServiceCore,
        isNeeded: Bool = false
    ) {
        self.id = id
        self.uri = uri
        self.hash = hash
        self.core = core
        state = Lock(ResourceState(looksUp: uri.hasHost && core.looksUp(uri), isNeeded: isNeeded))
        if uri.isQuestion { core.table.noteQuestion(id, uri) }
    }

    deinit {
        core.table.forget(id, hash, uri)
        let (effective, generation) = state.withLock { ($0.hasEnded ? nil : $0.effective, $0.generation) }
        guard let effective else { return }
        perform(context(effective, generation)) { $0.endResource() }
    }

    /// The service it belongs to; a new one if the program has dropped the former.
    public var service: Service {
        let (service, isNew) = core.service
        // The table keeps resources for it again.
        if isNew { core.table.update(self) }
        return service
    }

    package var environment: CoreEnvironment { core.table.environment }
    /// The partition of responses for everybody.
    package var commonPartition: Partition { configuration(for: .get).anonymousPartitions.common }
    /// Whether it has a URL; without one every request fails, and no table contains it (S-011, S-012).
    package var hasURL: Bool { uri.hasHost }
    /// The URI of a resource without URL; no text parses to it.
    static let noURL = TargetURI(scheme: .http, host: [], port: 80, path: [])
    /// Whether loads are requests of the program instead of exchanges.
    package var loadsByRequests: Bool { core.program != nil || !hasURL }
    /// Whether store or caches may have data from an earlier life of the resource.
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

    /// The response that was stored last in the shared partition, or a later one that `load` brought over an exchange.
    ///
    /// Reading it starts no look-up.
    package var latestResponse: StoredResponse? { snapshot.latestResponse }

    /// How the last load failed, as clients see it; nil once one succeeded, or the data was changed locally.
    package var latestFailure: ResourceError? { snapshot.latestFailure }

    /// Whether a load is under way, or the look-up that decides whether one is needed (S-073, S-091).
    public var isLoading: Bool { state.withLock { $0.isLoading } }
    /// When data or error last changed, on the wall clock; 1970 if there is neither (S-072).
    public var timestamp: Timestamp { snapshot.timestamp }

    /// Whether it loads, is requested or observed.
    package var isInUse: Bool { state.withLock { $0.isInUse } }

    /// What the table shows of the resource, and why it needs the table; called under the shard's lock.
    ///
    /// - Parameters:
    ///   - generation: the configuration generation by which the shared hit must be judged.
    ///   - isServiceInUse: whether the table retains what is needed.
    func publish(in generation: UInt64, isServiceInUse: Bool) -> (sharedHit: StoredResponse?, need: ResourceNeed) {
        state.withLock { state in
            let need = state.need
            state.isNeeded = isServiceInUse && core.table.isNeeded(need)
            return (state.generation >= generation ? state.variants.sharedHit(state.effective) : nil, need)
        }
    }

    /// The table has released the resource, whatever that needs; the next transition tells the table its need again.
    ///
    /// Called under the shard's lock. So no service may be released under the lock of a resource.
    func wasReleased() { state.withLock { $0.isNeeded = false } }

    // MARK: Configuration

    /// The configuration for GET (S-048).
    public var configuration: EffectiveConfiguration { configuration(for: .get) }

    /// The configuration for requests with `method`, and its sources; computed once per method and change of the
    /// configuration (S-045).
    public func configuration(for method: Method) -> EffectiveConfiguration {
        let generation = core.table.configurationGeneration
        // No closure runs (S-012).
        if !hasURL { return .defaults }
        if let known = state.withLock({ $0.configuration(for: method, generation) }) { return known }
        // A question is judged by the configuration for its own method.
        let effective = core.register.effective(for: uri, method == .get ? uri.questionMethod ?? .get : method)
        RespiteLog.log(.configuration, "\(method.text) \(uri.text): \(effective)")
        state.withLock { $0.note(effective, for: method, generation) }
        return effective
    }
}

/// Exactly this resource's URI (S-066).
extension Resource: ConfigurationPattern {
    public var patternDescription: String { uri.text }

    public func matcher(base: TargetURI?) -> @Sendable (TargetURI) -> Bool { uri.matcher(base: base) }
}
