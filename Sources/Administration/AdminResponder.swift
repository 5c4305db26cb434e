public import Eventing
public import Exchanges
import Formats
import HTTPCore
public import HTTPServer
import JSON
import Observability
import Platform
import ResourceCore
import Settings
import Transforms

/// Handles requests of the admin listeners.
///
/// Bound to its loop.
public final class AdminResponder: Responder {
    let loop: EventLoop
    /// The loop, in the core's terms.
    let context: any DeliveryContext
    let source: AdminSource
    private(set) var options: AdminOptions
    private(set) var access: AccessCheck
    /// The sessions of browsers, which end with the daemon.
    var sessions: SessionTable
    let events: EventHub
    let requests: RequestHub
    /// Listeners of the log.
    var logStreams: [ObjectIdentifier: LogStream] = [:]
    /// Ordered listings under way.
    var orderedListings = 0
    private let refused: Counter

    /// - Parameter context: the loop, in the core's terms.
    public init(loop: EventLoop, context: any DeliveryContext, source: AdminSource, options: AdminOptions) {
        self.loop = loop
        self.context = context
        self.source = source
        self.options = options
        access = AccessCheck(options: options)
        sessions = SessionTable(hasher: source.service.table.environment.hasher, makeSecret: AdminToken.make)
        events = EventHub(loop: loop, context: context, table: source.service.table, options: options)
        requests = RequestHub(loop: loop, source: source.requests, options: options)
        refused = source.metrics.counter(
            "respite_admin_refused_total",
            "Requests to the admin API refused because of host, site, token or session; without visits to the login page."
        )
    }

    /// Replaces the options, except those of event streams; a new token ends the sessions of the old one.
    public func apply(_ options: AdminOptions) {
        if options.token != self.options.token {
            sessions.endAll(readingOnly: false)
        } else if options.readToken != self.options.readToken {
            sessions.endAll(readingOnly: true)
        }
        events.endStreamsOfEndedSessions()
        requests.endStreamsOfEndedSessions()
        self.options = options
        access = AccessCheck(options: options)
        requests.apply(options)
    }

    /// Sends a last event to all event streams and ends them: the daemon is about to stop (S-213).
    public func endEvents() {
        events.endStreams()
        requests.endStreams()
        for stream in logStreams.values { stream.end() }
    }

    public func respond(to exchange: ServerExchange) {
        do throws(AdminRefusal) {
            let request = AdminRequest(exchange.head)
            let route = MatchedRoute(path: request.path)
            if let refusal = access.foreignHost(exchange.head, exchange.peer) {
                refused.add()
                throw refusal
            }
            guard !answeredWorker(exchange), !answeredVisit(exchange, route) else { return }
            if let refusal = refusal(exchange, route) {
                refused.add()
                throw refusal
            }
            guard let route else { throw AdminRefusal(404, "there is nothing at this path") }
            guard let operation = route.description.operation(exchange.head.method) else {
                throw Self.wrongMethod(route.description)
            }
            try request.requireParameters(operation.queryParameters)
            try answer(exchange, route.route, request)
        } catch {
            exchange.reply(error)
        }
    }

    private func refusal(_ exchange: ServerExchange, _ route: MatchedRoute?) -> AdminRefusal? {
        access.refusal(
            exchange.head,
            peer: exchange.peer,
            needs: route?.need(exchange.head.method) ?? .reading,
            isPage: route?.route.isPage ?? false
        ) { session(of: exchange)?.need }
    }

    /// Counts a request that was refused because of host, site, token or session.
    func noteRefusal() { refused.add() }

    private static func wrongMethod(_ route: RouteDescription) -> AdminRefusal {
        let allowed = route.methods.map(\.text).joined(separator: ", ")
        let detail =
            if route.methods == [.post] {
                "this path changes something and needs POST"
            } else if route.methods.contains(.post) {
                "this path can be read by GET, and does something by POST"
            } else if route.methods.contains(.put) {
                "this path can be read by GET and replaced by PUT"
            } else {
                "this path can only be read, by GET"
            }
        return AdminRefusal(405, detail, fields: [(.allow, allowed)])
    }

    private func answer(
        _ exchange: ServerExchange,
        _ route: AdminRoute,
        _ request: AdminRequest
    ) throws(AdminRefusal) {
        switch route {
        case .health: exchange.reply(text: "ok\n")
        case .ready:
            guard source.isReady() else {
                throw AdminRefusal(503, "no further requests are accepted: the daemon is stopping")
            }
            exchange.reply(text: "ready\n")
        case .metrics: replyMetrics(exchange)
        case .index: exchange.reply { [source] in IndexDocument(version: source.version).write(to: &$0) }
        case .document: sendDocument(exchange)
        case .shell: sendShell(exchange)
        case .asset(let file): sendAsset(exchange, file)
        case .login where exchange.head.method == .post: try login(exchange)
        case .login: sendLogin(exchange, status: 200)
        case .logout: logout(exchange)
        case .sessions where exchange.head.method == .post: try makeLink(exchange)
        case .sessions: showSession(exchange)
        case .history: exchange.reply { [source, now] in HistoryDocument(source.history, at: now).write(to: &$0) }
        case .status:
            let source = source
            exchange.reply { StatusDocument(source).write(to: &$0) }
        case .resources where exchange.head.changesResource:
            try override(exchange, source.service.identity(of: try Self.uri(request)), request)
        case .resources: try list(exchange, request)
        case .resource(let id) where exchange.head.changesResource: try override(exchange, id.uri, request)
        case .resource(let id): show(exchange, id.uri)
        case .content(let id): try send(exchange, id.uri, variant: request.integer(.variant))
        case .archive(let id): try archive(exchange, id.uri, request)
        case .archiveImport: try importEntry(exchange)
        case .purge, .wipe, .invalidate:
            try change(exchange, takesTags: route == .purge) { [source] target in
                switch route {
                case .purge: .purge(target, source)
                case .wipe: .wipe(target, source)
                default: .invalidate(target, source)
                }
            }
        case .refresh: try refresh(exchange)
        case .configuration: try showConfiguration(exchange, request)
        case .reload: try reload(exchange)
        case .explain: try explain(exchange, request)
        case .log: try log(exchange)
        case .logLines: try showLines(exchange, request)
        case .logStream: try followLines(exchange, request)
        case .mode: try mode(exchange)
        case .requests: try listRequests(exchange, request)
        case .requestArchive: try sendArchive(exchange, request)
        case .requestStream: try followRequests(exchange, request)
        case .request(let id): try showRequest(exchange, id)
        case .tunnels: try listTunnels(exchange, limit: request.integer(.tunnelLimit) ?? 1)
        case .services: exchange.reply { ServiceDocument(source.services(), source.modes).write(to: &$0) }
        case .origins: try listOrigins(exchange, limit: request.integer(.originLimit) ?? 1)
        case .events: try sendEvents(exchange, request)
        }
    }

    /// `GET /v1/events`; a stream that a session has begun ends with it (H-163).
    private func sendEvents(_ exchange: ServerExchange, _ request: AdminRequest) throws(AdminRefusal) {
        let lastEventID = Self.lastEventID(exchange.head)
        let hasEnded = endOfSession(exchange)
        if request["uri"] != nil {
            guard request["filter"] == nil else { throw AdminRefusal(400, "give `uri` or `filter`, not both") }
            let uri = source.service.identity(of: try Self.uri(request))
            return events.subscribe(exchange, to: uri, lastEventID: lastEventID, hasEnded: hasEnded)
        }
        let filter = try request["filter"].map { text throws(AdminRefusal) in try ResourceFilter(text) }
        events.subscribe(exchange, filter: filter ?? .all, lastEventID: lastEventID, hasEnded: hasEnded)
    }

    static func lastEventID(_ head: RequestHead) -> String? {
        head.fields.values(named: Array("last-event-id".utf8)).first.map { String(decoding: $0, as: UTF8.self) }
    }

    private func replyMetrics(_ exchange: ServerExchange) {
        exchange.respond(
            200,
            fields: ServerExchange.adminFields(contentType: "text/plain; version=0.0.4; charset=utf-8"),
            content: ByteChunk(source.metrics.prometheusText())
        )
    }

    // MARK: Resources

    private static func uri(_ request: AdminRequest) throws(AdminRefusal) -> TargetURI {
        guard let uri = request["uri"].flatMap({ try? TargetURI(identifying: $0) }) else {
            throw AdminRefusal(400, "`uri` must be an absolute http or https URL")
        }
        return uri
    }

    private func override(
        _ exchange: ServerExchange,
        _ uri: TargetURI,
        _ request: AdminRequest
    ) throws(AdminRefusal) {
        let terms = try OverrideRequest.Terms(uri, request, keepsFields: exchange.head.method == .patch)
        try OverrideRequest.receive(exchange, terms, source, limit: options.overrideLimit)
    }

    /// `GET /v1/mode` and `PUT /v1/mode`.
    private func mode(_ exchange: ServerExchange) throws(AdminRefusal) {
        guard let modes = source.modes else { throw AdminRefusal(404, "there are no modes here") }
        let environment = source.service.table.environment
        guard exchange.head.method == .put else {
            return exchange.reply { ModeDocument(modes, environment).write(to: &$0) }
        }
        try ReceivedContent.takeJSON(of: exchange, options, read: ModeChoice.init(json:)) {
            choice,
            exchange throws(AdminRefusal) in
            guard modes.choose(choice.mode, choice.service) else {
                throw AdminRefusal(404, "there is no service of this name", path: "$.service")
            }
            exchange.reply { ModeDocument(modes, environment).write(to: &$0) }
        }
    }

    /// Makes a change, and responds once it is durable.
    private func change(
        _ exchange: ServerExchange,
        takesTags: Bool,
        _ make: @escaping (ChangeTarget) -> Change
    ) throws(AdminRefusal) {
        let read = { (json: JSONCursor) throws(JSONError) in try ChangeTarget(json: json, takesTags: takesTags) }
        try ReceivedContent.takeJSON(of: exchange, options, read: read) {
            target,
            exchange throws(AdminRefusal) in
            let change = make(target)
            let bound = LoopBound(exchange, loop: exchange.loop)
            let isTaken =
                if target.isDryRun {
                    change.preview { result in bound.submit { $0.reply { result.write(to: &$0) } } }
                } else {
                    change.run { count in bound.submit { $0.reply { $0.member(change.countName, count) } } }
                }
            if !isTaken { throw AdminRefusal(503, "too many changes or listings are in progress") }
        }
    }

    private func refresh(_ exchange: ServerExchange) throws(AdminRefusal) {
        let source = source
        try ReceivedContent.takeJSON(of: exchange, options, read: RefreshTarget.init(json:)) { target, exchange in
            let bound = LoopBound(exchange, loop: exchange.loop)
            Refresh.run(target, source) { outcome in
                bound.submit { Refresh.reply(outcome, of: source.service.identity(of: target.uri), on: $0) }
            }
        }
    }

    private func list(_ exchange: ServerExchange, _ request: AdminRequest) throws(AdminRefusal) {
        if request["uri"] != nil {
            return show(exchange, source.service.identity(of: try Self.uri(request)))
        }
        try listPage(exchange, request)
    }

    private func show(_ exchange: ServerExchange, _ uri: TargetURI) {
        let bound = LoopBound(exchange, loop: loop)
        GatheredResource.gather(uri, source) { [source] gathered in
            source.withSharedNote(uri) { shared in
                bound.submit { exchange in
                    guard gathered.isKnown else { return exchange.reply(GatheredResource.notFound(shared)) }
                    exchange.reply { gathered.write(shared: shared, to: &$0) }
                }
            }
        }
    }

    private func send(_ exchange: ServerExchange, _ uri: TargetURI, variant: Int?) {
        let bound = LoopBound(exchange, loop: loop)
        let source = source
        GatheredResource.gather(uri, source) { gathered in
            bound.submit { exchange in
                guard let variant = gathered.variant(variant) else { return exchange.reply(GatheredResource.notFound) }
                // The response was stored before the rule that redacts it existed.
                let pipeline = source.service.configuration(for: uri).values.pipeline
                guard variant.isRedacted || !pipeline.hidesOriginal(status: variant.status, fields: variant.fields)
                else { return exchange.reply(GatheredResource.hidden) }
                ContentReply.send(variant, on: exchange)
            }
        }
    }
}

extension RequestHead {
    /// Whether the request replaces the stored response of a resource, or its content.
    fileprivate var changesResource: Bool { method == .put || method == .patch }
}
