import HTTPCaching
import HTTPCore
import HTTPServer
import Outcomes

/// Takes notes about an exchange, for the access log, the recent requests and its span.
///
/// It records the exchange in place of the context, and only while somebody wants notes. Bound to its loop.
final class ExchangeNotes: RequestNotes, ExchangeRecorder {
    /// Until the exchange has ended: the context keeps the ring, and the ring keeps the notes.
    private var context: ProxyContext?
    /// Nil: the request is not traced, or has ended.
    private(set) var trace: RequestTrace?
    /// Of a traced request.
    private var uri: TargetURI?

    init(_ context: ProxyContext, _ trace: RequestTrace? = nil) {
        self.context = context
        self.trace = trace
        super.init()
    }

    /// Notes the value of Cache-Status.
    func note(_ outcome: CacheOutcome, by applied: AppliedRules?) {
        self.outcome = outcome
        reason = nil
        if outcome.isCollapsed { noteLoad(nil) }
        if let rule = applied?.lifetime?.rule { self.rule = rule }
    }

    /// Notes that the request has joined a load: its span links to that of the load.
    ///
    /// - Parameter number: the load's within its resource; nil: not known.
    func noteLoad(_ number: UInt64?) {
        guard let trace, trace.link == nil, let uri else { return }
        trace.link = trace.tracing.loads.context(of: uri, number: number)
    }

    /// Notes why the proxy itself responds.
    func note(_ refusal: String) { reason = refusal }

    /// Notes the rule that decides.
    func note(rule: String) { self.rule = rule }

    /// Notes the target and its route, with the service whose path or host was used, or whose fields are added.
    func note(_ uri: TargetURI, _ kind: RouteKind) {
        target = uri.bytes
        if trace != nil { self.uri = uri }
        form = kind.form
        if let service = kind.service ?? kind.injector { self.service = service.route.name }
    }

    func exchangeDidEnd(_ exchange: ServerExchange, isComplete: Bool) {
        context.take()?.exchangeDidEnd(exchange, self, isComplete: isComplete)
        (trace, uri) = (nil, nil)
    }
}
