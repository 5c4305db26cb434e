public import Exchanges
public import Transforms

/// What the core needs from outside: a store, clocks, and what says who leaves memory; never changes.
public final class CoreEnvironment: Sendable {
    public let timekeeper: any Timekeeper
    /// Hides credentials that `Vary` nominates.
    public let hasher: any PartitionHasher
    /// Nil: everything lives in memory only.
    public let store: (any VariantStore)?
    /// Nil: nothing leaves memory by itself.
    public let eviction: (any EvictionPolicy)?
    /// What pipelines run with.
    public let transforms: TransformEnvironment
    /// Which origins are down; nil: that is not known, and every load is tried.
    public let origins: CircuitBreakers?
    /// What becomes of forms; counted here.
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
