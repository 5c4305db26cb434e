/// Why content of a request is no part of the cache key; the raw value is the detail of Cache-Status.
///
/// The request passes.
public enum UnkeyedContent: String, Error, Sendable {
    /// It is not in the form that a rule names, such as JSON.
    case form = "key-body-form"
    /// Several GraphQL requests in one.
    case batch = "key-body-batch"
    case subscription = "key-body-subscription"
    /// A GraphQL document that only the server knows.
    case persisted = "key-body-persisted"
    case mutation = "key-body-mutation"

    /// Whether the request may change what its target answers, as far as its content shows.
    public var mayChange: Bool { self == .mutation || self == .persisted }
}
