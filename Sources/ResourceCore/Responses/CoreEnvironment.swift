public import Exchanges
public import Stores
public import Transforms

/// What the core needs from outside: store, clocks, eviction policy; never changes.
public final class CoreEnvironment: Sendable {
    public let timekeeper: any Timekeeper
    /// Hashes credentials that `Vary` nominates.
    public let hasher: any PartitionHasher
    /// Nil: everything lives in memory only.
    public let store: (any VariantStore)?
    /// Decides what leaves memory; nil: nothing does by itself.
    public let eviction: (any EvictionPolicy)?
    /// What pipelines run with.
    public let transforms: TransformEnvironment
    /// Knows which origins are down; nil: every load is tried.
    public let origins: CircuitBreakers?
    /// Counts renditions that were made or restored.
    public let renditions = RenditionStatistics()

    public init(
        timekeeper: any Timekeeper,
        hasher: any PartitionHasher,
        store: (any VariantStore)? = nil,
        eviction: (any EvictionPolicy)? = nil,
        transformWorkers: (any TransformWorkers)? = nil,
        transformMemory: TransformMemory = TransformMemory(),
        contentDecoder: (any StreamingTransformer)? = nil,
        origins: CircuitBreakers? = nil
    ) {
        self.timekeeper = timekeeper
        self.hasher = hasher
        self.store = store
        self.eviction = eviction
        transforms = TransformEnvironment(
            workers: transformWorkers,
            memory: transformMemory,
            decoder: contentDecoder,
            timekeeper: timekeeper
        )
        self.origins = origins
    }
}
