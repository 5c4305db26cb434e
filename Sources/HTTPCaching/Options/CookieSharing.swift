/// Which clients share the response to a request with Cookie, if it has neither `public` nor `s-maxage` (C-17.5,
/// C-20.1b).
///
/// A cookie distinguishes users, but the response need not depend on it. RFC 9111 allows sharing unless the origin
/// forbids it. On routes where we stand for the origin, its owner can do so; elsewhere many origins forget to.
public enum CookieSharing: Sendable, Equatable {
    /// `partition` where clients come from beyond loopback and we do not stand for the origin, else `share`.
    case byRoute
    /// All clients, if the response states a lifetime and is not `private`.
    case share
    /// Only requests with the same credentials, Cookie among them.
    case partition
}
