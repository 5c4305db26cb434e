import Exchanges
import HTTPCore
import Transforms

/// What is left to do once the lock of a resource is let go.
struct Effects {
    /// The table must learn the new snapshot, or whether to hold the resource.
    var isChanged = false
    /// `lookUpRequest` needs a load: that is made outside of the lock, since decorators take part.
    var needsLoad = false
    /// When to look again whether anything is still remembered.
    var recheckAfter: Duration?
    var replies = TinyArray<Reply>()
    var starts = TinyArray<Load>()
    /// Loads that are no more.
    var ended = TinyArray<LoadRecord>()
    /// Entered and left memory, for the eviction policy.
    var entered: [StoredResponse] = []
    var left: [StoredResponse] = []
    /// One or none.
    private var rare: [RareEffects] = []
    /// Whether there is anything of what follows from few events.
    var hasRare: Bool { !rare.isEmpty }

    private var others: RareEffects {
        get { rare.isEmpty ? RareEffects() : rare[0] }
        _modify {
            if rare.isEmpty { rare = [RareEffects()] }
            yield &rare[0]
        }
    }
}

/// What few events have as a consequence.
private struct RareEffects {
    /// How requests ended that this resource completes; their hooks come behind what observers are told (S-124).
    var completions: [(Request, RequestOutcome)] = []
    var cancels: [Load] = []
    /// Requests of the program's to cancel; each tells the resource that it was.
    var cancelledRequests: [Request] = []
    /// Requests whose progress observers want to know, by the number of their load.
    var watchedRequests: [(UInt64, Request)] = []
    /// Loads over exchanges whose progress they want to know.
    var watchedLoads: [Load] = []
    /// Released outside of the lock: their end may call back.
    var released: [any Sendable] = []
    /// Content that is to come although nobody reads it.
    var unread: [GrowingBody] = []
}

/// Each of them as if it stood in the effects themselves.
extension Effects {
    var completions: [(Request, RequestOutcome)] {
        get { rare.isEmpty ? [] : rare[0].completions }
        _modify { yield &others.completions }
    }

    var cancels: [Load] {
        get { rare.isEmpty ? [] : rare[0].cancels }
        _modify { yield &others.cancels }
    }

    var cancelledRequests: [Request] {
        get { rare.isEmpty ? [] : rare[0].cancelledRequests }
        _modify { yield &others.cancelledRequests }
    }

    var watchedRequests: [(UInt64, Request)] {
        get { rare.isEmpty ? [] : rare[0].watchedRequests }
        _modify { yield &others.watchedRequests }
    }

    var watchedLoads: [Load] {
        get { rare.isEmpty ? [] : rare[0].watchedLoads }
        _modify { yield &others.watchedLoads }
    }

    var released: [any Sendable] {
        get { rare.isEmpty ? [] : rare[0].released }
        _modify { yield &others.released }
    }

    var unread: [GrowingBody] {
        get { rare.isEmpty ? [] : rare[0].unread }
        _modify { yield &others.unread }
    }
}

/// Something observers are to be told, in order, on the delivery context.
struct PendingNotice: Sendable {
    let notice: Notice
    /// Those who observed when it happened (S-216).
    var observers: [ObserverHandle]

    init(_ notice: Notice, to observers: [ObserverHandle]) {
        self.notice = notice
        self.observers = observers
    }
}

/// What must be done for a resource in order, one after another, outside of its lock.
enum StoreOperation: Sendable {
    case lookUp(number: UInt32)

    // MARK: In the store

    case commit(StoredResponse)
    /// Told whether the store has it.
    case commitLocal(StoredResponse, @Sendable (Bool) -> Void)
    case freshen(StoredResponse)
    case invalidate(@Sendable (Bool) -> Void)
    case remove(partition: Partition, selection: [UInt8])
    case removeAll(@Sendable (Int) -> Void)

    // MARK: In the caches of the pipeline's stages

    case write([StageOutput])
    case touch(Timestamp)
    case removeEntities(@Sendable () -> Void)
}

/// The time, and the settings, at one event.
struct ResourceContext {
    let now: MonotonicTime
    let wallNow: HTTPDate
    /// What is configured for GET.
    private(set) var effective: EffectiveConfiguration
    /// In which generation of the table's configuration.
    let generation: UInt64
    /// Whether somebody watches the whole table.
    let isWatched: Bool
    let resource: Resource
    /// By which the table finds it.
    let hash: UInt64
    /// Nil: nothing is logged.
    let notes: DeferredNotes?

    /// The same by another configuration.
    func by(_ effective: EffectiveConfiguration) -> ResourceContext {
        var context = self
        context.effective = effective
        return context
    }

    var uri: TargetURI { resource.uri }
    var link: ResourceLink { ResourceLink(resource, hash) }
    var environment: CoreEnvironment { resource.environment }
    var configuration: Configuration { effective.values }
    /// The wall clock, finer than `wallNow`.
    var timestamp: Timestamp { environment.timekeeper.timestamp }
}
