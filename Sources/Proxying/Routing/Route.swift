import HTTPCore

/// Where a request goes.
enum Route {
    /// To the origin of this URI.
    case origin(TargetURI, RouteKind)
    /// `OPTIONS *` for the server of this URI (H-015).
    case originServer(TargetURI)
    /// A tunnel to this host and port.
    case tunnel(host: [UInt8], port: UInt16)
    /// To another path of ours, by a redirect.
    case moved(to: [UInt8])
    /// The page on `/`.
    case landingPage
    /// The icon that browsers ask for beside the page; there is none.
    case icon
    /// `OPTIONS *` for the proxy itself.
    case proxyItself
    case refused(Refusal)
}
