/// What becomes of cookies where a path names the origin (`/https://HOST/…`, `/NAME/…`): all origins share our own authority
/// there, and every client's cookie jar goes by that.
public enum PathCookies: Sendable, Equatable {
    /// A cookie goes to clients for its origin's path alone, and back to that origin alone.
    case scoped
    /// No cookie passes, in either direction.
    case drop
    /// Cookies pass as they come: a client's jar hands those of one origin to the others.
    case pass
}
