public import Eventing
public import HTTPCaching
public import HTTPCore

/// What the responders of a listener need to know.
public struct ProxyOptions: Sendable {
    /// The origin this listener is a reverse proxy for: all paths are its; nil: it is none.
    public var gateway: GatewayBase?
    /// What else is offered here.
    public var routes = OfferedRoutes.all
    /// Whether a reverse proxy answers whatever name `Host` gives.
    public var answersToEveryName = false
    /// Whether a reverse proxy passes on the client's `Host`, which belongs to the key then, in place of the origin's name.
    public var passesClientHost = false
    /// Whether clients beyond loopback may come: their browsers tell nothing about a request's site.
    ///
    /// Cookies are then kept off the routes on which a path names the origin, unless `pathCookies` says otherwise.
    public var servesBeyondLoopback = false
    /// What becomes of cookies where a path names the origin; nil: what goes with the listener.
    public var pathCookies: PathCookies?
    /// Whether requests come by TLS.
    public internal(set) var isSecure = false
    /// Whether only listed clients may connect; else a service's credential is for those on this machine alone.
    public var listsClients = false
    /// Whose PURGE, BAN and REFRESH are obeyed (H-141).
    public var mayCommand: @Sendable (SocketAddress) -> Bool = { _ in false }
    /// Whether a reverse proxy is a forward proxy too to clients that nobody listed.
    public var allowsOpenProxy = false
    /// The named services, each with another name and base.
    public var services: [ServiceRoute] = []
    /// Whether a client may have `Upgrade: websocket` passed on (H-077).
    public var allowsWebSocket = true
    /// Where the dashboard is, for the page on `/`, such as `http://127.0.0.1:3129/`; nil: not told.
    public var adminURL: String?
    /// Names besides the loopback's that `Host` may give to the proxy itself, lower-case and without port.
    public var ownNames: [[UInt8]] = []
    /// Our member of `Via`; tells a loop from another Respite in the chain (H-135).
    public var via: Via
    /// Ports CONNECT may reach (H-079).
    public var connectPorts: [UInt16] = [443, 8443]
    /// Ports no plain request may reach (H-138).
    public var blockedPorts: Set<UInt16> = [25, 110, 119, 143, 465, 563, 587, 993, 995]
    /// Which addresses may be connected to; the pools of the exchange provider judge by the same.
    public var addressPolicy: AddressPolicy
    /// Which targets of tunnels are reached through which proxy; the exchange provider goes by the same.
    public var parents = ParentSelection()
    /// A tunnel's far end must answer within this time.
    public var connectTimeout: Duration = .seconds(5)
    /// Whose TLS ends here; nil: nobody's.
    public var interception: Interception?
    /// How long a client's handshake may take where its TLS ends here.
    public var handshakeTime: Duration = .seconds(10)
    /// How long a client inside a CONNECT that may be served here is waited for, before the far end is asked to speak.
    public var firstBytesTime: Duration = .seconds(1)
    /// A tunnel, of CONNECT or a WebSocket, ends after neither side has sent anything for this time.
    public var tunnelIdleTimeout: Duration = .seconds(600)
    /// A tunnel ends after this time, however busy it is; nil: never.
    public var tunnelLifetime: Duration? = .seconds(86_400)
    /// Nil: requests are not logged.
    public var accessLog: AccessLog?
    /// How long the response to an unsafe request waits until what it makes invalid is marked at rest; a store that takes
    /// longer has a full disk or a locked database.
    public var markingTime: Duration = .seconds(1)
    /// Where refusals that a setting would lift are told; nil: nowhere.
    public var refusalLog: RefusalLog?
    /// Which fields are credentials (C-20.1).
    public var credentialFields = CredentialFields()

    public init(via: Via, addressPolicy: AddressPolicy) {
        self.via = via
        self.addressPolicy = addressPolicy
    }

    /// The same for requests that come by TLS: of those every browser tells the site, from wherever it comes.
    var overTLS: ProxyOptions {
        var options = self
        options.isSecure = true
        options.servesBeyondLoopback = false
        return options
    }

    /// Scoped cookies lose `Secure` on plain connections: those of clients beyond loopback would be read on the way.
    var cookiesOnPaths: PathCookies { pathCookies ?? (servesBeyondLoopback ? .drop : .scoped) }

    /// What stands before our own authority in a URL.
    var scheme: String { isSecure ? "https://" : "http://" }
}

/// The origin of a reverse proxy: scheme and authority, and a path all targets are put behind.
public struct GatewayBase: Sendable, Equatable {
    /// The URI given, its path with a slash at the end.
    public let base: TargetURI
    /// Canonical, without a slash at the end; an origin-form target appended to it is a target URI.
    private let prefix: [UInt8]
    /// Lower-cased; an IPv6 literal in brackets.
    private let host: [UInt8]
    /// The path of the base, without the slash at the end.
    private let pathPrefix: [UInt8]

    /// - Parameter base: an absolute URI without query.
    public init(_ base: TargetURI) {
        var path = base.path
        if path.last != 0x2F { path.append(0x2F) }
        self.base = TargetURI(scheme: base.scheme, host: base.host, port: base.port, path: path)
        prefix = Array(self.base.bytes.dropLast())
        host = self.base.host
        pathPrefix = Array(self.base.path.dropLast())
    }

    /// Whether the absolute-form target of a request is of this origin.
    func isTarget(of head: RequestHead) -> Bool { (head.parts.scheme ?? .http) == base.scheme && isNamed(in: head) }

    /// Whether the authority of a request is this origin's.
    func isNamed(in head: RequestHead) -> Bool {
        guard (head.parts.port ?? base.scheme.defaultPort) == base.port, head.parts.host.count == host.count else {
            return false
        }
        let bytes = head.fields.bytes.span
        let start = head.parts.host.lowerBound
        for index in host.indices where bytes[start + index].asciiLowercased != host[index] { return false }
        return true
    }

    /// The authority in `Host`, in lower case, if it is another than this origin's.
    func foreignAuthority(of head: RequestHead) -> [UInt8]? {
        guard !head.parts.host.isEmpty, !isNamed(in: head) else { return nil }
        let port = head.parts.port.map { Array(":\($0)".utf8) } ?? []
        return head.fields.bytes[head.parts.host].map(\.asciiLowercased) + port
    }

    /// Appends the URI an origin-form target stands for.
    func appendTarget(of head: RequestHead, to key: inout [UInt8]) {
        key.append(copying: prefix.span, head.fields.bytes.span.extracting(head.parts.path))
    }

    /// The origin-form target that stands for a URI, or nil if it is not below the base.
    func rest(of uri: TargetURI) -> ArraySlice<UInt8>? {
        guard uri.bytes.starts(with: prefix), uri.bytes.dropFirst(prefix.count).first == 0x2F else { return nil }
        return uri.bytes[prefix.count...]
    }

    /// The URI an origin-form target stands for.
    func target(of head: RequestHead) -> TargetURI {
        let path = head.fields.bytes.span.extracting(head.parts.path)
        return TargetURI(originOf: base, prefix: pathPrefix, path: path)
    }
}
