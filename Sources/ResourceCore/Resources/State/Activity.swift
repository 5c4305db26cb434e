import HTTPCore
import Locking

/// What a resource has only while something goes on, or is remembered for a while.
///
/// Nearly all resources merely keep a response: they have no room for this.
struct Activity: Sendable {
    /// What was found out to be configured for other methods, and for GET since.
    var configurations: [(method: Method, generation: UInt64, effective: EffectiveConfiguration)] = []
    var loads = Loads()
    /// Requests that wait until it is known what the store has.
    var waitingForLookUp: [WaitingRequest] = []
    var outcomes = RememberedOutcomes()
    /// How the last load failed, unless one has succeeded since.
    var error: Boxed<LatestError>?
    /// What a load for a program brought though no cache may reuse it: only `latestResponse` shows it.
    var uncacheable: StoredResponse?
    /// What a program keeps of the resource.
    var program: Boxed<any ProgramState>?
    /// What observers, and subscribers of the table, are still to be told.
    var notices = SerialQueue<PendingNotice>()
    /// What is still to be done in the store and in a program's caches.
    var operations = SerialQueue<StoreOperation>()
}

extension Boxed<Activity> {
    // Here, so that each member is read where it stands.

    var isEmpty: Bool {
        value.loads.isEmpty && value.error == nil && value.uncacheable == nil && value.program == nil
            && value.notices.isIdle && value.operations.isIdle && value.outcomes.isEmpty
            && value.waitingForLookUp.isEmpty && value.configurations.isEmpty
    }
}
