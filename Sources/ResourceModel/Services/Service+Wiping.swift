public import HTTPCore
public import ResourceCore

/// Drops data of this service from memory, never from a store (S-016 to S-019).
extension Service {
    /// The number of resources from which on those not in use are dropped: 2048 unless set (S-016).
    ///
    /// Not a hard limit; checked when a resource is added and when this is set. A resource is in use if it is
    /// referenced, observed or loading. Has no effect on a table made without a limit.
    public var cachedResourceCountLimit: Int {
        get { table.countLimit }
        set { table.countLimit = newValue }
    }

    /// Drops the resources that are neither referenced nor observed nor loading; stored data stays (S-017).
    public func flushUnusedResources() { table.flushUnused() }

    /// Call this when memory is short (S-018).
    public func respondToMemoryPressure() { flushUnusedResources() }

    /// Drops what is not in use, and wipes the other resources that satisfy `predicate`; by default all (S-019).
    ///
    /// Not a purge: stored data is looked up again.
    public func wipeResources(matching predicate: (Resource) -> Bool = { _ in true }) {
        flushUnusedResources()
        for resource in table.resources(limit: .max) where resource.core === core && predicate(resource) {
            resource.wipe()
        }
    }

    /// Drops what is not in use, and wipes the other resources that `pattern` matches: text as for `configure`, a
    /// resource, or any other pattern.
    public func wipeResources(matching pattern: some ConfigurationPattern) {
        wipeResources(withURLsMatching: pattern.matcher(base: baseURL))
    }

    /// Drops what is not in use, and wipes the other resources whose URLs satisfy `predicate`.
    public func wipeResources(withURLsMatching predicate: (TargetURI) -> Bool) {
        wipeResources { predicate($0.uri) }
    }
}
