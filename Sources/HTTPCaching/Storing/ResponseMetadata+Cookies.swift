extension CachingOptions {
    /// Whether Cookie in `request` is treated like Authorization.
    public func keepsCookiesApart(for request: RequestProfile) -> Bool {
        switch cookies {
        case .byRoute: !isLoopbackListener && !request.isForOrigin
        case .share: false
        case .partition: true
        }
    }
}

extension ResponseMetadata {
    /// Whether only requests with the cookies of `request` may get the response, whatever its lifetime.
    ///
    /// `must-revalidate` allows sharing despite Authorization (RFC 9111 §3.5), but that does not concern cookies.
    func belongsToCookies(of request: RequestProfile, _ options: CachingOptions) -> Bool {
        request.credentials.contains(.cookie) && !control.flags.contains(.isPublic) && control.sMaxAgeSeconds == nil
            && options.keepsCookiesApart(for: request)
    }
}
