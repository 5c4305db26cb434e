import HTTPCore

/// How a request reached its resource; the resource is the same on every way.
enum RouteKind: Sendable, Equatable {
    /// An absolute-form target.
    case forward
    /// `/http://host/…`: references in the response are rewritten to this form.
    case prefix
    /// An origin-form target of a reverse proxy.
    case gateway
}

/// Where a request goes.
enum Route {
    /// To the origin of this URI.
    case origin(TargetURI, RouteKind)
    /// `OPTIONS *` for the server of this URI (H-015).
    case originServer(TargetURI)
    /// A tunnel to this host and port.
    case tunnel(host: [UInt8], port: UInt16)
    /// The page on `/`.
    case landingPage
    /// `OPTIONS *` for the proxy itself.
    case proxyItself
    case refused(Refusal)
}

/// A request the proxy answers itself because it may not or cannot be forwarded.
struct Refusal: Error, Equatable {
    var status: UInt16
    /// A sentence that names the element, the fault and the remedy; no octets of the request.
    var detail: String
    /// The error type of RFC 9209 §2.3.
    var type: ProxyErrorType

    /// Whether nothing behind the request may be read: it broke a rule, rather than asked for what is not there.
    var endsConnection: Bool { status < 500 || status == 501 || status == 505 }

    init(_ status: UInt16, _ detail: String, type: ProxyErrorType = .httpRequestDenied) {
        self.status = status
        self.detail = detail
        self.type = type
    }
}
