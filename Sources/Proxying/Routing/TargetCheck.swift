import HTTPCore

/// Decides whether a request may have its target, and which service's fields it gets.
struct TargetCheck {
    let rules: RoutingRules

    private var options: ProxyOptions { rules.options }

    /// The route to an origin.
    ///
    /// - Parameter service: the service whose fields the request gets in any case.
    func route(
        to uri: TargetURI,
        _ kind: RouteKind,
        _ head: RequestHead,
        injector service: NamedService? = nil
    ) -> Route {
        if let refusal = refusal(for: uri) { return .refused(refusal) }
        guard let injector = service ?? rules.services.injector(of: uri.bytes.span) else {
            return kind.service.map { guarded(uri, kind, head, by: $0, injector: nil) } ?? .origin(uri, kind)
        }
        if service == nil {
            // The service's base is compared byte by byte: a dot segment would lead the credential out of it.
            let rest = injector.rest(of: uri).map { Array($0) } ?? []
            guard ServicePath.resolved(rest) == rest else {
                return .refused(
                    Refusal(400, "the path holds dot segments, which might take a service's credential out of its base")
                )
            }
            // A foreign page whose name resolves to this address would share our origin.
            if kind.form == .gateway, let refusal = BrowserGuard.foreignHost(head, options) { return .refused(refusal) }
        }
        return guarded(uri, kind, head, by: injector, injector: injector)
    }

    /// The route of `OPTIONS *` to the server of a URI.
    func serverRoute(to uri: TargetURI) -> Route {
        if let refusal = refusal(for: uri) { return .refused(refusal) }
        return .originServer(uri)
    }

    func refusal(for uri: TargetURI) -> Refusal? {
        guard !options.blockedPorts.contains(uri.port) else {
            return Refusal(403, "port \(uri.port) is not one for HTTP; `access.blocked-ports` lists the ports refused")
        }
        return nil
    }

    /// Refuses targets that a page of another site may not use.
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

    /// The origin that a browser sees for this request.
    private func ownOrigin(_ head: RequestHead, _ uri: TargetURI, _ form: RouteKind.Form) -> [UInt8] {
        guard form != .forward else { return Self.origin(of: uri) }
        // With an absolute-form target, Host is ignored (RFC 9112 §3.2.2).
        guard head.form != .absolute else { return Self.origin(of: head.targetURI) }
        return Array(options.scheme.utf8) + (head.fields.value(of: .host) ?? []).map(\.asciiLowercased)
    }

    private static func origin(of uri: TargetURI) -> [UInt8] { Array(uri.bytes[..<uri.pathRange.lowerBound]) }
}
