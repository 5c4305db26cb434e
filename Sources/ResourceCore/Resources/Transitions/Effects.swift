import Exchanges
import HTTPCore
import Transforms

/// What is left to do for one change of a resource once its lock is released; `Resource` does it, in the order told here.
struct Effects {
    // First the table sees the new state.

    /// The table must see the present state, and whether it has to keep the resource.
    var tellsTable = false

    // Then clients get their results, and loads begin.

    /// Stored responses that were served.
    var used = TinyArray<StoredResponse>()
    var replies = TinyArray<Reply>()
    /// Loads that begin, behind what observers and callers are told.
    var starts = TinyArray<Load>()

    // These wait in queues: what threads cause one after another happens one after another.

    /// What observers and subscribers of the table are told.
    var notices: [PendingNotice] = []
    /// What is done in the store and in a program's caches.
    var operations = TinyArray<StoreOperation>()

    // Last the eviction policy learns what entered and left memory.

    var entered = TinyArray<StoredResponse>()
    var left = TinyArray<StoredResponse>()
    /// When to look again whether anything is still remembered.
    var recheckAfter: Duration?

    /// Loads that are no more: released under no lock.
    var ended = TinyArray<LoadRecord>()
    /// What few events cause.
    var extras: Boxed<ExtraEffects>?

    /// What few events cause, to be changed.
    var extra: ExtraEffects {
        get { extras?.value ?? ExtraEffects() }
        _modify { yield &extras[orNew: ExtraEffects()] }
    }
}

extension Effects {
    /// The store is to drop its copy of `response`.
    mutating func removeFromStore(_ response: StoredResponse) {
        operations.append(.remove(partition: response.partition, selection: response.selection))
    }

    /// There were too many variants: these leave memory and store.
    mutating func evict(_ evicted: [StoredResponse]) {
        for response in evicted {
            left.append(response)
            removeFromStore(response)
        }
    }
}

/// What few events of a resource cause, in the order in which it is done.
struct ExtraEffects {
    /// Callers of loads: each shows the progress of its load from now on.
    var followed: [(caller: any LoadCaller, load: Load)] = []
    var cancelledLoads: [Load] = []
    /// Loads that nobody wants: they ask again with each piece of content.
    var loadsOnTrial: [Load] = []
    /// Content that is to flow although nobody reads it.
    var unread: [GrowingBody] = []
    /// Requests of programs and administrators that are given up; each tells the resource that it was.
    var cancelledCallers: [any LoadCaller] = []
    /// How loads ended for their callers: behind what observers are told (S-124).
    var completions: [(caller: any LoadCaller, outcome: LoadOutcome)] = []
    /// What is to be done for a program.
    var program: [any ProgramEffect] = []
    /// Released under no lock: their end may call back.
    var released: [any Sendable] = []
}

/// Something that happened to a resource: to be told on the delivery context.
struct PendingNotice: Sendable {
    /// For subscribers of the table.
    var change: ResourceChange?
    /// For those who observed when it happened (S-216).
    var program: (any ProgramNotice)?
}

/// What must be done for a resource in order, one after another, under no lock.
enum StoreOperation: Sendable {
    case lookUp(number: UInt32)
    case commit(StoredResponse)
    /// Told whether the store has it.
    case commitLocal(StoredResponse, @Sendable (Bool) -> Void)
    case freshen(StoredResponse)
    case invalidate(@Sendable (Bool) -> Void)
    case remove(partition: Partition, selection: [UInt8])
    case removeAll(@Sendable (Int) -> Void)
    /// In the caches of a program.
    case program(@Sendable (Resource) -> Void)
}
