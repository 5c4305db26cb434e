import HTTPCore
import HTTPServer

/// Finds the key of a request that needs no check beyond its target's form, without allocating.
///
/// Used on the fast path. The key of a URI is the same on every route (S-014). A class, because each request would copy
/// a value with all its options.
final class HitRouter: Sendable {
    private let options: ProxyOptions
    private let services: ServiceDirectory
    private let names: GatewayNames?
    private let offersServices: Bool

    init(_ rules: RoutingRules) {
        options = rules.options
        services = rules.services
        names = rules.names
        offersServices = rules.offersServices
    }

    /// Appends the canonical target URI of a GET to `key`.
    ///
    /// Returns nil, with `key` in any state, if the request needs `Router.route`.
    /// - Parameter origin: the origin of the connection's requests, inside a CONNECT.
    func appendKey(
        of head: RequestHead,
        within origin: ConnectionOrigin? = nil,
        to key: inout [UInt8]
    ) -> RouteKind.Form? {
        if let origin { return appendKey(of: head, of: origin, to: &key) }
        guard let form = appendTarget(of: head, to: &key) else { return nil }
        return services.isEmpty || services.injector(of: key.span) == nil ? form : nil
    }

    /// The name of the service that a request's host or path names.
    func serviceName(of head: RequestHead, within origin: ConnectionOrigin?) -> String? {
        guard origin == nil, offersServices, head.form == .origin else { return nil }
        if case .service(let service) = services.host(of: head) { return service.route.name }
        guard options.gateway == nil else { return nil }
        return services.path(of: head)?.service.route.name
    }

    private func appendKey(of head: RequestHead, of origin: ConnectionOrigin, to key: inout [UInt8]) -> RouteKind.Form?
    {
        guard head.form == .origin else { return nil }
        if origin.isNamed(in: head) {
            key.append(contentsOf: origin.prefix)
        } else {
            guard let other = origin.named(in: head) else { return nil }
            key.append(contentsOf: other.prefix)
        }
        key.append(copying: head.fields.bytes.span.extracting(head.parts.path))
        return .intercepted
    }

    private func appendTarget(of head: RequestHead, to key: inout [UInt8]) -> RouteKind.Form? {
        switch head.form {
        case .absolute:
            guard acceptsAbsolute(head) else { return nil }
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

    /// Whether an absolute-form target needs no check.
    ///
    /// In front of one origin it must not contradict `Host`, nor be a target that unlisted clients are refused.
    private func acceptsAbsolute(_ head: RequestHead) -> Bool {
        let isForward = options.routes.contains(.forward)
        guard let gateway = options.gateway else { return isForward }
        let isOpen = isForward && (options.allowsOpenProxy || options.listsClients)
        return (isOpen || gateway.isTarget(of: head)) && !head.hasOtherHostThanTarget
    }

    /// Appends the target of a request to a service that injects nothing, if it can be appended unchanged.
    private func appendServiceTarget(of head: RequestHead, to key: inout [UInt8]) -> RouteKind.Form? {
        let bytes = head.fields.bytes.span
        if case .service(let service) = services.host(of: head) {
            let rest = bytes.extracting(head.parts.path)
            guard accepts(head, for: service), ServicePath.isPlain(rest) else { return nil }
            key.append(contentsOf: service.prefix)
            key.append(copying: rest)
            return .serviceHost
        }
        guard options.gateway == nil, !options.servesBeyondLoopback, let (service, range) = services.path(of: head),
            accepts(head, for: service), !range.isEmpty, bytes[range.lowerBound] == 0x2F
        else { return nil }
        let rest = bytes.extracting(range)
        guard ServicePath.isPlain(rest), BrowserGuard.isPlainTool(head, options) else { return nil }
        key.append(contentsOf: service.prefix)
        key.append(copying: rest)
        return .servicePath
    }

    /// Whether the page behind a request to a service need neither be checked nor named in the response.
    private func accepts(_ head: RequestHead, for service: NamedService) -> Bool {
        !service.injects && !service.listsPages && !BrowserGuard.isBrowser(head)
    }
}

extension RequestHead {
    /// Whether `Host` names another authority than the absolute-form target.
    var hasOtherHostThanTarget: Bool {
        guard let scheme = parts.scheme else { return false }
        let differs = fields.withValue(of: .host) { named in
            guard let authority = Authority(named, 0..<named.count) else { return false }
            let bytes = fields.bytes.span
            let host = parts.host
            guard host.count == authority.host.count else { return true }
            for offset in 0..<host.count
            where bytes[host.lowerBound + offset].asciiLowercased
                != named[authority.host.lowerBound + offset].asciiLowercased
            {
                return true
            }
            return (parts.port ?? scheme.defaultPort) != (authority.port ?? scheme.defaultPort)
        }
        return differs ?? false
    }
}
