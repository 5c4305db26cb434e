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
