/// What to do with responses that carry Set-Cookie (H-114); the raw value is the word of settings.
///
/// Under each of them, the response to a request with a credential is for that credential alone.
public enum SetCookiePolicy: String, Sendable, Equatable, CaseIterable {
    /// The response is shared only if its request had no credential and the origin stated a lifetime.
    case careful
    /// The response is never stored.
    case refuse
    /// Set-Cookie is treated as any other field: all clients without a credential get the same cookie.
    case reuse
    /// The response is stored for the credential of its request, and not at all without one.
    case `private`
    /// Set-Cookie is removed from all responses.
    case strip
}
