import HTTPCaching
import HTTPCore
import HTTPServer
import Observability
import ResourceCore

/// What access log and recent requests say about an exchange beyond its message.
///
/// It records the exchange in place of the context, and only while requests are logged or kept. The ring of recent requests
/// keeps it afterwards, so that a request needs no second object. Bound to its loop.
final class ExchangeNotes: ExchangeRecorder {
    /// Until the exchange has ended: the context keeps the ring, and the ring keeps the notes.
    private var context: ProxyContext?
    private var reason: String?
    private var rule: String?
    private var service: String?
    private var outcome: CacheOutcome?
    /// Empty: the target was no URI; once the exchange has ended, as it came.
    private var target: [UInt8] = []
    private(set) var form: RouteKind.Form?
    /// Nil: the request is not traced, or has ended.
    private(set) var trace: RequestTrace?
    /// Of a traced request.
    private var uri: TargetURI?

    // Of an exchange that has ended.
    private var method = Method.get
    private var user: String?
    private var requestBytes: Int64 = 0
    private var headDuration: Int64?
    private var isComplete = false

    init(_ context: ProxyContext, _ trace: RequestTrace? = nil) {
        self.context = context
        self.trace = trace
    }

    /// Notes about a hit that was answered without an exchange.
    init(hit target: [UInt8], service: String?, user: String?) {
        self.target = target
        self.service = service
        self.user = user
        outcome = .hit
        isComplete = true
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
    }

    /// What the access log says.
    var logged: AccessLogNotes {
        let reason = reason ?? outcome?.detail ?? outcome?.forward?.rawValue
        return AccessLogNotes(reason: reason, rule: rule, service: service)
    }

    /// Notes how the exchange ended, for the ring.
    func end(_ exchange: ServerExchange, isComplete: Bool) {
        method = exchange.head.method
        target = target(of: exchange)
        if target.count > RequestRecord.targetLimit { target.removeSubrange((RequestRecord.targetLimit + 1)...) }
        user = exchange.login?.user
        requestBytes = exchange.receivedBytes
        headDuration = exchange.startTime.map { $0.nanoseconds &- exchange.arrivalTime.nanoseconds }
        self.isComplete = isComplete
        (trace, uri) = (nil, nil)
    }

    /// The target for records: the URI, or what came.
    func target(of exchange: ServerExchange) -> [UInt8] { target.isEmpty ? Self.target(of: exchange) : target }

    /// What is recorded of the exchange that has ended.
    var details: RequestDetails {
        RequestDetails(
            method: method,
            target: target,
            outcome: outcome,
            notes: AccessLogNotes(reason: reason, rule: rule, service: service, user: user),
            requestBytes: requestBytes,
            headDuration: headDuration,
            isComplete: isComplete
        )
    }

    /// The target as it came, without user information, behind the origin of its connection inside a CONNECT.
    private static func target(of exchange: ServerExchange) -> [UInt8] {
        let head = exchange.head
        let target = SecretParameters.withoutUserInformation(ofUnparsed: Array(head.fields.bytes[head.targetRange]))
        guard head.form == .origin, let origin = exchange.origin else { return target }
        return (origin.named(in: head) ?? origin).prefix + target
    }
}
