import HTTPCore

/// Routes requests that name a service, by host or by path.
struct ServiceRouter {
    let rules: RoutingRules

    private var options: ProxyOptions { rules.options }

    /// Routes a request to `NAME.localhost`.
    func byHost(_ head: RequestHead, _ service: NamedService) -> Route {
        var elsewhere = ServiceReferences.Elsewhere.absolute
        // Browsers may not use the prefix form; tools find it under our own name.
        if options.routes.contains(.prefix), !BrowserGuard.isBrowser(head) {
            let port = head.parts.port.map { ":\($0)" } ?? ""
            elsewhere = .prefixed(Array("\(options.scheme)localhost\(port)/".utf8))
        }
        let kind = RouteKind(.serviceHost, service: service, elsewhere: elsewhere)
        return route(head, kind, service, head.parts.path)
    }

    /// Routes a request to `/NAME/…`.
    func byPath(_ head: RequestHead, _ service: NamedService, _ rest: Range<Int>) -> Route {
        if let refusal = BrowserGuard.foreignHost(head, options) { return .refused(refusal) }
        let isPrefixed = options.routes.contains(.prefix) && !BrowserGuard.isBrowser(head)
        let sharedOrigin = SharedOrigin(head, options)
        let kind = RouteKind(
            .servicePath,
            service: service,
            elsewhere: isPrefixed ? .prefixed([0x2F]) : .absolute,
            client: isPrefixed ? GatewayClient(head, options, sharedOrigin) : nil,
            sharedOrigin: sharedOrigin
        )
        return route(head, kind, service, rest)
    }

    private func route(_ head: RequestHead, _ kind: RouteKind, _ service: NamedService, _ rest: Range<Int>) -> Route {
        guard let path = ServicePath.resolved(Array(head.fields.bytes[rest])) else {
            return .refused(Refusal(400, "the path holds an encoded `..`, which might lead out of the service"))
        }
        let injector = service.injects ? service : nil
        return TargetCheck(rules: rules).route(to: service.target(of: path), kind, head, injector: injector)
    }
}

extension GatewayClient {
    /// A tool that uses the prefix form; returns nil for browsers.
    init?(_ head: RequestHead, _ options: ProxyOptions, _ sharedOrigin: SharedOrigin) {
        guard !BrowserGuard.isBrowser(head) else { return nil }
        self.init(
            head,
            isSecure: options.isSecure,
            credentials: options.credentialFields,
            sendsCookies: sharedOrigin.acceptsForeignCookies
        )
    }
}
