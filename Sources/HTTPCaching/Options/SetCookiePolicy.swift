/// What to do with responses that carry Set-Cookie (H-114); the raw value is the word of settings.
///
/// Under any of them what came to a request with a credential is for that credential alone.
public enum SetCookiePolicy: String, Sendable, Equatable, CaseIterable {
    /// Shared only when nobody's credential brought it and the origin explicitly gave it a lifetime.
    case careful
    /// Never stored.
    case refuse
    /// As if Set-Cookie were any other field: everybody without a credential gets the same cookie.
    case reuse
    /// Stored for the credential that brought it, and not at all without one.
    case `private`
    /// Set-Cookie is taken off what is loaded, for everybody.
    case strip
}
