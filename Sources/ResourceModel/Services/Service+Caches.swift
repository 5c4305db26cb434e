public import ResourceCore

extension Service {
    /// Returns once the caches have all that completed loads brought, and all that was confirmed or removed.
    ///
    /// Call it before the program ends: caches write in the background. Data that a caller has heard of is then kept,
    /// also if the process is killed.
    public func flush() async { await (core.program as? ModelService)?.finishCaches() }
}
