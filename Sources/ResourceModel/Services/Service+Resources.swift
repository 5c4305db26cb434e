public import HTTPCore
import Locking
public import ResourceCore

/// Finds resources by URL; these calls run no configuration closures and look nothing up (S-037).
extension Service {
    /// The resource with `path` below the base URL (S-008).
    ///
    /// A slash at the start makes no difference. The path is taken literally: dot segments stay; `?`, `#`, `%` and
    /// characters that are invalid in a path are escaped. A query of the base is kept behind it. Without a base, every
    /// request of the resource fails (S-005).
    public func resource(_ path: String) -> Resource {
        guard let baseURL else { return resourceWithoutURL }
        return resource(below: baseURL, path)
    }

    /// The resource with `path` below another base URL; the service's own base is not used (S-009).
    public func resource(baseURL: (any URLConvertible)?, path: String) -> Resource {
        guard let baseURL else { return resourceWithoutURL }
        guard let base = baseURL.targetURI else { return resourceWithoutURL(baseURL.urlText) }
        return resource(below: base, path)
    }

    /// The resource of this URL, below the base or not (S-010).
    public func resource(absoluteURL: TargetURI) -> Resource { resource(for: absoluteURL) }

    /// The resource of this URL, below the base or not (S-010).
    ///
    /// If this text is the canonical URL of an existing resource, the cost is that of finding it.
    public func resource(absoluteURL text: String) -> Resource {
        // Canonical text finds a resource as it is.
        if !table.mayHaveQueryRules, let found = table.find(canonical: text.utf8.span) { return found }
        guard let uri = text.targetURI else { return resourceWithoutURL(text) }
        return resource(for: uri)
    }

    /// The resource of this URL, below the base or not (S-010).
    ///
    /// There is always a result (S-011). For nil, it is the service's resource without URL, whose requests all fail.
    /// For text that is no absolute URL, it is a new resource of that kind, and the log has a warning. Text such as
    /// `./x` is not resolved, since it names no server.
    public func resource(absoluteURL: (any URLConvertible)?) -> Resource {
        guard let absoluteURL else { return resourceWithoutURL }
        guard let uri = absoluteURL.targetURI else { return resourceWithoutURL(absoluteURL.urlText) }
        return resource(for: uri)
    }

    /// The resource with `text` added to the path of `uri`, in front of its query.
    func resource(below uri: TargetURI, _ text: String) -> Resource {
        guard let bytes = uri.extended(by: text) else { return resourceWithoutURL(text) }
        if table.mayHaveQueryRules { return resource(for: uri.replacingAll(bytes)) }
        return table.resource(for: bytes, of: self) { uri.replacingAll(bytes) }
    }

    /// A new resource for `text`, which is no URL.
    func resourceWithoutURL(_ text: String) -> Resource {
        Self.warn(ofText: text, "the address of a resource")
        let resource = table.resourceWithoutURL(core)
        resource.state.withLock { $0.model.givenText = text }
        return resource
    }
}
