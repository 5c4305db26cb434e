/// What the core needs from outside: a store, clocks, and what says who leaves memory.
public struct CoreEnvironment: Sendable {
    public var timekeeper: any Timekeeper
    /// Hides credentials that `Vary` nominates.
    public var hasher: any PartitionHasher
    /// Nil: everything lives in memory only.
    public var store: (any VariantStore)?
    /// Nil: nothing leaves memory by itself.
    public var eviction: (any EvictionPolicy)?
    /// Where pipelines run; nil: whatever has to be transformed fails.
    public var transformWorkers: (any TransformWorkers)?
    /// Takes content codings off before a step that needs decoded content.
    public var contentDecoder: (any StreamingTransformer)?
    /// Which origins are down; nil: that is not known, and every load is tried.
    public var origins: OriginWatch?
    /// What becomes of forms; counted here.
    public let forms = FormFigures()

    public init(
        timekeeper: any Timekeeper,
        hasher: any PartitionHasher,
        store: (any VariantStore)? = nil,
        eviction: (any EvictionPolicy)? = nil,
        transformWorkers: (any TransformWorkers)? = nil,
        contentDecoder: (any StreamingTransformer)? = nil,
        origins: OriginWatch? = nil
    ) {
        self.timekeeper = timekeeper
        self.hasher = hasher
        self.store = store
        self.eviction = eviction
        self.transformWorkers = transformWorkers
        self.contentDecoder = contentDecoder
        self.origins = origins
    }
}
