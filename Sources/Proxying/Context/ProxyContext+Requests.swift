import Eventing
import Exchanges
import HTTPCaching
import HTTPCore
import HTTPServer
import ResourceCore
import Stores

/// Requests and responses as they pass through the proxy.
extension ProxyContext {
    /// The `Host` that the origin gets in place of its own name (H-064); nil on all routes but a reverse proxy's.
    func originHost(_ client: ServerExchange, _ kind: RouteKind) -> [UInt8]? {
        guard kind.form == .gateway, router.options.passesClientHost else { return nil }
        return kind.base?.foreignAuthority(of: client.head)
    }

    /// The fields of a request for the origin: end-to-end ones, with `Via`.
    func forwarded(_ head: RequestHead) -> Fields {
        var fields = head.fields.copy(addingLines: 1, bytes: 32) { line in
            switch line.known {
            case .host, .contentLength, .expect: true
            default: false
            }
        }
        HopByHop.strip(request: &fields)
        if head.method == .options, let hops = Router.maxForwards(head) { fields.set(.maxForwards, "\(hops - 1)") }
        router.options.via.append(to: &fields, received: head.version)
        return fields
    }

    /// The fields of a response for the client: end-to-end ones, with `Via`, and references rewritten for the client.
    ///
    /// The exchange writes Content-Length and leaves out the one received.
    ///
    /// - Parameter isFinal: false for interim responses and 101, in which rules set no fields.
    func relayed(
        _ received: Fields,
        kind: RouteKind,
        of uri: TargetURI,
        for exchange: ServerExchange,
        isFinal: Bool = true
    ) -> Fields {
        var fields = received
        // Via, Cache-Status, Age, Date.
        fields.makeRoom(lines: 4, bytes: 192)
        HopByHop.strip(response: &fields)
        router.options.via.append(to: &fields, received: .http11)
        kind.adapt(&fields, of: uri, for: exchange, isFinal: isFinal)
        return fields
    }

    /// A client's request as a resource sees it.
    ///
    /// - Parameter fields: those for the origin, still with conditions and Range.
    func clientRequest(
        _ client: ServerExchange,
        for resource: Resource,
        kind: RouteKind,
        fields: Fields
    ) -> ClientRequest {
        var profile = client.withFields { fields in
            RequestProfile(
                method: client.head.method,
                fields: fields,
                credentialFields: resource.configuration.values.caching.credentials
            )
        }
        // Cookies that do not reach the origin do not distinguish clients.
        if !fields.contains(.cookie) { profile.credentials.remove(.cookie) }
        profile.isForOrigin = kind.form.standsForOrigin
        if kind.injector != nil { profile.noteServiceCredential(fields, router.options.credentialFields) }
        var request = ClientRequest(
            uri: resource.uri,
            fields: fields,
            profile: consume profile,
            partitions: partitions(of: fields, injector: kind.injector),
            arrival: client.receivedAt,
            client: requesting(client),
            provider: provider(for: client),
            gatewayHost: kind.form == .prefix ? client.head.fields.value(of: .host) : nil,
            gatewayIsSecure: kind.form == .prefix && client.isSecure
        )
        if let login = client.login { request.partitions.user = login.user }
        kind.injector?.lend(to: &request)
        if let host = originHost(client, kind) {
            request.host = host
            request.partitions = request.partitions.apart(for: host, hasher)
        }
        return request
    }

    /// A client as requests to origins name it; their times are taken if recent requests are kept.
    func requesting(_ client: ServerExchange) -> RequestingClient {
        RequestingClient(address: client.peer.ipAddress, stopwatch: ring == nil ? nil : notes(about: client)?.stopwatch)
    }

    /// Which partitions a request may use (C-20.1).
    ///
    /// A request with a service's credential uses only that service's partitions, one for each client's own credentials
    /// (C-20.1b).
    private func partitions(of fields: Fields, injector: NamedService?) -> Partitions {
        let names = router.options.credentialFields
        if let injector { return injector.partitions(of: fields, names, hasher) }
        guard !names.presence(in: fields).isEmpty else { return Partitions() }
        let own = names.text(of: fields, includingCookie: true).map { Partition.credential(hasher.hash($0)) }
        let credential = names.text(of: fields, includingCookie: false).map { Partition.credential(hasher.hash($0)) }
        return Partitions(own: own, credential: credential)
    }
}
