/// Why a request bypasses the core; the raw value is the detail of Cache-Status.
public enum PassReason: String, Sendable {
    /// A Range that no stored response can serve (C-16.4).
    case range
    /// The request has no-store, and no stored response may be used.
    case requestNoStore = "request-no-store"
    /// A HEAD that nothing stored answers (C-23.5).
    case head
    /// The request asks for an event stream (C-24.5).
    case eventStream = "event-stream"
    /// If-Match or If-Unmodified-Since: for the origin to judge (RFC 9111 §4.3.2).
    case originCondition = "origin-condition"
    /// A rule forbids caching for this URI.
    case neverCache = "never-cache"
}
