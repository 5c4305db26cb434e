import HTTPCore

/// What is left to do once the lock of a resource is let go, in this order.
struct Effects {
    /// The table must learn the new snapshot, or whether to hold the resource.
    var isChanged = false
    /// Entered and left memory, for the eviction policy.
    var entered: [StoredResponse] = []
    var left: [StoredResponse] = []
    var answers: [(Attendance, Answer)] = []
    var completions: [(Request, RequestOutcome)] = []
    var starts: [Load] = []
    var cancels: [Load] = []
    /// When to look again whether anything is still remembered.
    var recheckAfter: Duration?
    /// Released outside of the lock: their end may call back.
    var released: [any AnyObject & Sendable] = []
    var ended: [LoadRecord] = []
    /// Content that is to come although nobody reads it.
    var unread: [GrowingBody] = []
}

/// What must be done for a resource in order, one after another, outside of its lock.
enum Errand: Sendable {
    case tell([any ResourceObserver], ResourceChange)
    case stopped(any ResourceObserver)
    case lookUp(number: UInt64)
    case commit(StoredResponse)
    case freshen(StoredResponse)
    case invalidate(@Sendable (Bool) -> Void)
    case remove(partition: Partition, selection: [UInt8])
    case removeAll(@Sendable (Int) -> Void)
}

/// The time, and the settings, at one event.
struct Circumstances {
    let now: MonotonicTime
    let wallNow: HTTPDate
    /// What is configured for GET.
    var effective: EffectiveConfiguration
    /// In which generation of the table's configuration.
    let generation: UInt64
    let environment: CoreEnvironment
    /// Whether somebody watches the whole table.
    let isWatched: Bool
    let resource: Resource

    var configuration: Configuration { effective.values }
}
