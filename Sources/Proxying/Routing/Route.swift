import HTTPCore

/// Where a request goes.
enum Route {
    /// The origin of this URI.
    case origin(TargetURI, RouteKind)
    /// `OPTIONS *` for the server of this URI (H-015).
    case originServer(TargetURI)
    /// A tunnel to this host and port, for CONNECT.
    case tunnel(host: [UInt8], port: UInt16)
    /// A redirect to another path of ours.
    case moved(to: [UInt8])
    /// The page on `/`.
    case landingPage
    /// The script by which clients choose a proxy.
    case script(ProxyScript)
    /// The icon that browsers request with the page; there is none.
    case icon
    /// `OPTIONS *` for the proxy itself.
    case proxyItself
    case refused(Refusal)
}
