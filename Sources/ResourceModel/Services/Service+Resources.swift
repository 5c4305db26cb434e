public import HTTPCore
import Locking
public import ResourceCore

/// From URLs to resources. None of these calls runs configuration closures or looks anything up (S-037).
extension Service {
    /// The resource with `path` below the base URL (S-008).
    ///
    /// A slash at the start makes no difference. The rest is path text, nothing in it is interpreted: dot segments stay, `?`,
    /// `#`, `%` and what else a path may not hold is escaped. A query of the base is kept behind it. Without a base every
    /// request of the resource fails (S-005).
    public func resource(_ path: String) -> Resource {
        guard let baseURL else { return resourceWithoutURL }
        return resource(below: baseURL, path)
    }

    /// The resource with `path` below another base URL; the service's own does not matter (S-009).
    public func resource(baseURL: (any URLConvertible)?, path: String) -> Resource {
        guard let baseURL else { return resourceWithoutURL }
        guard let base = baseURL.targetURI else { return resourceWithoutURL(baseURL.urlText) }
        return resource(below: base, path)
    }

    /// The resource of this URL as it is, below the base or not (S-010).
    public func resource(absoluteURL: TargetURI) -> Resource { resource(for: absoluteURL) }

    /// The resource of this URL as it is, below the base or not (S-010).
    ///
    /// Cost: where there is a resource whose canonical URL is this very text, that of finding it.
    public func resource(absoluteURL text: String) -> Resource {
        // What a resource is found by needs no canonical form: it has it.
        if !table.mayHaveQueryRules, let found = table.find(canonical: text.utf8.span) { return found }
        guard let uri = text.targetURI else { return resourceWithoutURL(text) }
        return resource(for: uri)
    }

    /// The resource of this URL as it is, below the base or not (S-010).
    ///
    /// A resource comes in any case (S-011): for nil the one of this service of which every request fails, for what is no
    /// absolute URL a new one of that kind, and a warning in the log. Text such as `./x` is not resolved: no server is
    /// named there.
    public func resource(absoluteURL: (any URLConvertible)?) -> Resource {
        guard let absoluteURL else { return resourceWithoutURL }
        guard let uri = absoluteURL.targetURI else { return resourceWithoutURL(absoluteURL.urlText) }
        return resource(for: uri)
    }

    /// The resource with `text` behind the path of `uri`, in front of its query.
    func resource(below uri: TargetURI, _ text: String) -> Resource {
        guard let bytes = uri.extended(by: text) else { return resourceWithoutURL(text) }
        if table.mayHaveQueryRules { return resource(for: uri.replacingAll(bytes)) }
        return table.resource(for: bytes, of: self) { uri.replacingAll(bytes) }
    }

    /// A new resource in the place of that of `text`, which is no URL.
    func resourceWithoutURL(_ text: String) -> Resource {
        Self.warn(ofText: text, "the address of a resource")
        let resource = table.resourceWithoutURL(core)
        resource.state.withLock { $0.model.givenText = text }
        return resource
    }
}
