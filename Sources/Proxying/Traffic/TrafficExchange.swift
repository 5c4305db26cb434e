import Eventing
import HTTPCore
import HTTPServer
import Outcomes

/// Delays a request, and lets it fail or redirects it if rules say so; else lets it go on.
///
/// Bound to its loop.
final class TrafficExchange: ServerExchangeDelegate {
    /// A request without a response is given up after this time.
    private static let silence = Duration.seconds(600)
    /// Bytes of content that are read and dropped at once.
    private static let discardedAtOnce = 65_536

    private let client: ServerExchange
    private let uri: TargetURI
    private let kind: RouteKind
    private let rules: TrafficRules
    private let context: ProxyContext
    private let proceed: () -> Void
    private var timer: LoopTimer?

    /// - Parameter proceed: serves the request as if there were no rules.
    init(
        _ client: ServerExchange,
        uri: TargetURI,
        kind: RouteKind,
        rules: TrafficRules,
        context: ProxyContext,
        proceed: @escaping () -> Void
    ) {
        self.client = client
        self.uri = uri
        self.kind = kind
        self.rules = rules
        self.context = context
        self.proceed = proceed
    }

    func start() {
        guard rules.delay > .zero else { return act() }
        wait(rules.delay) { [self] in act() }
    }

    private func wait(_ time: Duration, _ work: @escaping () -> Void) {
        client.delegate = self
        timer = client.loop.schedule(after: time) { [self] in
            timer = nil
            if client.isOpen { work() }
        }
    }

    private func act() {
        client.delegate = nil
        if let fault = rules.fault, context.chance() < fault.share { return fail(fault.kind) }
        if let redirect = rules.redirect { return respond(redirect) }
        proceed()
    }

    private func fail(_ fault: TrafficRules.Fault.Kind) {
        context.notes(about: client)?.note(rule: rules.faultRule)
        switch fault {
        case .status(let status): context.refuse(client, .failed(status, by: rules.faultRule))
        case .reset:
            client.outcome = .refused
            client.cut()
        case .timeout:
            client.outcome = .refused
            wait(Self.silence) { [client] in client.cut() }
            // The end of the client is seen behind the content.
            discardContent(Self.discardedAtOnce)
            client.stayWithoutResponse()
        }
    }

    private func discardContent(_ bytes: Int) {
        if client.hasContent, !client.isContentComplete { client.requestContent(bytes) }
    }

    func exchange(_ exchange: ServerExchange, didReceive chunk: ByteChunk) { discardContent(chunk.count) }

    private func respond(_ redirect: TrafficRules.Redirect) {
        context.notes(about: client)?.note(rule: rules.redirectRule)
        let path = String(decoding: uri.path, as: UTF8.self)
        var fields = Fields()
        fields.append(.location, redirect.target.replacing("$path", with: path))
        fields.append(.cacheControl, "no-store")
        kind.adapt(&fields, of: uri, for: client)
        context.router.options.via.append(to: &fields, received: .http11)
        let outcome = CacheOutcome(isHit: false, detail: "redirect")
        fields.append(.cacheStatus, context.cacheStatus(outcome, for: client))
        client.respond(redirect.status, fields: fields, content: ByteChunk([]))
    }

    func exchangeDidLoseClient(_ exchange: ServerExchange) {
        timer?.cancel()
        timer = nil
    }
}
