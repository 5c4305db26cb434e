public import Exchanges
package import HTTPCaching
public import HTTPCore
import Locking
import Stores
import Synchronization
import Transforms

/// All resources of the process, or of a program's service: one per URI (S-013), sharded by hash.
///
/// The daemon's table retains a resource while it has data, loads or is observed. The eviction policy decides what
/// leaves memory; that is released a moment later. A table with a count limit retains every resource until a flush,
/// which keeps those in use (S-015 to S-018, S-224).
public final class ResourceTable: Sendable {
    public let environment: CoreEnvironment
    private let shards: [ResourceShard]
    private let uriHash = URIHash()
    private let lastID = Atomic<UInt64>(0)
    private let dispatcher = EventDispatcher()
    private let generation = Atomic<UInt64>(1)
    private let mayHaveRules = Atomic<Bool>(false)
    /// Whether resources that nothing needs stay until a flush.
    let keepsUnused: Bool
    private let limit: Atomic<Int>
    private let deferredRelease: DeferredRelease
    let questions = QuestionIndex()
    let tags = TagRegister()

    /// - Parameters:
    ///   - environment: store, clocks and more.
    ///   - shardCount: rounded up to a power of two.
    ///   - countLimit: see `countLimit`; nil: a resource leaves as soon as nothing needs it.
    public init(environment: CoreEnvironment, shardCount: Int = 128, countLimit: Int? = nil) {
        self.environment = environment
        deferredRelease = DeferredRelease(environment.transforms.workers)
        keepsUnused = countLimit != nil
        limit = Atomic(countLimit ?? .max)
        var count = 1
        while count < min(max(1, shardCount), 65_536) { count *= 2 }
        shards = (0..<count).map { _ in ResourceShard() }
    }

    private func shard(_ hash: UInt64) -> ResourceShard {
        shards[Int(truncatingIfNeeded: hash >> 40) & (shards.count - 1)]
    }

    // MARK: Finding

    func hash(_ uri: TargetURI) -> UInt64 { uriHash.hash(uri.bytes.span) }

    /// The response to a GET or HEAD for this canonical URI without fields that matter to caches, such as credentials.
    ///
    /// Usable while fresh: compare `freshUntil` with the time, serve it, call `noteUse`.
    ///
    /// Nil if there is none, or an earlier configuration judged it. The hot path: one lock of a shard, no allocation.
    public func sharedHit(of canonical: Span<UInt8>) -> StoredResponse? {
        let hash = uriHash.hash(canonical)
        return shard(hash).sharedHit(hash, canonical, configurationGeneration)
    }

    /// The live resource of `uri`, if there is one.
    public func find(_ uri: TargetURI) -> Resource? {
        deferredRelease.releaseAll()
        let hash = hash(uri)
        shard(hash).releaseLeaving()
        return shard(hash).find(hash, uri.bytes, retaining: false)
    }

    /// The live resource of `uri`, even if it waits for its release.
    private func findAmongAll(_ uri: TargetURI) -> Resource? {
        let hash = hash(uri)
        return shard(hash).find(hash, uri.bytes, retaining: false)
    }

    /// The live resource of these canonical bytes; a table with a count limit retains it.
    ///
    /// Allocates nothing.
    package func find(canonical: Span<UInt8>) -> Resource? {
        let hash = uriHash.hash(canonical)
        return shard(hash).find(hash, canonical, retaining: keepsUnused)
    }

    /// The one live resource of `uri`, made for `service` if there is none.
    public func resource(for uri: TargetURI, of service: Service) -> Resource {
        resource(for: uri.bytes, of: service) { uri }
    }

    /// The one live resource of the canonical URI `bytes`; if there is none, it is made for the value of `uri`.
    ///
    /// - Parameter isServed: whether a new one is retained until a change shows that nothing needs it.
    package func resource(
        for bytes: [UInt8],
        of service: Service,
        isServed: Bool = false,
        _ uri: () -> TargetURI
    ) -> Resource {
        let hash = uriHash.hash(bytes.span)
        if keepsUnused {
            if let found = shard(hash).find(hash, bytes, retaining: true) { return found }
            makeRoom()
        }
        let isNeeded = isServed && !keepsUnused
        return shard(hash).resource(hash, bytes, retaining: keepsUnused, retainingNew: isNeeded || keepsUnused) {
            Resource(id: nextID, uri: uri(), hash: hash, core: service.core, isNeeded: isNeeded)
        }
    }

    private var nextID: UInt64 { lastID.add(1, ordering: .relaxed).newValue }

    /// A resource outside of the table, every request of which fails (S-011).
    package func resourceWithoutURL(_ core: ServiceCore) -> Resource {
        Resource(id: nextID, uri: Resource.noURL, hash: hash(Resource.noURL), core: core)
    }

    /// Live resources in the order they were made, from the one after `id` on.
    ///
    /// Cost: proportional to their number.
    public func resources(
        after id: UInt64 = 0,
        limit: Int,
        matching condition: (TargetURI) -> Bool = { _ in true }
    ) -> [Resource] {
        releaseLeaving()
        var found: [Resource] = []
        for shard in shards { found += shard.resources.filter { $0.id > id && condition($0.uri) } }
        found.sort { $0.id < $1.id }
        return Array(found.prefix(max(0, limit)))
    }

    /// The live resource with this number.
    ///
    /// Cost: proportional to the number of resources.
    public func resource(id: UInt64) -> Resource? {
        releaseLeaving()
        for shard in shards { if let found = shard.resources.first(where: { $0.id == id }) { return found } }
        return nil
    }

    public var count: Int {
        releaseLeaving()
        return size
    }

    private var size: Int { shards.reduce(0) { $0 + $1.count } }

    /// Releases what waits for it, so that listings do not contain that.
    private func releaseLeaving() {
        deferredRelease.releaseAll()
        for shard in shards { shard.releaseLeaving() }
    }

    // MARK: Changing many

    /// Drops everything of `uri`, in memory and store; `completion` receives the number of removed records once that is
    /// durable.
    ///
    /// If query rules map `uri` to another resource, drops that, and what was stored under `uri` before the rules.
    public func purge(
        _ uri: TargetURI,
        of service: Service,
        _ completion: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        let resource = service.resource(for: uri)
        if resource.uri == uri { return resource.purge(completion) }
        let tally = PurgeTally(count: 0, pending: 2, completion)
        resource.purge { tally.add($0) }
        self.resource(for: uri, of: service).purge { tally.add($0) }
    }

    /// Drops everything of all URIs for which `condition` holds; `completion` is called once that is durable.
    public func purge(
        where condition: @escaping @Sendable (TargetURI) -> Bool,
        _ completion: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        guard let store = environment.store else {
            let live = resources(limit: .max, matching: condition)
            let held = live.reduce(0) { $0 + $1.snapshot.variants.count }
            for resource in live { resource.purge() }
            return completion(held)
        }
        store.removeAll(where: condition) { [weak self] count in
            guard let self else { return completion(count) }
            // Live resources may have committed meanwhile, or looked up records that are gone now.
            let live = resources(limit: .max, matching: condition)
            Self.purge(live) { completion(count + $0) }
        }
    }

    /// Drops from memory what belongs to URIs for which `condition` holds; the store keeps its copies.
    public func wipe(where condition: (TargetURI) -> Bool) {
        for resource in resources(limit: .max, matching: condition) { resource.wipe() }
    }

    /// Drops from memory what is neither observed nor loading (S-017); the store keeps its copies.
    ///
    /// With a count limit, resources that a program references stay.
    public func flushUnused() {
        if keepsUnused {
            // The released resources end outside of the lock.
            for shard in shards {
                for resource in shard.kept { resource.releaseDefunctObservers() }
                _ = shard.releaseUnused()
            }
        } else {
            releaseLeaving()
            for shard in shards { for resource in shard.resources { resource.flush() } }
        }
    }

    /// The number of resources from which on those not in use are dropped (S-016); not a hard limit.
    ///
    /// Checked when a resource is added and when this is set. Has no effect on a table made without a limit.
    public var countLimit: Int {
        get { limit.load(ordering: .relaxed) }
        set {
            limit.store(max(0, newValue), ordering: .relaxed)
            if keepsUnused { makeRoom() }
        }
    }

    private func makeRoom() { if size >= countLimit { flushUnused() } }

    // MARK: Watching

    /// Delivers the events of all resources to `context`, in order; at most `bound` wait, and a gap event counts those
    /// left out.
    public func addObserver(
        context: any DeliveryContext,
        bound: Int = 1024,
        _ handler: @escaping @Sendable ([TableEvent]) -> Void
    ) -> TableSubscription {
        let subscription = TableSubscription(context, bound: bound, gap: { .gap(missed: $0) }, handler)
        dispatcher.add(subscription)
        return subscription
    }

    var isWatched: Bool { dispatcher.hasSubscribers }

    func post(_ change: ResourceChange) { dispatcher.post(change) }

    // MARK: Configuration

    /// Grows with every change of the configuration of any service of this table.
    ///
    /// Freshness in a snapshot holds only while its `generation` equals this. One relaxed load.
    public var configurationGeneration: UInt64 { generation.load(ordering: .relaxed) }

    /// False if no service of this table has ever had query rules.
    ///
    /// One relaxed load.
    public var mayHaveQueryRules: Bool { mayHaveRules.load(ordering: .relaxed) }

    /// Called after the change: resources read the number first, then the configuration.
    func noteConfigurationChange(hasQueryRules: Bool) {
        if hasQueryRules { mayHaveRules.store(true, ordering: .relaxed) }
        generation.add(1, ordering: .sequentiallyConsistent)
    }

    // MARK: For resources

    /// Whether this table must meet a need.
    func isNeeded(_ need: ResourceNeed) -> Bool { Retention.isNeeded(need, keepsUnused: keepsUnused) }

    func update(_ resource: Resource) { shard(resource.hash).update(resource, self) }

    /// The resource with this number and this hash of its URI; nil once it has ended.
    func live(_ id: UInt64, _ hash: UInt64) -> Resource? { shard(hash).live(id, hash) }

    package func unstored(_ hash: UInt64) -> UnstoredResponse? { shard(hash).unstored(hash) }

    func noteResponse(_ hash: UInt64, _ unstored: UnstoredResponse?) { shard(hash).noteResponse(hash, unstored) }

    /// The service has ended: resources without another reference end.
    func release(of core: ServiceCore) {
        releaseLeaving()
        for shard in shards { _ = shard.release(of: core) }
    }

    /// The resource with this number has ended.
    func forget(_ id: UInt64, _ hash: UInt64, _ uri: TargetURI) {
        shard(hash).forget(id, hash)
        tags.forget(id)
        if uri.isQuestion { forgetQuestion(id, uri) }
    }

    /// Reports to the eviction policy what entered and left memory, and drops what it names.
    ///
    /// The renditions of a response leave with it, unless its successor has taken them over.
    func memoryDidChange(entered: TinyArray<StoredResponse>, left: TinyArray<StoredResponse>) {
        for stored in left {
            environment.eviction?.didRemove(stored)
            stored.noteMemory(false)
            guard let renditions = stored.knownRenditions,
                !entered.contains(where: { $0.knownRenditions === renditions })
            else { continue }
            release(of: renditions)
        }
        for stored in entered {
            stored.noteMemory(true)
            evict(environment.eviction?.didStore(stored) ?? [])
            for content in stored.knownRenditions?.enterMemory() ?? [] { didEnterMemory(content) }
        }
    }

    /// Reports a rendition to the eviction policy, and drops what it names.
    func didEnterMemory(_ content: DerivedContent) { evict(environment.eviction?.didStore(content) ?? []) }

    private func evict(_ victims: [any MemoryEntry]) {
        for victim in victims {
            if let stored = victim as? StoredResponse {
                stored.noteMemory(false)
                let resource = findAmongAll(stored.uri)
                resource?.drop(stored)
                if let renditions = stored.knownRenditions { release(of: renditions) }
                deferredRelease.add(stored, of: resource)
            } else if let content = victim as? DerivedContent {
                content.discard()
            }
        }
    }

    private func release(of renditions: Renditions) {
        for content in renditions.leaveMemory() { environment.eviction?.didRemove(content) }
    }
}
