import Synchronization

extension RespiteLog {
    /// What a message is about.
    public enum Category: UInt8, Sendable, Hashable, CaseIterable {
        /// Requests that start and end, with their outcome.
        case network
        /// Their fields and sizes. Credentials are left out.
        case networkDetails
        /// Which transformers ran and what came out.
        case pipeline
        /// Every change of a resource's state.
        case stateChanges
        /// Observers added and removed, and the events that they get.
        case observers
        /// Why a load was started or not, with the seconds left or exceeded.
        case staleness
        /// Hits, writes, removals and ignored hits of persistent caches.
        case cache
        /// Which configuration entries apply to a resource, and the result.
        case configuration
    }
}

extension RespiteLog.Category {
    /// One bit for each enabled category.
    private static let mask = Atomic<UInt8>(0)

    /// Network, state changes and staleness: what is most often useful.
    public static let common: Set<Self> = [.network, .stateChanges, .staleness]
    /// Everything but the details of network traffic.
    public static let detailed: Set<Self> = all.subtracting([.networkDetails])
    /// Everything.
    public static let all = Set(allCases)

    /// The categories whose messages are passed on; none at first.
    ///
    /// May be changed at any time, from any thread.
    public static var enabled: Set<Self> {
        get {
            let bits = mask.load(ordering: .relaxed)
            return all.filter { bits & $0.bit != 0 }
        }
        set { mask.store(newValue.reduce(0) { $0 | $1.bit }, ordering: .relaxed) }
    }

    /// Whether messages of this category are passed on: one atomic load.
    public var isEnabled: Bool { Self.mask.load(ordering: .relaxed) & bit != 0 }

    /// Whether messages of any category are passed on: one atomic load.
    public static var isAnyEnabled: Bool { mask.load(ordering: .relaxed) != 0 }

    private var bit: UInt8 { 1 << rawValue }
}
