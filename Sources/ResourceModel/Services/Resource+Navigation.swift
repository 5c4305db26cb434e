import HTTPCore
import Locking
public import ResourceCore

/// From one resource to others of its service (S-022). None of these calls runs configuration closures or looks anything up
/// (S-037).
///
/// From a resource that has no URL only a whole URL leads on; all else is the resource of which every request fails.
extension Resource {
    /// The URL as text; for a resource of which every request fails what was given, empty if nothing was.
    public var url: String { hasURL ? uri.text : state.withLock { $0.model.givenText } ?? "" }

    /// The resource with `path` behind this one's path: always below it (S-023 to S-026).
    ///
    /// Path text as in `Service.resource(_:)`; a slash at the start makes no difference, an empty text is this path with a
    /// slash at its end. This one's query is kept.
    public func child(_ path: String) -> Resource {
        hasURL ? service.resource(below: uri, path) : service.resourceWithoutURL
    }

    /// The resource a link with this reference in a page at this URL leads to (S-027 to S-029; RFC 3986 §5.2).
    ///
    /// A reference that is none, the empty text included, leads to the resource of which every request fails.
    public func relative(_ href: String) -> Resource {
        guard !href.isEmpty, hasURL || href.targetURI != nil, let target = uri.resolving(Array(href.utf8))
        else { return service.resourceWithoutURL }
        return service.resource(for: target)
    }

    /// As `relative`; nil for nil, such as a field `Location` that is not there (S-030).
    public func optionalRelative(_ href: String?) -> Resource? { href.map(relative) }

    /// The resource with one parameter of the query set, or removed if `value` is nil (S-031 to S-035).
    ///
    /// All parameters are sorted by name, so that the order of calls does not matter; of a repeated name one stays. Write
    /// `relative("?k=1&k=2")` for another order, or to repeat a name.
    public func withParam(_ name: String, _ value: String?) -> Resource { withParams([name: value]) }

    /// As one `withParam` after another (S-036).
    public func withParams(_ parameters: [String: String?]) -> Resource {
        hasURL ? service.resource(for: uri.settingParameters(parameters)) : service.resourceWithoutURL
    }
}
