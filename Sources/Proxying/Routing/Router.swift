import Eventing
import HTTPCore
import HTTPServer

/// Finds out what a request is for, by its target alone.
///
/// A URI is written the same way whatever the route (S-014): the key of a hit is made here without allocating.
///
/// An object, since a value would be copied, with all the options, for each request.
final class Router: Sendable {
    let options: ProxyOptions
    private let services: ServiceDirectory
    /// The one for all requests to what a reverse proxy stands for.
    private let gatewayKind: RouteKind
    private let names: GatewayNames?
    /// Whether services have paths and hosts here; their fields may go with other requests all the same.
    private let offersServices: Bool

    init(options: ProxyOptions) {
        self.options = options
        services = ServiceDirectory(options.services)
        gatewayKind = RouteKind(.gateway, base: options.gateway)
        names = options.gateway.map { GatewayNames($0, options) }
        offersServices = options.routes.contains(.services) && !services.isEmpty
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
        key.append(copying: head.fields.bytes.span.extracting(head.parts.path))
        return .intercepted
    }

    private func appendTarget(of head: RequestHead, to key: inout [UInt8]) -> RouteKind.Form? {
        switch head.form {
        case .absolute:
            guard mayTakeAbsolute(head) else { return nil }
            head.appendCanonicalTarget(of: head.parts, to: &key)
            return .forward
        case .origin:
            if offersServices, let form = appendServiceTarget(of: head, to: &key) { return form }
            guard options.routes.contains(.prefix) else { return appendGatewayTarget(of: head, to: &key) }
            switch head.prefixTarget() {
            case .invalid:
                return nil
            case .parts(let parts):
                guard !options.servesBeyondLoopback, !offersServices || services.mayBePrefixed(head),
                    BrowserGuard.isPlainTool(head, options)
                else { return nil }
                head.appendCanonicalTarget(of: parts, to: &key)
                return .prefix
            case .none: return appendGatewayTarget(of: head, to: &key)
            }
        case .authority, .asterisk:
            return nil
        }
    }

    private func appendGatewayTarget(of head: RequestHead, to key: inout [UInt8]) -> RouteKind.Form? {
        guard let gateway = options.gateway, let names, !offersServices || services.mayBePrefixed(head),
            names.include(head), !options.passesClientHost || gateway.isNamed(in: head)
        else { return nil }
        gateway.appendTarget(of: head, to: &key)
        return .gateway
    }

    /// Whether an absolute-form target needs no judging: in front of one origin, none that `Host` contradicts, nor one that
    /// strangers are refused.
    private func mayTakeAbsolute(_ head: RequestHead) -> Bool {
        let isForward = options.routes.contains(.forward)
        guard let gateway = options.gateway else { return isForward }
        let isOpen = isForward && (options.allowsOpenProxy || options.listsClients)
        return (isOpen || gateway.isTarget(of: head)) && !disagrees(head)
    }

    /// Appends the target of a request to a service that injects nothing, if it can be joined as it stands.
    private func appendServiceTarget(of head: RequestHead, to key: inout [UInt8]) -> RouteKind.Form? {
        let bytes = head.fields.bytes.span
        if case .service(let service) = services.host(of: head) {
            let rest = bytes.extracting(head.parts.path)
            guard mayTake(service, head), ServicePath.isPlain(rest) else { return nil }
            key.append(contentsOf: service.prefix)
            key.append(copying: rest)
            return .serviceHost
        }
        guard options.gateway == nil, !options.servesBeyondLoopback, let (service, range) = services.path(of: head),
            mayTake(service, head), !range.isEmpty, bytes[range.lowerBound] == 0x2F
        else { return nil }
        let rest = bytes.extracting(range)
        guard ServicePath.isPlain(rest), BrowserGuard.isPlainTool(head, options) else { return nil }
        key.append(contentsOf: service.prefix)
        key.append(copying: rest)
        return .servicePath
    }

    /// Whether nothing about the page behind a request to a service need be judged, nor told in the answer.
    private func mayTake(_ service: NamedService, _ head: RequestHead) -> Bool {
        !service.injects && !service.listsPages && !BrowserGuard.isBrowser(head)
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
        let uri = origin.uri(path: Array(head.fields.bytes[head.parts.path]))
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
            return .refused(onlyForListed)
        case .tunnel where options.gateway != nil && !options.allowsOpenProxy: return .refused(onlyForListed)
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

    private func tunnel(_ head: RequestHead) -> Route {
        guard options.routes.contains(.forward) else {
            return .refused(Refusal(405, "CONNECT is not allowed on this listener, which is \(Self.noForwardProxy)"))
        }
        guard let port = head.parts.port else {
            return .refused(Refusal(400, "the target of CONNECT has no port; it is HOST:PORT"))
        }
        guard options.connectPorts.contains(port) else {
            return .refused(
                Refusal(403, "CONNECT to port \(port) is not allowed; `access.connect-ports` lists the ports that are")
            )
        }
        return .tunnel(host: head.fields.bytes[head.parts.host].map(\.asciiLowercased), port: port)
    }

    private func asterisk(_ head: RequestHead) -> Route {
        guard let gateway = options.gateway else { return .proxyItself }
        if let refusal = names?.refusal(head) { return .refused(refusal) }
        return Self.maxForwards(head) == 0 ? .proxyItself : .originServer(gateway.base)
    }

    private func absolute(_ head: RequestHead) -> Route {
        if let refusal = contradictsHost(head) { return .refused(refusal) }
        // A client that uses the proxy for our own names too.
        if offersServices, head.parts.scheme == .http,
            options.addressPolicy.listeners.hasProxyPort(head.parts.port ?? 80),
            case .service(let service) = services.host(of: head)
        {
            return byHost(head, service)
        }
        guard options.routes.contains(.forward) || options.gateway?.isTarget(of: head) ?? false else {
            return .refused(
                Refusal(421, "the request target is elsewhere, and this listener is \(Self.noForwardProxy)")
            )
        }
        let uri = head.targetURI
        if head.method == .options, head.parts.path.isEmpty { return server(uri) }
        return checked(uri, .forward, head)
    }

    /// What a person may do about it, and what that means.
    private static let noForwardProxy =
        "no forward proxy; \"forward\" in `routes` of its [[listener]] makes it one, by which whoever reaches it reaches what this "
        + "machine does"

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
            let bytes = head.fields.bytes.span
            let host = head.parts.host
            guard host.count == authority.host.count else { return true }
            for offset in 0..<host.count
            where bytes[host.lowerBound + offset].asciiLowercased
                != named[authority.host.lowerBound + offset].asciiLowercased
            {
                return true
            }
            return (head.parts.port ?? scheme.defaultPort) != (authority.port ?? scheme.defaultPort)
        }
        return differs ?? false
    }

    private func origin(_ head: RequestHead, isStranger: Bool) -> Route {
        let host = offersServices ? services.host(of: head) : .other
        // A service's host is an origin of its own: whatever the path, it is the service's. To strangers a gateway is all
        // there is.
        if case .service(let service) = host, !isStranger || !service.injects || options.gateway == nil {
            return byHost(head, service)
        }
        // In front of one origin a path such as /http://host/ is the origin's.
        if options.routes.contains(.prefix) || options.gateway == nil {
            switch head.prefixTarget() {
            case .invalid(let error): return respelt(head) ?? .refused(Refusal(400, error.userMessage))
            case .parts(let parts): return prefixed(head, parts)
            case .none: break
            }
        }
        if let gateway = options.gateway {
            if let refusal = names?.refusal(head) { return .refused(refusal) }
            return checked(gateway.target(of: head), gatewayKind, head)
        }
        if case .unknown = host { return .refused(unknownService) }
        if offersServices, let (service, rest) = services.path(of: head) { return byPath(head, service, rest) }
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
        let path = head.fields.bytes[head.parts.path]
        if path.elementsEqual([0x2F]) { return landingPage(head) }
        if path.elementsEqual("/favicon.ico".utf8), BrowserGuard.foreignHost(head, options) == nil { return .icon }
        return .refused(
            Refusal(
                400,
                "the request target is a path, but this is \(ways)"
            )
        )
    }

    /// What may be asked for on a listener that is no reverse proxy.
    private var ways: String {
        var ways: [String] = []
        if options.routes.contains(.forward) { ways.append("send http://host/path as a proxy request") }
        if options.routes.contains(.prefix) { ways.append("ask for /http://host/path here") }
        if options.routes.contains(.services) { ways.append("ask for /NAME/path of a service (\(services.names))") }
        let kind = options.routes.contains(.forward) ? "a forward proxy" : "no forward proxy"
        return "\(kind); " + ways.joined(separator: ", or ")
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
        if head.method == .options, parts.path.isEmpty { return server(uri) }
        let sharedOrigin = SharedOrigin(head, options)
        let kind = RouteKind(.prefix, client: client(head, sharedOrigin), sharedOrigin: sharedOrigin)
        return checked(uri, kind, head)
    }

    // MARK: Services

    private func byHost(_ head: RequestHead, _ service: NamedService) -> Route {
        var elsewhere = ServiceReferences.Elsewhere.absolute
        // A browser would be refused the prefix form; tools find it on our own name.
        if options.routes.contains(.prefix), !BrowserGuard.isBrowser(head) {
            let port = head.parts.port.map { ":\($0)" } ?? ""
            elsewhere = .prefixed(Array("\(options.scheme)localhost\(port)/".utf8))
        }
        let kind = RouteKind(.serviceHost, service: service, elsewhere: elsewhere)
        return toService(head, kind, service, head.parts.path)
    }

    private func byPath(_ head: RequestHead, _ service: NamedService, _ rest: Range<Int>) -> Route {
        if let refusal = BrowserGuard.foreignHost(head, options) { return .refused(refusal) }
        let isPrefixed = options.routes.contains(.prefix) && !BrowserGuard.isBrowser(head)
        let sharedOrigin = SharedOrigin(head, options)
        let kind = RouteKind(
            .servicePath,
            service: service,
            elsewhere: isPrefixed ? .prefixed([0x2F]) : .absolute,
            client: isPrefixed ? client(head, sharedOrigin) : nil,
            sharedOrigin: sharedOrigin
        )
        return toService(head, kind, service, rest)
    }

    private func toService(_ head: RequestHead, _ kind: RouteKind, _ service: NamedService, _ rest: Range<Int>) -> Route
    {
        guard let path = ServicePath.resolved(Array(head.fields.bytes[rest])) else {
            return .refused(Refusal(400, "the path holds an encoded `..`, which might lead out of the service"))
        }
        return checked(service.target(of: path), kind, head, injector: service.injects ? service : nil)
    }

    /// Who uses the prefix form; nil for browsers.
    private func client(_ head: RequestHead, _ sharedOrigin: SharedOrigin) -> GatewayClient? {
        guard !BrowserGuard.isBrowser(head) else { return nil }
        return GatewayClient(
            head,
            isSecure: options.isSecure,
            credentials: options.credentialFields,
            sendsCookies: sharedOrigin.acceptsForeignCookies
        )
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
        guard let injector = service ?? services.injector(of: uri.bytes.span) else {
            return kind.service.map { guarded(uri, kind, head, by: $0, injector: nil) } ?? .origin(uri, kind)
        }
        if service == nil {
            // Its base is compared byte by byte: a way up would take the credential out of it.
            let rest = injector.rest(of: uri).map { Array($0) } ?? []
            guard ServicePath.resolved(rest) == rest else {
                return .refused(
                    Refusal(400, "the path holds dot segments, which might take a service's credential out of its base")
                )
            }
            // A name somebody made resolve to this address would make a foreign page our own.
            if kind.form == .gateway, let refusal = BrowserGuard.foreignHost(head, options) { return .refused(refusal) }
        }
        return guarded(uri, kind, head, by: injector, injector: injector)
    }

    /// What a page of another site may not use is refused.
    private func guarded(
        _ uri: TargetURI,
        _ kind: RouteKind,
        _ head: RequestHead,
        by service: NamedService,
        injector: NamedService?
    ) -> Route {
        switch ServiceGuard.verdict(head, service, ownOrigin: ownOrigin(head, uri, kind.form)) {
        case .own: return .origin(uri, injector.map { kind.injecting($0, allowedOrigin: nil) } ?? kind)
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

    private static func origin(of uri: TargetURI) -> [UInt8] { Array(uri.bytes[..<uri.pathRange.lowerBound]) }

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
        for byte in text {
            guard byte &- 0x30 < 10 else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return value
    }
}
