import Locking
public import ResourceCore

/// What a resource shows to programs.
extension Resource {
    /// The last valid data from a load, a persistent cache or a local override, whatever failed since (S-070).
    ///
    /// The first reading starts the look-up in persistent caches, and does not wait for it (S-187).
    public var latestData: Entity<any Sendable>? {
        beginLookUp()
        return snapshot.latestData
    }

    /// How the last load failed; nil once one succeeded, or the data was changed locally (S-071).
    public var latestError: RequestError? { snapshot.latestError }
    /// Whether any request of this resource is in progress.
    public var isRequesting: Bool { state.withLock { $0.isLoading || !$0.model.tracked.isEmpty } }

    /// The load requests in progress, in the order they began (S-073).
    public var loadRequests: [Request] { state.withLock { $0.loadRequests } }
    /// All requests of this resource in progress, loads included, in the order they began.
    public var allRequests: [Request] { state.withLock { $0.model.tracked } }
}

extension Resource: TypedContentAccessors {
    public var entityForTypedContentAccessors: Entity<any Sendable>? { latestData }
}
