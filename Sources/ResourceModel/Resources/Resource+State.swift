import Locking
public import ResourceCore

/// What a resource shows to programs.
extension Resource {
    /// The last valid full state, whatever failed since: of a load, a persistent cache or a local override (S-070).
    ///
    /// The first reading has the persistent caches looked up, and does not wait for them (S-187).
    public var latestData: Entity<any Sendable>? {
        beginLookUp()
        return snapshot.latestData
    }

    /// How the last load failed; nil once one succeeded, or the data was changed locally (S-071).
    public var latestError: RequestError? { snapshot.latestError }
    /// Whether any request of this resource is under way.
    public var isRequesting: Bool { state.withLock { $0.isLoading || !$0.model.tracked.isEmpty } }

    /// The load requests under way, in the order they began (S-073).
    public var loadRequests: [Request] { state.withLock { $0.loadRequests } }
    /// All requests of this resource under way, loads included, in the order they began.
    public var allRequests: [Request] { state.withLock { $0.model.tracked } }
}

extension Resource: TypedContentAccessors {
    public var entityForTypedContentAccessors: Entity<any Sendable>? { latestData }
}
