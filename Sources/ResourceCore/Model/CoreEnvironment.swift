/// What the core needs from outside: a store, clocks, and what says who leaves memory.
public struct CoreEnvironment: Sendable {
    public var timekeeper: any Timekeeper
    /// Hides credentials that `Vary` nominates.
    public var hasher: any PartitionHasher
    /// Nil: everything lives in memory only.
    public var store: (any VariantStore)?
    /// Nil: nothing leaves memory by itself.
    public var eviction: (any EvictionPolicy)?

    public init(
        timekeeper: any Timekeeper,
        hasher: any PartitionHasher,
        store: (any VariantStore)? = nil,
        eviction: (any EvictionPolicy)? = nil
    ) {
        self.timekeeper = timekeeper
        self.hasher = hasher
        self.store = store
        self.eviction = eviction
    }
}
