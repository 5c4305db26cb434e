import Configurations
public import Eventing
public import Exchanges
import HTTPCaching
public import HTTPCore
public import HTTPServer
public import Logins
import Outcomes
public import ResourceCore
public import Stores

/// Answers the requests of a proxy listener on one loop: from the store, by a load, past the store, or by a tunnel.
public final class ProxyResponder: Responder {
    private let context: ProxyContext
    private let loop: EventLoop
    private var fastPath: FastPath
    /// For requests that come by TLS.
    private var secureFastPath: FastPath
    /// Nil: no login is required.
    private var gate: LoginGate?
    /// Nil: every request may be answered by a fast path.
    private var fastGate: FastGate?
    private let logins: LoginQueue?

    /// - Parameters:
    ///   - provider: of this loop.
    ///   - connector: of this loop; opens tunnels.
    ///   - logins: checks the logins that `options` may require.
    ///   - ring: keeps the latest requests of the loop; when its capacity changes between 0 and more, set `options`.
    ///   - chance: returns a new number from 0 to 1 with each call.
    public init(
        loop: EventLoop,
        provider: any ExchangeProvider,
        service: Service,
        hasher: any PartitionHasher,
        connector: Connector,
        options: ProxyOptions,
        metrics: ProxyMetrics,
        logins: LoginQueue? = nil,
        ring: RequestRing? = nil,
        chance: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        context = ProxyContext(
            loop: loop,
            provider: provider,
            service: service,
            hasher: hasher,
            connector: connector,
            options: options,
            metrics: metrics,
            ring: ring,
            chance: chance
        )
        self.loop = loop
        self.logins = logins
        fastPath = FastPath(context.router, context)
        secureFastPath = FastPath(context.secureRouter, context)
        makeGate()
    }

    private func makeGate() {
        gate = context.options.login.map { login in
            guard let logins else { preconditionFailure("a login is required, and nothing checks it") }
            return LoginGate(login, logins, context)
        }
        let isBypassed = context.tracing != nil || context.options.bypassesStore
        fastGate = gate == nil && !isBypassed ? nil : FastGate(gate, isBypassed: isBypassed)
    }

    /// Replaced on the loop when the settings change; exchanges in progress keep the old ones.
    public var options: ProxyOptions {
        get { context.options }
        set {
            context.options = newValue
            fastPath = FastPath(context.router, context)
            secureFastPath = FastPath(context.secureRouter, context)
            makeGate()
        }
    }

    public func answerNow(
        _ head: RequestHead,
        on connection: ServerConnection,
        into output: inout [UInt8]
    ) -> FastPathResult {
        if let fastGate, !fastGate.admits(head, on: connection) { return .unhandled }
        let fastPath = connection.isSecure ? secureFastPath : fastPath
        return fastPath.answer(
            head,
            within: connection.origin,
            now: loop.now,
            date: loop.wallNow,
            closes: connection.closesAfterThisRequest,
            client: connection,
            hasLogins: fastGate != nil,
            into: &output
        )
    }

    public func answerNow(
        _ head: RequestHead,
        content: Span<UInt8>,
        on connection: ServerConnection,
        into output: inout [UInt8]
    ) -> FastPathResult {
        if let fastGate, !fastGate.admits(head, on: connection) { return .unhandled }
        let fastPath = connection.isSecure ? secureFastPath : fastPath
        return fastPath.answer(
            head,
            content: content,
            within: connection.origin,
            now: loop.now,
            closes: connection.closesAfterThisRequest,
            client: connection,
            hasLogins: fastGate != nil,
            into: &output
        )
    }

    public func respond(to exchange: ServerExchange) {
        exchange.recorder = context.recorder(of: exchange)
        guard let gate, !isForScript(exchange) else { return admit(exchange) }
        gate.judge(exchange) { [self] in admit($0) }
    }

    /// Whether a request is for the script by which browsers find the proxy; they send no login for it.
    private func isForScript(_ exchange: ServerExchange) -> Bool {
        let head = exchange.head
        guard exchange.origin == nil, head.form == .origin, ProxyScript.hasPath(head.fields.bytes[head.parts.path])
        else { return false }
        let router = exchange.isSecure ? context.secureRouter : context.router
        if case .script = router.route(head, from: exchange.peer) { return true }
        return false
    }

    /// Answers a request that may use the listener.
    private func admit(_ exchange: ServerExchange) {
        let router = exchange.isSecure ? context.secureRouter : context.router
        // The head is read in place: a variable for it would retain each part of it.
        guard !router.options.via.isMember(of: exchange.head.fields) else {
            return context.refuse(
                exchange,
                Refusal(
                    508,
                    "this request has been here before: a proxy loop; Via names this proxy",
                    type: .proxyLoopDetected
                )
            )
        }
        let isSOCKS = exchange.socks != nil
        if isSOCKS { context.metrics.countSOCKSRequest() }
        switch router.route(exchange.head, from: exchange.peer, within: exchange.origin, isSOCKS: isSOCKS) {
        case .origin(let uri, let kind): forward(exchange, to: uri, kind)
        case .originServer(let uri): forwardOptions(exchange, to: uri)
        case .tunnel(let host, let port): TunnelExchange(exchange, host: host, port: port, context: context).start()
        case .moved(let path):
            var fields = Fields()
            fields.append(.location, path)
            SharedOriginFields.limit(&fields)
            exchange.respond(308, fields: fields, content: ByteChunk([]))
        case .landingPage:
            let tunnels = context.metrics.tunnels.passedCount
            LandingPage.respond(to: exchange, options: router.options, passedTunnels: tunnels)
        case .script(let script): script.respond(to: exchange)
        case .icon: exchange.respond(204, fields: Fields(), content: ByteChunk([]))
        case .proxyItself: exchange.respond(200, fields: Fields(), content: ByteChunk([]))
        case .refused(let refusal): context.refuse(exchange, refusal)
        }
    }

    public func socksAccess(for peer: SocketAddress) -> SOCKSAccess {
        guard options.routes.contains(.forward) else { return .off }
        return gate?.exempts(peer) ?? true ? .open : .withLogin
    }

    public func didRefuse(_ fault: SOCKSFault, from peer: SocketAddress) {
        context.metrics.count(fault)
        options.refusalLog?.note(fault, from: peer, at: loop.now)
    }

    private func forward(_ exchange: ServerExchange, to uri: TargetURI, _ kind: RouteKind) {
        context.notes(about: exchange)?.note(uri, kind)
        if let refusal = Self.refusal(of: exchange.head) { return context.refuse(exchange, refusal) }
        if let verdict = verdict(of: exchange.head, uri)?.values {
            if let denial = verdict.policies.denial { return context.refuse(exchange, by: denial) }
            if verdict.actsOnRequests { return act(on: exchange, uri, kind, by: verdict) }
        }
        serve(exchange, uri, kind)
    }

    private func act(on exchange: ServerExchange, _ uri: TargetURI, _ kind: RouteKind, by verdict: Configuration) {
        let rules = verdict.traffic
        let edited = rules.responseEdits.isEmpty ? kind : kind.editing(rules.responseEdits)
        let edits = verdict.requestEdits
        for edit in edits { exchange.change { edit.apply(to: &$0) } }
        if let rate = rules.bytesPerSecond { exchange.limitRate(to: rate) }
        TrafficExchange(exchange, uri: uri, kind: kind, rules: rules, context: context) { [weak self] in
            guard let self else { return }
            // A reload may have denied it during the delay.
            if rules.delay > .zero, let denial = self.verdict(of: exchange.head, uri)?.values.policies.denial {
                return context.refuse(exchange, by: denial)
            }
            serve(exchange, uri, edited, edits)
        }
        .start()
    }

    /// - Parameter edits: changes to the fields of the request, which have been made.
    private func serve(
        _ exchange: ServerExchange,
        _ uri: TargetURI,
        _ kind: RouteKind,
        _ edits: [FieldEdits] = []
    ) {
        let bypassesStore = context.options.bypassesStore
        if !bypassesStore, let command = CacheCommand(exchange.head.method) {
            return CommandExchange(exchange, context).run(command, uri: uri)
        }
        if exchange.head.method == .options, let hops = Router.maxForwards(exchange.head), hops == 0 {
            return exchange.respond(200, fields: Fields(), content: ByteChunk([]))
        }
        var fields = context.forwarded(exchange.head)
        // A client's Connection may have named a field that a rule sets.
        for edit in edits { edit.apply(to: &fields) }
        kind.limit(&fields, to: uri)
        if mayUpgrade(exchange.head, uri) {
            let outcome = CacheOutcome(isHit: false, forward: .bypass, detail: "upgrade")
            return PassExchange(exchange, uri: uri, kind: kind, outcome: outcome, context: context)
                .start(fields: fields, upgrade: Array("websocket".utf8))
        }
        if !bypassesStore, ask(exchange, uri, kind, fields) { return }
        let isRead = exchange.head.method == .get || exchange.head.method == .head
        guard isRead && exchange.head.isWithoutContent && !bypassesStore else {
            let detail = bypassesStore ? "cassette" : isRead ? "request-content" : nil
            let outcome = CacheOutcome(
                isHit: false,
                forward: isRead || bypassesStore ? .bypass : .method,
                detail: detail
            )
            let identity = context.service.identity(of: uri, for: exchange.head.method)
            return PassExchange(exchange, uri: identity, kind: kind, outcome: outcome, context: context)
                .start(fields: fields)
        }
        ResourceExchange(exchange, uri: uri, kind: kind, fields: fields, context: context).start()
    }

    /// Answers a request whose content belongs to the key; returns false if it does not.
    private func ask(_ exchange: ServerExchange, _ uri: TargetURI, _ kind: RouteKind, _ fields: Fields) -> Bool {
        let method = exchange.head.method
        guard method == .post || method == .query else { return false }
        let uri = context.service.identity(of: uri, for: method)
        let configuration = context.service.configuration(for: uri, method: method)
        guard !configuration.isNeverCached, let keying = configuration.caching.contentKeying(for: method)
        else { return false }
        QuestionExchange(exchange, uri: uri, kind: kind, fields: fields, keying: keying, context: context).start()
        return true
    }

    /// A pipeline that redacts cannot see the bytes after a 101: the origin is then asked without an upgrade.
    private func mayUpgrade(_ head: RequestHead, _ uri: TargetURI) -> Bool {
        context.router.options.allowsWebSocket && head.requestsWebSocket && !context.service.redacts(uri)
    }

    /// The configuration of a request, if rules may act on it.
    private func verdict(of head: RequestHead, _ uri: TargetURI) -> EffectiveConfiguration? {
        switch CacheCommand(head.method) {
        // What is stored of a denied URL may be removed.
        case .purge?, .ban?: nil
        case .refresh?: context.verdict(of: uri, .get)
        case nil: context.verdict(of: uri, head.method, isVerbatim: mayUpgrade(head, uri))
        }
    }

    private func forwardOptions(_ exchange: ServerExchange, to uri: TargetURI) {
        if Router.maxForwards(exchange.head) == 0 {
            return exchange.respond(200, fields: Fields(), content: ByteChunk([]))
        }
        if let denial = context.verdict(of: uri, .options, isVerbatim: true)?.values.policies.denial {
            return context.refuse(exchange, by: denial)
        }
        let outcome = CacheOutcome(isHit: false, forward: .method)
        // Only in the prefix form does a path name a server.
        let kind: RouteKind =
            exchange.origin != nil
            ? .intercepted
            : exchange.head.form == .origin
                ? RouteKind(.prefix, sharedOrigin: SharedOrigin(exchange.head, context.router.options)) : .forward
        var fields = context.forwarded(exchange.head)
        kind.limit(&fields, to: uri)
        PassExchange(exchange, uri: uri, kind: kind, outcome: outcome, context: context)
            .start(fields: fields, isAsterisk: true)
    }

    /// Why a request is refused on every route; nil if it is not.
    private static func refusal(of head: RequestHead) -> Refusal? {
        // `100-continue` is the only defined expectation (H-075).
        if let text = head.fields.text(of: .expect), text.lowercased() != "100-continue" {
            return Refusal(417, "Expect holds another expectation than 100-continue; leave it out")
        }
        if head.method == .options, head.fields.contains(.maxForwards), Router.maxForwards(head) == nil {
            return Refusal(400, "Max-Forwards is no number; send digits, or leave it out")
        }
        return nil
    }
}
