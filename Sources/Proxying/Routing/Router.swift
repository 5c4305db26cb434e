import Eventing
import HTTPCore
import HTTPServer

/// Decides where a request goes, by its head alone.
///
/// A class, because each request would copy a value with all its options.
final class Router: Sendable {
    let options: ProxyOptions
    /// Finds the keys of hits.
    let hits: HitRouter
    private let rules: RoutingRules
    /// Whether it is a reverse proxy: to compare the options' origin would copy it.
    private let isGateway: Bool
    /// Shared by all requests to the origin of a reverse proxy.
    private let gatewayKind: RouteKind

    init(options: ProxyOptions) {
        self.options = options
        rules = RoutingRules(options)
        hits = HitRouter(rules)
        isGateway = options.gateway != nil
        gatewayKind = RouteKind(.gateway, base: options.gateway)
    }

    private var check: TargetCheck { TargetCheck(rules: rules) }
    private var serviceRouter: ServiceRouter { ServiceRouter(rules: rules) }

    /// Decides where `head` goes; a refusal is a complete response.
    ///
    /// - Parameters:
    ///   - peer: the client. If it is beyond this machine and not listed, it gets no credential of a service (H-139).
    ///     Of a reverse proxy it gets only the origin.
    ///   - origin: the origin of the connection's requests, inside a CONNECT.
    ///   - isSOCKS: whether `head` stands for a request of SOCKS, whose port 80 is served as HTTP.
    func route(
        _ head: RequestHead,
        from peer: SocketAddress,
        within origin: ConnectionOrigin? = nil,
        isSOCKS: Bool = false
    ) -> Route {
        if head.method == .trace {
            return .refused(Refusal(405, "the method TRACE is not allowed here; use GET, or ask the origin directly"))
        }
        let isStranger = !options.listsClients && !peer.isLocalOnly
        let route = origin.map { inside($0, head) } ?? outside(head, isStranger: isStranger, isSOCKS: isSOCKS)
        return isStranger ? forStranger(route) : route
    }

    private func outside(_ head: RequestHead, isStranger: Bool, isSOCKS: Bool) -> Route {
        switch head.form {
        case .authority: tunnel(head, isSOCKS: isSOCKS)
        case .asterisk: asterisk(head)
        case .absolute: absolute(head)
        case .origin: path(head, isStranger: isStranger)
        }
    }

    /// Routes a request inside a CONNECT: to the one origin, without gateway, services and pages of ours.
    private func inside(_ origin: ConnectionOrigin, _ head: RequestHead) -> Route {
        guard head.form != .authority else {
            return .refused(Refusal(405, "CONNECT is not allowed inside a CONNECT; open a connection of its own"))
        }
        guard let origin = origin.named(in: head) else {
            return .refused(
                Refusal(
                    421,
                    "this connection was opened by a CONNECT to another authority; open one for this request's"
                )
            )
        }
        if head.form == .absolute, let refusal = otherHost(head) { return .refused(refusal) }
        if head.form == .asterisk {
            return Self.maxForwards(head) == 0 ? .proxyItself : check.serverRoute(to: origin.uri(path: []))
        }
        let uri = origin.uri(path: Array(head.fields.bytes[head.parts.path]))
        if head.method == .options, head.parts.path.isEmpty { return check.serverRoute(to: uri) }
        // The fields of services stay away: a page of the origin itself may have sent the request.
        return check.refusal(for: uri).map { .refused($0) } ?? .origin(uri, .intercepted)
    }

    // MARK: Clients that are not listed

    private func forStranger(_ route: Route) -> Route {
        switch route {
        case .origin(_, let kind) where kind.injector != nil:
            return .refused(
                Refusal(
                    403,
                    "this service adds a credential, which is for this machine's clients; `access.clients` lists others that may"
                )
            )
        case .origin(let uri, _) where isElsewhere(uri), .originServer(let uri) where isElsewhere(uri):
            return .refused(onlyForListed)
        case .tunnel where isGateway && !options.allowsOpenProxy: return .refused(onlyForListed)
        default:
            return route
        }
    }

    private var onlyForListed: Refusal {
        Refusal(
            403,
            "this reverse proxy serves one origin, and others to listed clients only; `access.clients` lists them"
        )
    }

    /// Whether a URI is not of the origin this listener is a reverse proxy for.
    private func isElsewhere(_ uri: TargetURI) -> Bool {
        guard let base = options.gateway?.base, !options.allowsOpenProxy else { return false }
        return uri.scheme != base.scheme || uri.host != base.host || uri.port != base.port
    }

    // MARK: By form

    private func tunnel(_ head: RequestHead, isSOCKS: Bool) -> Route {
        guard options.routes.contains(.forward) else {
            return .refused(Refusal(405, "CONNECT is not allowed on this listener, which is \(Self.noForwardProxy)"))
        }
        guard let port = head.parts.port else {
            return .refused(Refusal(400, "the target of CONNECT has no port; it is HOST:PORT"))
        }
        guard options.mayTunnel(to: port) || isSOCKS && options.servesHTTP(behindSOCKS: port) else {
            let remedy =
                options.connectPorts == .any
                ? "it is for another protocol than HTTP; take it out of `access.blocked-ports`"
                : "add it to `access.connect-ports`"
            return .refused(Refusal(403, "CONNECT to port \(port) refused: \(remedy) in the proxy's settings"))
        }
        return .tunnel(host: head.fields.bytes[head.parts.host].map(\.asciiLowercased), port: port)
    }

    private func asterisk(_ head: RequestHead) -> Route {
        guard let gateway = options.gateway else { return .proxyItself }
        if let refusal = rules.names?.refusal(head) { return .refused(refusal) }
        return Self.maxForwards(head) == 0 ? .proxyItself : .originServer(gateway.base)
    }

    private func absolute(_ head: RequestHead) -> Route {
        // In front of one origin a `Host` that names another than the target is refused, not interpreted (H-060).
        if isGateway, let refusal = otherHost(head) { return .refused(refusal) }
        // The client uses the proxy for our own names, too.
        if rules.offersServices, head.parts.scheme == .http,
            options.addressPolicy.listeners.hasProxyPort(head.parts.port ?? 80),
            case .service(let service) = rules.services.host(of: head)
        {
            return serviceRouter.byHost(head, service)
        }
        guard options.routes.contains(.forward) || options.gateway?.isTarget(of: head) ?? false else {
            return .refused(
                Refusal(421, "the request target is elsewhere, and this listener is \(Self.noForwardProxy)")
            )
        }
        let uri = head.targetURI
        if head.method == .options, head.parts.path.isEmpty { return check.serverRoute(to: uri) }
        return check.route(to: uri, .forward, head)
    }

    /// Names the setting, and explains it.
    private static let noForwardProxy =
        "no forward proxy; \"forward\" in `routes` of its [[listener]] makes it one, by which whoever reaches it reaches what this "
        + "machine does"

    private func otherHost(_ head: RequestHead) -> Refusal? {
        guard head.hasOtherHostThanTarget else { return nil }
        return Refusal(400, "Host names another authority than the request target; send the target's own")
    }

    /// Routes an origin-form target.
    private func path(_ head: RequestHead, isStranger: Bool) -> Route {
        let host = rules.offersServices ? rules.services.host(of: head) : .other
        // A service's host is an origin of its own: all its paths are the service's. Clients that are not listed get
        // only the gateway.
        if case .service(let service) = host, !isStranger || !service.injects || !isGateway {
            return serviceRouter.byHost(head, service)
        }
        // In front of one origin, a path such as /http://host/ belongs to that origin.
        if options.routes.contains(.prefix) || !isGateway {
            switch head.prefixTarget() {
            case .invalid(let error): return respelt(head) ?? .refused(Refusal(400, error.userMessage))
            case .parts(let parts): return prefixed(head, parts)
            case .none: break
            }
        }
        if let gateway = options.gateway {
            if let refusal = rules.names?.refusal(head) { return .refused(refusal) }
            return check.route(to: gateway.target(of: head), gatewayKind, head)
        }
        if case .unknown = host { return .refused(unknownService) }
        if rules.offersServices, let (service, rest) = rules.services.path(of: head) {
            return serviceRouter.byPath(head, service, rest)
        }
        return ownPage(head)
    }

    private var unknownService: Refusal {
        Refusal(
            404,
            "no service has this host's name; of services, \(rules.services.names); see `[service.NAME]` in the settings"
        )
    }

    // MARK: The prefix form

    /// Redirects to the right spelling of a prefix that clients are known to misspell; other spellings are not served.
    private func respelt(_ head: RequestHead) -> Route? {
        guard options.routes.contains(.prefix), head.method == .get || head.method == .head,
            BrowserGuard.refusal(head, options) == nil
        else { return nil }
        return head.respeltPrefix().map { .moved(to: $0) }
    }

    /// `/http://host/path` (H-065).
    private func prefixed(_ head: RequestHead, _ parts: TargetParts) -> Route {
        guard options.routes.contains(.prefix) else {
            return .refused(
                Refusal(
                    403,
                    "the prefix gateway is off on this listener; use it as a forward proxy, or name \"prefix\" in `routes` of its "
                        + "[[listener]]: whoever reaches it then reaches what this machine does"
                )
            )
        }
        if let refusal = BrowserGuard.refusal(head, options) { return .refused(refusal) }
        let uri = head.targetURI(of: parts)
        if head.method == .options, parts.path.isEmpty { return check.serverRoute(to: uri) }
        let sharedOrigin = SharedOrigin(head, options)
        let client = GatewayClient(head, options, sharedOrigin)
        return check.route(to: uri, RouteKind(.prefix, client: client, sharedOrigin: sharedOrigin), head)
    }

    // MARK: Our own pages

    private func ownPage(_ head: RequestHead) -> Route {
        let path = head.fields.bytes[head.parts.path]
        if path.elementsEqual([0x2F]) { return ownDocumentRefusal(head).map { .refused($0) } ?? .landingPage }
        if options.routes.contains(.forward), ProxyScript.hasPath(path) { return script(head) }
        if path.elementsEqual("/favicon.ico".utf8), BrowserGuard.foreignHost(head, options) == nil { return .icon }
        return .refused(Refusal(400, "the request target is a path, but this is \(offeredRoutes)"))
    }

    /// The ways to send requests to a listener that is no reverse proxy.
    private var offeredRoutes: String {
        var sentences: [String] = []
        if options.routes.contains(.forward) { sentences.append("send http://host/path as a proxy request") }
        if options.routes.contains(.prefix) { sentences.append("ask for /http://host/path here") }
        if options.routes.contains(.services) {
            sentences.append("ask for /NAME/path of a service (\(rules.services.names))")
        }
        let kind = options.routes.contains(.forward) ? "a forward proxy" : "no forward proxy"
        return "\(kind); " + sentences.joined(separator: ", or ")
    }

    /// Why a document of our own is not served; nil if it is.
    private func ownDocumentRefusal(_ head: RequestHead) -> Refusal? {
        if let refusal = BrowserGuard.foreignHost(head, options) { return refusal }
        guard head.method == .get || head.method == .head else {
            return Refusal(405, "the proxy's own page is only read; use GET")
        }
        return nil
    }

    private func script(_ head: RequestHead) -> Route {
        if let refusal = ownDocumentRefusal(head) ?? BrowserGuard.otherSite(head, options) { return .refused(refusal) }
        guard let authority = ProxyScript.authority(of: head, isSecure: options.isSecure) else {
            return .refused(Refusal(400, "the script names the proxy as Host does, and Host is no name or address"))
        }
        return .script(ProxyScript(authority: authority, isSecure: options.isSecure, options: options.script))
    }

    /// The value of Max-Forwards if it is a number (H-084).
    static func maxForwards(_ head: RequestHead) -> Int? {
        guard let text = head.fields.value(of: .maxForwards), !text.isEmpty, text.count <= 9 else { return nil }
        var value = 0
        for byte in text {
            guard byte &- 0x30 < 10 else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return value
    }
}
