import HTTPCaching
import HTTPCore

/// What of a resource's state is there only while something goes on, or is remembered for a while.
///
/// Of a resource that merely holds a response, as nearly all do, nothing: it keeps no room for this then.
struct ResourceActivity: Sendable {
    /// What was found out for other methods, and for GET since.
    var foundOut: [(method: Method, generation: UInt64, effective: EffectiveConfiguration)] = []

    var lookUpWaiters: [Waiter] = []
    /// The request of `loadIfNeeded` that waits for the look-up.
    var lookUpRequest: Request?

    /// What `load` brought though no cache may reuse it.
    var retained: StoredResponse?
    /// What a request of the program's, its cache or an override brought.
    var held: HeldEntity?
    /// The requests of this resource that have not completed, in the order they began.
    var tracked: [Request] = []

    /// In the order they began.
    var loads = TinyArray<LoadRecord>()
    /// Numbers given to loads that have not begun, with what came of them already.
    var reserved: [UInt64: ResponseInfo?] = [:]

    /// The newest load of a program's whose result became the data (S-256).
    var lastAccepted: UInt64 = 0
    var error: LatestError?
    var failures: [ResourceState.RememberedFailure] = []
    /// Until then requests do not wait for each other's heads (C-23.4).
    var soloUntil: MonotonicTime?

    var observers = ObserverList()
    /// What observers are still to be told.
    var notices: [PendingNotice] = []
    var operations: [StoreOperation] = []

    // Asked of the activity where it stands: the accessors below retain what they return.

    /// Whether somebody loads, requests or observes.
    var isUsed: Bool { !loads.isEmpty || !tracked.isEmpty || lookUpRequest != nil || !observers.isEmpty }
    var hasOperations: Bool { !operations.isEmpty }
    var hasNotices: Bool { !notices.isEmpty }
    /// Whether something is left to be told or done.
    var isOwing: Bool { hasOperations || hasNotices }
    /// Whether something is kept for later; the error, and what was loaded for the model, matter only to whoever holds the
    /// resource.
    var remembers: Bool { held != nil || !failures.isEmpty || soloUntil != nil }

    var isEmpty: Bool {
        loads.isEmpty && notices.isEmpty && operations.isEmpty && observers.isEmpty && held == nil && error == nil
            && retained == nil && tracked.isEmpty && failures.isEmpty && soloUntil == nil && foundOut.isEmpty
            && lookUpWaiters.isEmpty && lookUpRequest == nil && reserved.isEmpty && lastAccepted == 0
    }
}

/// Each part of the activity as if it stood in the state itself; changed in its place, never copied.
extension ResourceState {
    var foundOut: [(method: Method, generation: UInt64, effective: EffectiveConfiguration)] {
        get { activity.isEmpty ? [] : activity[0].foundOut }
        _modify { yield &present.foundOut }
    }

    var lookUpWaiters: [Waiter] {
        get { activity.isEmpty ? [] : activity[0].lookUpWaiters }
        _modify { yield &present.lookUpWaiters }
    }

    var lookUpRequest: Request? {
        get { activity.isEmpty ? nil : activity[0].lookUpRequest }
        _modify { yield &present.lookUpRequest }
    }

    var retained: StoredResponse? {
        get { activity.isEmpty ? nil : activity[0].retained }
        _modify { yield &present.retained }
    }

    var held: HeldEntity? {
        get { activity.isEmpty ? nil : activity[0].held }
        _modify { yield &present.held }
    }

    var tracked: [Request] {
        get { activity.isEmpty ? [] : activity[0].tracked }
        _modify { yield &present.tracked }
    }

    var loads: TinyArray<LoadRecord> {
        get { activity.isEmpty ? [] : activity[0].loads }
        _modify { yield &present.loads }
    }

    var reserved: [UInt64: ResponseInfo?] {
        get { activity.isEmpty ? [:] : activity[0].reserved }
        _modify { yield &present.reserved }
    }

    var lastAccepted: UInt64 {
        get { activity.isEmpty ? 0 : activity[0].lastAccepted }
        _modify { yield &present.lastAccepted }
    }

    var error: LatestError? {
        get { activity.isEmpty ? nil : activity[0].error }
        _modify { yield &present.error }
    }

    var failures: [RememberedFailure] {
        get { activity.isEmpty ? [] : activity[0].failures }
        _modify { yield &present.failures }
    }

    var soloUntil: MonotonicTime? {
        get { activity.isEmpty ? nil : activity[0].soloUntil }
        _modify { yield &present.soloUntil }
    }

    var observers: ObserverList {
        get { activity.isEmpty ? ObserverList() : activity[0].observers }
        _modify { yield &present.observers }
    }

    var notices: [PendingNotice] {
        get { activity.isEmpty ? [] : activity[0].notices }
        _modify { yield &present.notices }
    }

    var operations: [StoreOperation] {
        get { activity.isEmpty ? [] : activity[0].operations }
        _modify { yield &present.operations }
    }
}
