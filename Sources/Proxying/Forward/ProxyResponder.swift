public import Eventing
public import Exchanges
public import HTTPCore
public import HTTPServer
public import ResourceCore
import HTTPCaching
import Observability
import Transforms

/// Answers the requests of a proxy listener on one loop: from the store, through a resource's load, past it, or by a tunnel.
public final class ProxyResponder: Responder {
    let loop: EventLoop
    let context: any DeliveryContext
    let provider: any ExchangeProvider
    let service: Service
    let hasher: any PartitionHasher
    let connector: Connector
    let metrics: ProxyMetrics
    /// Replaced on the loop when the settings change; exchanges under way go on by what they began with.
    ///
    /// What every request asks of them is read from a router's, which is replaced as a whole: that costs no check for
    /// exclusive access.
    public var options: ProxyOptions {
        didSet { derive() }
    }
    private var plain: Ways
    /// For requests that come by TLS.
    private var secure: Ways
    /// That of plain connections, for options that are the same for all.
    var router: Router { plain.router }
    /// Our member of Cache-Status made last: most often the next one, too.
    private var latestStatus: StatusMember?

    /// - Parameters:
    ///   - provider: of this loop.
    ///   - connector: of this loop; opens tunnels.
    public init(
        loop: EventLoop,
        provider: any ExchangeProvider,
        service: Service,
        hasher: any PartitionHasher,
        connector: Connector,
        options: ProxyOptions,
        metrics: ProxyMetrics
    ) {
        self.loop = loop
        context = provider.context
        self.provider = provider
        self.service = service
        self.hasher = hasher
        self.connector = connector
        self.options = options
        self.metrics = metrics
        plain = Ways(options, service, metrics, loop)
        secure = Ways(options.overTLS, service, metrics, loop)
    }

    /// Makes anew what follows from the options.
    private func derive() {
        plain = Ways(options, service, metrics, loop)
        secure = Ways(options.overTLS, service, metrics, loop)
    }

    public func answerNow(
        _ head: RequestHead,
        on connection: ServerConnection,
        into output: inout [UInt8]
    ) -> FastPathResult {
        // Only an exchange has what a line of the log tells.
        guard router.options.accessLog == nil else { return .unhandled }
        let fastPath = connection.isSecure ? secure.fastPath : plain.fastPath
        return fastPath.answer(
            head,
            within: connection.origin,
            now: loop.now,
            date: loop.wallNow,
            closes: connection.closesAfterThisRequest,
            into: &output
        )
    }

    public func respond(to exchange: ServerExchange) {
        let router = exchange.isSecure ? secure.router : plain.router
        router.options.accessLog?.follow(exchange)
        // The head stays where it is: a name for it here would retain each part of it.
        guard !router.options.via.isMember(of: exchange.head.fields) else {
            return refuse(
                exchange,
                Refusal(
                    508,
                    "this request has been here before: a proxy loop; Via names this proxy",
                    type: .proxyLoopDetected
                )
            )
        }
        switch router.route(exchange.head, from: exchange.peer, within: exchange.origin) {
        case .origin(let uri, let kind): forward(exchange, to: uri, kind)
        case .originServer(let uri): forwardOptions(exchange, to: uri)
        case .tunnel(let host, let port): TunnelExchange(exchange, host: host, port: port, responder: self).start()
        case .moved(let path):
            var fields = Fields()
            fields.append(.location, path)
            SharedOriginFields.limit(&fields)
            exchange.respond(308, fields: fields, content: ByteChunk([]))
        case .landingPage: LandingPage.respond(to: exchange, options: router.options)
        case .icon: exchange.respond(204, fields: Fields(), content: ByteChunk([]))
        case .proxyItself: exchange.respond(200, fields: Fields(), content: ByteChunk([]))
        case .refused(let refusal): refuse(exchange, refusal)
        }
    }

    private func forward(_ exchange: ServerExchange, to uri: TargetURI, _ kind: RouteKind) {
        if let refusal = Self.refusal(of: exchange.head) { return refuse(exchange, refusal) }
        if let command = CacheCommand(exchange.head.method) { return carryOut(command, on: exchange, uri: uri) }
        if exchange.head.method == .options, let hops = Router.maxForwards(exchange.head), hops == 0 {
            return exchange.respond(200, fields: Fields(), content: ByteChunk([]))
        }
        var fields = forwarded(exchange.head)
        kind.limit(&fields, to: uri)
        // What redacts never sees what comes behind a 101: then the origin is asked without.
        if router.options.allowsWebSocket, exchange.head.requestsWebSocket, !service.redacts(uri) {
            let outcome = CacheOutcome(isHit: false, forward: .bypass, detail: "upgrade")
            return PassExchange(exchange, uri: uri, kind: kind, outcome: outcome, responder: self)
                .start(fields: fields, upgrade: Array("websocket".utf8))
        }
        let isRead = exchange.head.method == .get || exchange.head.method == .head
        guard isRead && exchange.head.isWithoutContent else {
            let outcome = CacheOutcome(
                isHit: false,
                forward: isRead ? .bypass : .method,
                detail: isRead ? "request-content" : nil
            )
            let identity = service.identity(of: uri, for: exchange.head.method)
            return PassExchange(exchange, uri: identity, kind: kind, outcome: outcome, responder: self)
                .start(fields: fields)
        }
        ResourceExchange(exchange, uri: uri, kind: kind, fields: fields, responder: self).start()
    }

    private func forwardOptions(_ exchange: ServerExchange, to uri: TargetURI) {
        if Router.maxForwards(exchange.head) == 0 {
            return exchange.respond(200, fields: Fields(), content: ByteChunk([]))
        }
        let outcome = CacheOutcome(isHit: false, forward: .method)
        // By the prefix form alone a path names a server.
        let kind: RouteKind =
            exchange.origin != nil
            ? .intercepted
            : exchange.head.form == .origin
                ? RouteKind(.prefix, sharedOrigin: SharedOrigin(exchange.head, router.options)) : .forward
        var fields = forwarded(exchange.head)
        kind.limit(&fields, to: uri)
        PassExchange(exchange, uri: uri, kind: kind, outcome: outcome, responder: self)
            .start(fields: fields, isAsterisk: true)
    }

    /// What no request may carry, whatever its route.
    private static func refusal(of head: RequestHead) -> Refusal? {
        // Only `100-continue` is an expectation anybody knows (H-075).
        if let text = head.fields.text(of: .expect), text.lowercased() != "100-continue" {
            return Refusal(417, "Expect holds another expectation than 100-continue; leave it out")
        }
        if head.method == .options, head.fields.contains(.maxForwards), Router.maxForwards(head) == nil {
            return Refusal(400, "Max-Forwards is no number; send digits, or leave it out")
        }
        return nil
    }

    // MARK: Fields

    /// What the origin is told in `Host` in place of its own name (H-064); nil on all routes but a reverse proxy's.
    func originHost(_ client: ServerExchange, _ kind: RouteKind) -> [UInt8]? {
        guard kind.form == .gateway, router.options.passesClientHost else { return nil }
        return kind.base?.foreignAuthority(of: client.head)
    }

    /// The fields of a request as they go to the origin: end-to-end ones, with `Via`.
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

    /// The fields of a response as they go to the client: end-to-end ones, with `Via`, references in the client's form.
    ///
    /// Content-Length is the exchange's to write; what is here of it is left out there.
    func relayed(_ received: Fields, kind: RouteKind, of uri: TargetURI, for exchange: ServerExchange) -> Fields {
        var fields = received
        // Via, Cache-Status, Age, Date.
        fields.makeRoom(lines: 4, bytes: 192)
        HopByHop.strip(response: &fields)
        router.options.via.append(to: &fields, received: .http11)
        kind.adapt(&fields, of: uri, for: exchange)
        return fields
    }

    /// Our member of Cache-Status.
    /// - Parameter key: where the request asks for it.
    func cacheStatus(_ outcome: CacheOutcome, ttl: Int64? = nil, key: TargetURI? = nil) -> [UInt8] {
        guard ttl == nil, key == nil else { return Self.cacheStatus(outcome, ttl, key) }
        if let latestStatus, latestStatus.outcome == outcome { return latestStatus.bytes }
        let bytes = Self.cacheStatus(outcome, nil, nil)
        latestStatus = StatusMember(outcome, bytes)
        return bytes
    }

    private static func cacheStatus(_ outcome: CacheOutcome, _ ttl: Int64?, _ key: TargetURI?) -> [UInt8] {
        CacheStatus(
            outcome.isHit ? .hit : outcome.forward.map { .forwarded($0) } ?? .none,
            forwardStatus: outcome.forwardStatus,
            ttl: ttl,
            isStored: outcome.isStored,
            isCollapsed: outcome.isCollapsed,
            key: key?.bytes,
            detail: outcome.detail
        ).bytes
    }

    /// A client's request as a resource sees it.
    ///
    /// - Parameter fields: as they go to the origin, conditions and Range still in them.
    func clientRequest(
        _ client: ServerExchange,
        for resource: Resource,
        kind: RouteKind,
        fields: Fields
    ) -> ClientRequest {
        var profile = RequestProfile(
            method: client.head.method,
            fields: client.head.fields,
            credentialFields: resource.configuration.values.caching.credentials
        )
        // Those that do not go to the origin tell nobody from others.
        if !fields.contains(.cookie) { profile.credentials.remove(.cookie) }
        profile.isForOrigin = kind.form.standsForOrigin
        if kind.injector != nil { profile.noteServiceCredential(fields, router.options.credentialFields) }
        var request = ClientRequest(
            uri: resource.uri,
            fields: fields,
            profile: profile,
            partitions: partitions(of: fields, injector: kind.injector),
            arrival: client.arrivalTime,
            client: client.peer.ipAddress,
            provider: provider,
            gatewayHost: kind.form == .prefix ? client.head.fields.value(of: .host) : nil,
            gatewayIsSecure: kind.form == .prefix && client.isSecure
        )
        kind.injector?.lend(to: &request)
        if let host = originHost(client, kind) {
            request.host = host
            request.partitions = request.partitions.apart(for: host, hasher)
        }
        return request
    }

    /// Which partitions a request may look into (C-20.1).
    ///
    /// One with a service's credential looks into that service's alone, each client's own credentials apart (C-20.1b).
    func partitions(of fields: Fields, injector: NamedService?) -> Partitions {
        let names = router.options.credentialFields
        if let injector { return injector.partitions(of: fields, names, hasher) }
        guard !names.presence(in: fields).isEmpty else { return Partitions() }
        let own = names.text(of: fields, includingCookie: true).map { Partition.credential(hasher.hash($0)) }
        let credential = names.text(of: fields, includingCookie: false).map { Partition.credential(hasher.hash($0)) }
        return Partitions(own: own, credential: credential)
    }

    /// Connects to the far end of a tunnel; `completion` runs as that of `Connector.connect`.
    ///
    /// - Parameter via: the fields of the CONNECT with our Via; nil: ours is all that is known.
    func connectFarEnd(
        host: [UInt8],
        port: UInt16,
        client: SocketAddress,
        via: Fields? = nil,
        completion: @escaping (Result<Eventing.Stream, ConnectError>) -> Void
    ) -> ConnectAttempt {
        // An IPv6 literal without its brackets.
        let isLiteral = host.first == 0x5B && host.last == 0x5D
        let far = TargetURI(scheme: .https, host: host, port: port, path: [0x2F])
        let name = service.configuration(for: far, method: .connect).values.policies.proxy
        var ours = Fields()
        options.via.append(to: &ours, received: .http11)
        return connector.connect(
            host: isLiteral ? Array(host.dropFirst().dropLast()) : host,
            port: port,
            policy: options.addressPolicy,
            way: options.parents.way(to: host, name: name, mayRelay: false),
            via: via ?? ours,
            asker: NameAsker(client: client.ipAddress),
            targetMayBegin: true,
            timeout: options.connectTimeout,
            completion: completion
        )
    }

    /// Lets bytes pass between a client and a far end from here on; closes the latter if the client is gone.
    func openTunnel(
        from client: ServerExchange,
        to far: Eventing.Stream,
        target: [UInt8],
        route: TunnelRecord.Route
    ) {
        guard let near = client.takeOver() else { return far.close() }
        openTunnel(from: near, to: far, target: target, route: route)
    }

    /// The same for a client that has left HTTP already.
    func openTunnel(
        from near: ClientTunnel,
        to far: Eventing.Stream,
        target: [UInt8],
        route: TunnelRecord.Route
    ) {
        Tunnel(
            near: near,
            far: far,
            target: target,
            route: route,
            idleTimeout: options.tunnelIdleTimeout,
            lifetime: options.tunnelLifetime,
            board: metrics.tunnels
        ).start()
    }

    // MARK: Own answers

    /// - Parameter outcome: where it was the cache that refused.
    func refuse(_ exchange: ServerExchange, _ refusal: Refusal, _ outcome: CacheOutcome? = nil) {
        metrics.refusals.add()
        exchange.remark = "refused"
        if refusal.concernsSettings {
            router.options.refusalLog?.note(exchange, refusal.status, kind: refusal.kind, refusal.detail)
        }
        if refusal.endsConnection { exchange.closeAfterResponse() }
        let outcome = outcome ?? refusal.cacheDetail.map { CacheOutcome(isHit: false, detail: $0) }
        let status = ProxyStatus(
            error: refusal.type,
            receivedStatus: refusal.receivedStatus,
            details: refusal.detail
        )
        respond(
            to: exchange,
            refusal.status,
            status,
            outcome,
            retryAfter: refusal.retryAfterSeconds.map { "\($0)" }
        )
    }

    /// Tells a client that there is no response; errors of ours are never stored (H-124).
    /// - Parameter outcome: by default what the failure itself tells.
    func respond(
        to exchange: ServerExchange,
        failure: ResourceError,
        uri: TargetURI,
        outcome: CacheOutcome? = nil
    ) {
        metrics.failures.add()
        exchange.remark = "failure"
        if let transformation = failure.transformation { return respond(to: exchange, failure, transformation) }
        if let outage = failure.outage { return respond(to: exchange, failure, outage) }
        let detail =
            failure.isRemembered ? failure.userMessage + " (remembered; tried again soon)" : failure.userMessage
        let type = failure.kind.flatMap { ProxyErrorType(rawValue: $0.rawValue) } ?? .proxyInternalResponse
        if failure.status == 403 {
            router.options.refusalLog?.note(exchange, failure.status, kind: type.rawValue, detail)
        }
        respond(
            to: exchange,
            failure.status,
            ProxyStatus(
                error: type,
                receivedStatus: failure.receivedStatus,
                alert: failure.alert,
                details: detail
            ),
            outcome ?? CacheOutcome(failure),
            retryAfter: failure.status == 503 || failure.retryAfter != nil ? Self.retryAfter(failure) : nil
        )
    }

    /// Whole seconds, at least one.
    private static func retryAfter(_ failure: ResourceError) -> String {
        let (seconds, attoseconds) = (failure.retryAfter ?? .seconds(1)).components
        return "\(max(1, seconds + (attoseconds > 0 ? 1 : 0)))"
    }

    /// The origin is down: what is known of it is in members of their own.
    private func respond(to exchange: ServerExchange, _ failure: ResourceError, _ outage: OriginOutage) {
        let members: [ProblemDocument.Member] = [
            .init("origin", outage.origin),
            .init("error", outage.kind.rawValue),
            .init("reason", outage.reason),
            .init("since", String(decoding: outage.since.bytes, as: UTF8.self)),
            .init("attempts", "\(outage.failures)"),
            .init("nextAttemptSeconds", "\(outage.wholeSeconds)"),
        ]
        let outcome = CacheOutcome(failure)
        exchange.respond(
            ProblemDocument(status: failure.status, detail: failure.userMessage, members: members),
            status: ProxyStatus(error: .destinationUnavailable, details: failure.userMessage),
            fields: [
                (.retryAfter, Self.retryAfter(failure)),
                (.cacheStatus, String(decoding: cacheStatus(outcome), as: UTF8.self)),
            ]
        )
    }

    /// A pipeline failed: stage, transformer and cause are members of their own.
    private func respond(
        to exchange: ServerExchange,
        _ failure: ResourceError,
        _ transformation: TransformationFailure
    ) {
        let members: [ProblemDocument.Member] = [
            .init("stage", transformation.stage),
            .init("transformer", transformation.transformer),
            .init("cause", transformation.failure.userMessage),
            .init("reason", transformation.failure.reason.rawValue),
        ]
        let outcome = CacheOutcome(failure)
        exchange.respond(
            ProblemDocument(status: failure.status, detail: failure.userMessage, members: members),
            status: ProxyStatus(error: .proxyInternalError, details: failure.userMessage),
            fields: [(.cacheStatus, String(decoding: cacheStatus(outcome), as: UTF8.self))]
        )
    }

    private func respond(
        to exchange: ServerExchange,
        _ status: UInt16,
        _ proxyStatus: ProxyStatus,
        _ outcome: CacheOutcome?,
        retryAfter: String? = nil
    ) {
        var fields: [(KnownField, String)] = []
        if let outcome { fields.append((.cacheStatus, String(decoding: cacheStatus(outcome), as: UTF8.self))) }
        if let retryAfter { fields.append((.retryAfter, retryAfter)) }
        if status == 405 { fields.append((.allow, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")) }
        exchange.respond(
            ProblemDocument(status: status, detail: proxyStatus.details ?? ""),
            status: proxyStatus,
            fields: fields
        )
    }

    /// Marks what is stored of `uri`: to be validated before use.
    func invalidate(_ uri: TargetURI, _ completion: @escaping @Sendable (Bool) -> Void = { _ in }) {
        service.table.invalidateAfterUnsafe(uri, of: service, completion)
    }

    /// Marks what an unsafe request changed (RFC 9111 §4.4).
    ///
    /// - Parameters:
    ///   - marked: what is marked already.
    ///   - marks: waits for what is to be marked in the store.
    func invalidate(
        afterRequest method: Method,
        uri: TargetURI,
        response: ResponseHead,
        but marked: TargetURI? = nil,
        waiting marks: PendingMarks
    ) {
        for target in Invalidation.targets(
            method: method,
            target: uri,
            status: response.status,
            fields: response.fields
        ) where target != marked {
            invalidate(target, marks.begin())
        }
    }
}

/// A member of Cache-Status, and what it says.
private final class StatusMember {
    let outcome: CacheOutcome
    let bytes: [UInt8]

    init(_ outcome: CacheOutcome, _ bytes: [UInt8]) {
        self.outcome = outcome
        self.bytes = bytes
    }
}

/// How requests find their resources, on connections of one kind.
private struct Ways {
    let router: Router
    let fastPath: FastPath

    init(_ options: ProxyOptions, _ service: Service, _ metrics: ProxyMetrics, _ loop: EventLoop) {
        router = Router(options: options)
        fastPath = FastPath(
            router: router,
            service: service,
            hits: metrics.hits,
            bytes: metrics.cachedBytes,
            loop: loop.handle.index
        )
    }
}
