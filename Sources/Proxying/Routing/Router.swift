import Eventing
import HTTPCore
import HTTPServer

/// Finds out what a request is for, by its target alone.
///
/// A URI is written the same way whatever the route (DESIGN.md §6): the key of a hit is made here without allocating.
///
/// An object, since a value would be copied, with all the options, for each request.
final class Router: Sendable {
    let options: ProxyOptions
    private let services: ServiceDirectory
    /// The one for all requests to what a reverse proxy stands for.
    private let gatewayKind: RouteKind

    init(options: ProxyOptions) {
        self.options = options
        services = ServiceDirectory(options.services)
        gatewayKind = RouteKind(.gateway, base: options.gateway)
    }

    // MARK: Hot path

    /// Appends the canonical target URI of a GET to `key` where no check beyond the target's form is needed.
    ///
    /// Nil, with `key` in any state, if the request wants `route(_:)`.
    /// - Parameter origin: what the requests of the connection are for, inside a CONNECT.
    func appendKey(
        of head: RequestHead,
        within origin: ConnectionOrigin? = nil,
        to key: inout [UInt8]
    ) -> RouteKind.Form? {
        if let origin { return appendKey(of: head, of: origin, to: &key) }
        guard let form = appendTarget(of: head, to: &key) else { return nil }
        return services.isEmpty || services.injector(of: key.span) == nil ? form : nil
    }

    private func appendKey(of head: RequestHead, of origin: ConnectionOrigin, to key: inout [UInt8]) -> RouteKind.Form?
    {
        guard head.form == .origin, origin.isNamed(in: head) else { return nil }
        key.append(contentsOf: origin.prefix)
        key.append(copying: head.fields.octets.span.extracting(head.parts.path))
        return .intercepted
    }

    private func appendTarget(of head: RequestHead, to key: inout [UInt8]) -> RouteKind.Form? {
        switch head.form {
        case .absolute:
            guard mayTakeAbsolute(head) else { return nil }
            head.appendCanonicalTarget(of: head.parts, to: &key)
            return .forward
        case .origin:
            if !services.isEmpty, let form = appendServiceTarget(of: head, to: &key) { return form }
            switch head.prefixTarget() {
            case .invalid:
                return nil
            case .parts(let parts):
                guard options.allowsPrefixGateway, !options.servesBeyondLoopback, services.mayBePrefixed(head),
                    BrowserGuard.isPlainTool(head, options)
                else { return nil }
                head.appendCanonicalTarget(of: parts, to: &key)
                return .prefix
            case .none:
                guard let gateway = options.gateway, services.mayBePrefixed(head) else { return nil }
                gateway.appendTarget(of: head, to: &key)
                return .gateway
            }
        case .authority, .asterisk:
            return nil
        }
    }

    /// Whether an absolute-form target needs no judging: in front of one origin, none that `Host` contradicts, nor one that
    /// strangers are refused.
    private func mayTakeAbsolute(_ head: RequestHead) -> Bool {
        guard let gateway = options.gateway else { return true }
        return (options.allowsOpenProxy || options.listsClients || gateway.isTarget(of: head)) && !disagrees(head)
    }

    /// Appends the target of a request to a service that injects nothing, if it can be joined as it stands.
    private func appendServiceTarget(of head: RequestHead, to key: inout [UInt8]) -> RouteKind.Form? {
        let octets = head.fields.octets.span
        if case .service(let service) = services.host(of: head) {
            let rest = octets.extracting(head.parts.path)
            guard !service.injects, ServicePath.isPlain(rest) else { return nil }
            key.append(contentsOf: service.prefix)
            key.append(copying: rest)
            return .serviceHost
        }
        guard options.gateway == nil, !options.servesBeyondLoopback, let (service, range) = services.path(of: head),
            !service.injects, !range.isEmpty, octets[range.lowerBound] == 0x2F
        else { return nil }
        let rest = octets.extracting(range)
        guard ServicePath.isPlain(rest), BrowserGuard.isPlainTool(head, options) else { return nil }
        key.append(contentsOf: service.prefix)
        key.append(copying: rest)
        return .servicePath
    }

    // MARK: All requests

    /// Where `head` goes; refusals are complete answers.
    ///
    /// - Parameters:
    ///   - peer: the client: strangers are given no credential of a service, and a reverse proxy is none for other origins
    ///     to them (H-139).
    ///   - origin: what the requests of the connection are for, inside a CONNECT.
    func route(_ head: RequestHead, from peer: SocketAddress, within origin: ConnectionOrigin? = nil) -> Route {
        if head.method == .trace {
            return .refused(Refusal(405, "the method TRACE is not allowed here; use GET, or ask the origin directly"))
        }
        let isStranger = !options.listsClients && !peer.isLocalOnly
        let route = origin.map { inside($0, head) } ?? outside(head, isStranger: isStranger)
        return isStranger ? forStranger(route) : route
    }

    private func outside(_ head: RequestHead, isStranger: Bool) -> Route {
        switch head.form {
        case .authority: tunnel(head)
        case .asterisk: asterisk(head)
        case .absolute: absolute(head)
        case .origin: origin(head, isStranger: isStranger)
        }
    }

    /// Inside a CONNECT there is the one origin, without gateway, services and pages of ours.
    private func inside(_ origin: ConnectionOrigin, _ head: RequestHead) -> Route {
        guard head.form != .authority else {
            return .refused(Refusal(405, "CONNECT is not allowed inside a CONNECT; open a connection of its own"))
        }
        guard origin.isNamed(in: head) else {
            return .refused(
                Refusal(
                    421,
                    "this connection was opened by a CONNECT to another authority; open one for this request's"
                )
            )
        }
        if head.form == .absolute, let refusal = disagreement(head) { return .refused(refusal) }
        if head.form == .asterisk {
            return Self.maxForwards(head) == 0 ? .proxyItself : server(origin.uri(path: []))
        }
        let uri = origin.uri(path: Array(head.fields.octets[head.parts.path]))
        if head.method == .options, head.parts.path.isEmpty { return server(uri) }
        // No field of a service goes with it: pages of the origin itself are here.
        return refusal(for: uri).map { .refused($0) } ?? .origin(uri, .intercepted)
    }

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
            return .refused(
                Refusal(
                    403,
                    "this reverse proxy serves one origin, and others to listed clients only; `access.clients` lists them"
                )
            )
        default:
            return route
        }
    }

    /// Whether a URI is not of the origin this listener is a reverse proxy for.
    private func isElsewhere(_ uri: TargetURI) -> Bool {
        guard let base = options.gateway?.base, !options.allowsOpenProxy else { return false }
        return uri.scheme != base.scheme || uri.host != base.host || uri.port != base.port
    }

    private func tunnel(_ head: RequestHead) -> Route {
        guard options.gateway == nil else {
            return .refused(Refusal(405, "CONNECT is not allowed on a reverse proxy; this listener serves one origin"))
        }
        guard let port = head.parts.port else {
            return .refused(Refusal(400, "the target of CONNECT has no port; it is HOST:PORT"))
        }
        guard options.connectPorts.contains(port) else {
            return .refused(
                Refusal(403, "CONNECT to port \(port) is not allowed; `access.connect-ports` lists the ports that are")
            )
        }
        return .tunnel(host: head.fields.octets[head.parts.host].map(\.asciiLowercased), port: port)
    }

    private func asterisk(_ head: RequestHead) -> Route {
        guard let gateway = options.gateway, Self.maxForwards(head) != 0 else { return .proxyItself }
        return .originServer(gateway.base)
    }

    private func absolute(_ head: RequestHead) -> Route {
        if let refusal = contradictsHost(head) { return .refused(refusal) }
        // A client that uses the proxy for our own names too.
        if head.parts.scheme == .http, options.addressPolicy.listeners.hasProxyPort(head.parts.port ?? 80),
            case .service(let service) = services.host(of: head)
        {
            return byHost(head, service)
        }
        let uri = head.targetURI
        if head.method == .options, head.parts.path.isEmpty { return server(uri) }
        return checked(uri, .forward, head)
    }

    /// In front of one origin, a `Host` that names another than the target is not read by anybody's guess (H-060).
    private func contradictsHost(_ head: RequestHead) -> Refusal? { options.gateway == nil ? nil : disagreement(head) }

    private func disagreement(_ head: RequestHead) -> Refusal? {
        disagrees(head)
            ? Refusal(400, "Host names another authority than the request target; send the target's own") : nil
    }

    /// `Host` names another authority than the absolute-form target.
    private func disagrees(_ head: RequestHead) -> Bool {
        guard let scheme = head.parts.scheme else { return false }
        let differs = head.fields.withValue(of: .host) { named in
            guard let authority = Authority(named, 0..<named.count) else { return false }
            let octets = head.fields.octets.span
            let host = head.parts.host
            guard host.count == authority.host.count else { return true }
            for offset in 0..<host.count
            where octets[host.lowerBound + offset].asciiLowercased
                != named[authority.host.lowerBound + offset].asciiLowercased
            {
                return true
            }
            return (head.parts.port ?? scheme.defaultPort) != (authority.port ?? scheme.defaultPort)
        }
        return differs ?? false
    }

    private func origin(_ head: RequestHead, isStranger: Bool) -> Route {
        let host = services.host(of: head)
        // A service's host is an origin of its own: whatever the path, it is the service's. To strangers a gateway is all
        // there is.
        if case .service(let service) = host, !isStranger || !service.injects || options.gateway == nil {
            return byHost(head, service)
        }
        switch head.prefixTarget() {
        case .invalid(let error): return respelt(head) ?? .refused(Refusal(400, error.userMessage))
        case .parts(let parts): return prefixed(head, parts)
        case .none: break
        }
        if let gateway = options.gateway { return checked(gateway.target(of: head), gatewayKind, head) }
        if case .unknown = host { return .refused(unknownService) }
        if let (service, rest) = services.path(of: head) { return byPath(head, service, rest) }
        return ownPage(head)
    }

    private var unknownService: Refusal {
        Refusal(
            404,
            "no service has this host's name; of services, \(services.names); see `[service.NAME]` in the settings"
        )
    }

    /// What we serve ourselves beside the routes.
    private func ownPage(_ head: RequestHead) -> Route {
        let path = head.fields.octets[head.parts.path]
        if path.elementsEqual([0x2F]) { return landingPage(head) }
        if path.elementsEqual("/favicon.ico".utf8), BrowserGuard.foreignHost(head, options) == nil { return .icon }
        return .refused(
            Refusal(
                400,
                "the request target is a path, but this is a forward proxy; send http://host/path as a proxy request, or "
                    + "ask for /http://host/path here, or for /NAME/path of a service (\(services.names))"
            )
        )
    }

    private func landingPage(_ head: RequestHead) -> Route {
        if let refusal = BrowserGuard.foreignHost(head, options) { return .refused(refusal) }
        guard head.method == .get || head.method == .head else {
            return .refused(Refusal(405, "the proxy's own page is only read; use GET"))
        }
        return .landingPage
    }

    /// Leads clients to the right spelling of a prefix that they are known to misspell: nothing is served under another.
    private func respelt(_ head: RequestHead) -> Route? {
        guard options.allowsPrefixGateway, head.method == .get || head.method == .head,
            BrowserGuard.refusal(head, options) == nil
        else { return nil }
        return head.respeltPrefix().map { .moved(to: $0) }
    }

    /// `/http://host/path` (H-065).
    private func prefixed(_ head: RequestHead, _ parts: TargetParts) -> Route {
        guard options.allowsPrefixGateway else {
            return .refused(
                Refusal(
                    403,
                    "the prefix gateway is off on this listener; use it as a forward proxy, or listen on loopback"
                )
            )
        }
        if let refusal = BrowserGuard.refusal(head, options) { return .refused(refusal) }
        let uri = head.targetURI(of: parts)
        if head.method == .options, parts.path.isEmpty { return server(uri) }
        let client = BrowserGuard.isBrowser(head) ? nil : GatewayClient(head, isSecure: options.isSecure)
        return checked(uri, RouteKind(.prefix, client: client, isSandboxed: isSandboxed(head)), head)
    }

    // MARK: Services

    private func byHost(_ head: RequestHead, _ service: NamedService) -> Route {
        var elsewhere = ServiceReferences.Elsewhere.absolute
        // A browser would be refused the prefix form; tools find it on our own name.
        if options.allowsPrefixGateway, !BrowserGuard.isBrowser(head) {
            let port = head.parts.port.map { ":\($0)" } ?? ""
            elsewhere = .prefixed(Array("\(options.scheme)localhost\(port)/".utf8))
        }
        let kind = RouteKind(.serviceHost, service: service, elsewhere: elsewhere)
        return toService(head, kind, service, head.parts.path)
    }

    private func byPath(_ head: RequestHead, _ service: NamedService, _ rest: Range<Int>) -> Route {
        if let refusal = BrowserGuard.foreignHost(head, options) { return .refused(refusal) }
        let isPrefixed = options.allowsPrefixGateway && !BrowserGuard.isBrowser(head)
        let kind = RouteKind(
            .servicePath,
            service: service,
            elsewhere: isPrefixed ? .prefixed([0x2F]) : .absolute,
            client: isPrefixed ? GatewayClient(head, isSecure: options.isSecure) : nil,
            isSandboxed: isSandboxed(head)
        )
        return toService(head, kind, service, rest)
    }

    private func toService(_ head: RequestHead, _ kind: RouteKind, _ service: NamedService, _ rest: Range<Int>) -> Route
    {
        guard let path = ServicePath.resolved(Array(head.fields.octets[rest])) else {
            return .refused(Refusal(400, "the path holds an encoded `..`, which might lead out of the service"))
        }
        return checked(service.target(of: path), kind, head, injector: service.injects ? service : nil)
    }

    /// Whether a response might become a document of the origin that all sites share here.
    private func isSandboxed(_ head: RequestHead) -> Bool {
        options.servesBeyondLoopback || BrowserGuard.isBrowser(head)
    }

    private func server(_ uri: TargetURI) -> Route {
        if let refusal = refusal(for: uri) { return .refused(refusal) }
        return .originServer(uri)
    }

    /// - Parameter service: whose fields go with the request in any case.
    private func checked(
        _ uri: TargetURI,
        _ kind: RouteKind,
        _ head: RequestHead,
        injector service: NamedService? = nil
    ) -> Route {
        if let refusal = refusal(for: uri) { return .refused(refusal) }
        guard let injector = service ?? services.injector(of: uri.octets.span) else { return .origin(uri, kind) }
        if service == nil {
            // Its base is compared octet by octet: a way up would take the credential out of it.
            let rest = injector.rest(of: uri).map { Array($0) } ?? []
            guard ServicePath.resolved(rest) == rest else {
                return .refused(
                    Refusal(400, "the path holds dot segments, which might take a service's credential out of its base")
                )
            }
            // A name somebody made resolve to this address would make a foreign page our own.
            if kind.form == .gateway, let refusal = BrowserGuard.foreignHost(head, options) { return .refused(refusal) }
        }
        switch ServiceGuard.verdict(head, injector, ownOrigin: ownOrigin(head, uri, kind.form)) {
        case .own: return .origin(uri, kind.injecting(injector, allowedOrigin: nil))
        case .listed(let origin): return .origin(uri, kind.injecting(injector, allowedOrigin: origin))
        case .refused(let refusal): return .refused(refusal)
        }
    }

    /// The origin a browser sees behind this request.
    private func ownOrigin(_ head: RequestHead, _ uri: TargetURI, _ form: RouteKind.Form) -> [UInt8] {
        guard form != .forward else { return Self.origin(of: uri) }
        // Then Host says nothing (RFC 9112 §3.2.2).
        guard head.form != .absolute else { return Self.origin(of: head.targetURI) }
        return Array(options.scheme.utf8) + (head.fields.value(of: .host) ?? []).map(\.asciiLowercased)
    }

    private static func origin(of uri: TargetURI) -> [UInt8] { Array(uri.octets[..<uri.pathRange.lowerBound]) }

    private func refusal(for uri: TargetURI) -> Refusal? {
        guard !options.blockedPorts.contains(uri.port) else {
            return Refusal(403, "port \(uri.port) is not one for HTTP; `access.blocked-ports` lists the ports refused")
        }
        return nil
    }

    /// The value of Max-Forwards if it is a number (H-084).
    static func maxForwards(_ head: RequestHead) -> Int? {
        guard let text = head.fields.value(of: .maxForwards), !text.isEmpty, text.count <= 9 else { return nil }
        var value = 0
        for octet in text {
            guard octet &- 0x30 < 10 else { return nil }
            value = value * 10 + Int(octet - 0x30)
        }
        return value
    }
}
