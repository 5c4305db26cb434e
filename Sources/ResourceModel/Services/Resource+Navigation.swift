import HTTPCore
import Locking
public import ResourceCore

/// From one resource to others of its service (S-022). These calls run no configuration closures and look nothing up
/// (S-037).
///
/// From a resource without URL, only a whole URL leads to a usable one.
extension Resource {
    /// The URL as text; for a resource without URL the text that was given, or an empty text.
    public var url: String { hasURL ? uri.text : state.withLock { $0.model.givenText } ?? "" }

    /// The resource with `path` added to this one's path: always below it (S-023 to S-026).
    ///
    /// The text is escaped as in `Service.resource(_:)`; a slash at the start makes no difference. An empty text adds a
    /// slash at the end. This resource's query is kept.
    public func child(_ path: String) -> Resource {
        hasURL ? service.resource(below: uri, path) : service.resourceWithoutURL
    }

    /// The resource for a link with this reference in a page at this URL (S-027 to S-029; RFC 3986 §5.2).
    ///
    /// An empty reference gives the resource without URL, whose requests all fail. An invalid one gives a new resource
    /// of that kind, whose errors name the reference.
    public func relative(_ href: String) -> Resource {
        if href.isEmpty || !hasURL && href.targetURI == nil { return service.resourceWithoutURL }
        guard let target = uri.resolving(Array(href.utf8)) else { return service.resourceWithoutURL(href) }
        return service.resource(for: target)
    }

    /// Like `relative`; nil for nil, such as a missing `Location` field (S-030).
    public func optionalRelative(_ href: String?) -> Resource? { href.map(relative) }

    /// The resource with one parameter of the query set, or removed if `value` is nil (S-031 to S-035).
    ///
    /// All parameters are sorted by name, so that the order of calls does not matter; a repeated name is kept once. Use
    /// `relative("?k=1&k=2")` for another order, or to repeat a name.
    public func withParam(_ name: String, _ value: String?) -> Resource { withParams([name: value]) }

    /// Like one `withParam` after another (S-036).
    public func withParams(_ parameters: [String: String?]) -> Resource {
        hasURL ? service.resource(for: uri.settingParameters(parameters)) : service.resourceWithoutURL
    }
}
