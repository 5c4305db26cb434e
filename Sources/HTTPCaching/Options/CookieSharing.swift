/// With whom a response to a request with Cookie is shared, where it says neither `public` nor `s-maxage` (C-17.5, C-20.1b).
///
/// A cookie tells users apart, but need not have a part in the response: RFC 9111 has it shared unless the origin forbids
/// that. Where we stand for the origin, its owner can; elsewhere many origins forget to.
public enum CookieSharing: Sendable, Equatable {
    /// Kept apart where clients come from beyond loopback and we do not stand for the origin; shared elsewhere.
    case byRoute
    /// Everybody's if it states a lifetime and does not say `private`.
    case share
    /// For the credentials of the request, Cookie among them, alone.
    case partition
}
