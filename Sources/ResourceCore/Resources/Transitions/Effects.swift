import Exchanges
import HTTPCore
import Stores
import Transforms

/// What a change of a resource leaves to do once its lock is released; `Resource` does it in the order below.
struct Effects {
    // First the table sees the new state.

    /// Whether the table must see the present state, and whether it has to keep the resource.
    var updatesTable = false

    // Then clients get their results, and loads begin.

    /// Stored responses that were served.
    var used = TinyArray<StoredResponse>()
    var results = TinyArray<WaiterResult>()
    /// Loads to start, after observers and callers were notified.
    var starts = TinyArray<Load>()

    // These wait in queues: what threads cause one after another happens one after another.

    /// Notices for observers and subscribers of the table.
    var notices: [PendingNotice] = []
    /// Operations in the store and in a program's caches.
    var operations = TinyArray<StoreOperation>()

    // Last the eviction policy learns what entered and left memory.

    var entered = TinyArray<StoredResponse>()
    var left = TinyArray<StoredResponse>()
    /// When to recheck remembered outcomes.
    var recheckAfter: Duration?

    /// A load that has ended: released under no lock.
    private var ended: LoadRecord?
    /// Effects of few events.
    var extras: Boxed<ExtraEffects>?

    /// Effects of few events, to be changed; made on demand.
    var extra: ExtraEffects {
        get { extras?.value ?? ExtraEffects() }
        _modify { yield &extras[orNew: ExtraEffects()] }
    }
}

extension Effects {
    /// This load has ended.
    mutating func end(_ record: consuming LoadRecord) {
        if case .none = ended { ended = record } else { extra.released.append(record) }
    }

    /// The store must drop its copy of `response`.
    mutating func removeFromStore(_ response: StoredResponse) {
        operations.append(.remove(partition: response.partition, selection: response.selection))
    }

    /// These variants are beyond the limit: they leave memory and store.
    mutating func evict(_ evicted: [StoredResponse]) {
        for response in evicted {
            left.append(response)
            removeFromStore(response)
        }
    }
}

/// Effects of few events of a resource, in the order in which they are done.
struct ExtraEffects {
    /// Callers, and the load whose progress each shows from now on.
    var followed: [(caller: any LoadCaller, load: Load)] = []
    var cancelledLoads: [Load] = []
    /// Loads without interest: they ask again with each piece of content.
    var loadsOnTrial: [Load] = []
    /// Loads of parts that end after so many bytes, since others bring the rest.
    var shortenedLoads: [(load: Load, end: Int64)] = []
    /// Loads that were cut, whose first bytes are kept.
    var keptParts: [(record: LoadRecord, failure: ExchangeFailure?, resetCount: UInt32)] = []
    /// Content that must flow although no request reads it.
    var unread: [GrowingBody] = []
    /// Requests of programs and administrators to cancel; each reports that to the resource.
    var cancelledCallers: [any LoadCaller] = []
    var isEnd = false
    /// How loads ended for their callers; done after observers were notified (S-124).
    var completions: [(caller: any LoadCaller, outcome: LoadOutcome)] = []
    /// Effects for a program.
    var program: [any ProgramEffect] = []
    /// Objects to release under no lock: their end may call back.
    var released: [any Sendable] = []
}

/// An event of a resource, to be reported on the delivery context.
struct PendingNotice: Sendable {
    /// For subscribers of the table.
    var change: ResourceChange?
    /// For the observers at the time of the event (S-216).
    var program: (any ProgramNotice)?
}

/// An operation of a resource in store or caches; they run in order, under no lock.
enum StoreOperation: Sendable {
    case lookUp(number: UInt32)
    /// - Parameter since: the number of purges by tag before it was asked for.
    case commit(StoredResponse, StoredRecord.OtherParts, since: UInt64)
    /// Reports whether the store has it.
    case commitLocal(StoredResponse, since: UInt64, @Sendable (Bool) -> Void)
    case freshen(StoredResponse, since: UInt64 = .max)
    case invalidate(@Sendable (Bool) -> Void)
    case remove(partition: Partition, selection: [UInt8])
    case removeAll(@Sendable (Int) -> Void)
    /// In the caches of a program.
    case program(@Sendable (Resource) -> Void)
}
