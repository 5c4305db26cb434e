import Configurations
import HTTPCore
import Locking
import Outcomes

/// What a resource has only while something goes on, or is remembered for a while.
///
/// Nearly all resources only keep a response, and have no activity.
struct Activity: Sendable {
    /// Configurations for other methods, and newer ones for GET.
    var configurations: [(method: Method, generation: UInt64, effective: EffectiveConfiguration)] = []
    var loads = Loads()
    /// Requests that wait for the look-up in the store.
    var waitingForLookUp: [WaitingRequest] = []
    var outcomes = RememberedOutcomes()
    /// How the last load failed, unless one has succeeded since.
    var error: Boxed<LatestError>?
    /// What a program loaded though no cache may reuse it; only `latestResponse` shows it.
    var uncacheable: StoredResponse?
    /// The program's state of the resource.
    var program: Boxed<any ProgramState>?
    /// Notices for observers and subscribers of the table.
    var notices = SerialQueue<PendingNotice>()
    /// Loads that have ended early, whose content is not yet ready to be kept.
    var partsToKeep = 0
    /// How often all was dropped, by a purge or another reset, since there is any activity; wraps.
    var resetCount: UInt32 = 0
    /// Operations in the store and in a program's caches.
    var operations = SerialQueue<StoreOperation>()
}

extension Boxed<Activity> {
    // An extension of the box, so that members are read in place.

    var isEmpty: Bool {
        value.loads.isEmpty && value.error == nil && value.uncacheable == nil && value.program == nil
            && value.notices.isIdle && value.operations.isIdle && value.outcomes.isEmpty
            && value.partsToKeep == 0
            && value.waitingForLookUp.isEmpty && value.configurations.isEmpty
    }
}
