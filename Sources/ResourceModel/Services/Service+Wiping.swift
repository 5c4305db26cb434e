public import HTTPCore
public import ResourceCore

/// What leaves memory: of this service only, never out of a store (S-016 to S-019).
extension Service {
    /// How many resources there may be before those that are not in use are dropped: 2048 unless set (S-016).
    ///
    /// A soft limit, judged when a resource is added and when it is set. In use is what anybody holds or observes, or what
    /// loads. Without effect for a table that was made without a limit.
    public var cachedResourceCountLimit: Int {
        get { table.countLimit }
        set { table.countLimit = newValue }
    }

    /// Drops the resources that nobody holds or observes and that do not load; what is stored of them stays (S-017).
    public func flushUnusedResources() { table.flushUnused() }

    /// To be called when memory is short (S-018).
    public func respondToMemoryPressure() { flushUnusedResources() }

    /// Drops what is not in use, and wipes the others for which `predicate` is true; all if there is none (S-019).
    ///
    /// Not a purge: what is stored is looked up again.
    public func wipeResources(matching predicate: (Resource) -> Bool = { _ in true }) {
        flushUnusedResources()
        for resource in table.resources(limit: .max) where resource.core === core && predicate(resource) {
            resource.wipe()
        }
    }

    /// Drops what is not in use, and wipes the others that `pattern` means: text as for `configure`, a resource, or any
    /// other pattern.
    public func wipeResources(matching pattern: some ConfigurationPattern) {
        wipeResources(withURLsMatching: pattern.matcher(base: baseURL))
    }

    /// Drops what is not in use, and wipes the others for whose URL `predicate` is true.
    public func wipeResources(withURLsMatching predicate: (TargetURI) -> Bool) {
        wipeResources { predicate($0.uri) }
    }
}
