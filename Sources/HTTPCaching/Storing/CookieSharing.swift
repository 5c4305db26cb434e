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

extension CachingOptions {
    /// Whether Cookie in `request` is treated as Authorization is.
    public func keepsCookiesApart(for request: RequestProfile) -> Bool {
        switch cookies {
        case .byRoute: !isLoopbackListener && !request.isForOrigin
        case .share: false
        case .partition: true
        }
    }
}

extension ResponseMetadata {
    /// Whether the response is for the cookies of `request` alone, whatever its lifetime.
    ///
    /// `must-revalidate` lets it be shared despite Authorization (RFC 9111 §3.5), which says nothing of cookies.
    func belongsToCookies(of request: RequestProfile, _ options: CachingOptions) -> Bool {
        request.credentials.contains(.cookie) && !control.flags.contains(.isPublic) && control.sMaxAgeSeconds == nil
            && options.keepsCookiesApart(for: request)
    }
}
