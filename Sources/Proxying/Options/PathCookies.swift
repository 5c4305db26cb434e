/// How cookies are treated if a path names the origin (`/https://HOST/…`, `/NAME/…`).
///
/// All such origins share our authority, and every client's cookie jar goes by the authority.
public enum PathCookies: Sendable, Equatable {
    /// A client sends a cookie only to the path of its origin, and only that origin gets it.
    case scoped
    /// No cookie is passed on, in either direction.
    case drop
    /// Cookies are passed on unchanged: a client's jar sends those of one origin to the others.
    case pass
}
