public import Exchanges

/// What the core needs from outside: a store, clocks, and what says who leaves memory; never changes.
public final class CoreEnvironment: Sendable {
    public let timekeeper: any Timekeeper
    /// Hides credentials that `Vary` nominates.
    public let hasher: any PartitionHasher
    /// Nil: everything lives in memory only.
    public let store: (any VariantStore)?
    /// Nil: nothing leaves memory by itself.
    public let eviction: (any EvictionPolicy)?
    /// Where pipelines run; nil: whatever has to be transformed fails.
    public let transformWorkers: (any TransformWorkers)?
    /// What runs that need whole contents may take of memory, all together.
    public let transformMemory: TransformMemory
    /// Takes content codings off before a step that needs decoded content.
    public let contentDecoder: (any StreamingTransformer)?
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
        self.transformWorkers = transformWorkers
        self.transformMemory = transformMemory
        self.contentDecoder = contentDecoder
        self.origins = origins
    }
}
