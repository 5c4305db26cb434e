import HTTPCaching
import HTTPCore
import HTTPServer
import Observability
import ResourceCore

/// What access log and recent requests say about an exchange beyond its message.
///
/// It records the exchange in place of the context, and only while requests are logged or kept. Bound to its loop.
final class ExchangeNotes: ExchangeRecorder {
    private let context: ProxyContext
    private var notes = AccessLogNotes()
    private var outcome: CacheOutcome?
    private var uri: TargetURI?
    private(set) var form: RouteKind.Form?
    /// Nil: the request is not traced.
    let trace: RequestTrace?

    init(_ context: ProxyContext, _ trace: RequestTrace? = nil) {
        self.context = context
        self.trace = trace
    }

    /// Notes the value of Cache-Status.
    func note(_ outcome: CacheOutcome, of metadata: ResponseMetadata?) {
        self.outcome = outcome
        notes.reason = nil
        if outcome.isCollapsed { noteLoad(nil) }
        if let rule = metadata?.applied?.lifetime?.rule { notes.rule = rule }
    }

    /// Notes that the request has joined a load: its span links to that of the load.
    ///
    /// - Parameter number: the load's within its resource; nil: not known.
    func noteLoad(_ number: UInt64?) {
        guard let trace, trace.link == nil, let uri else { return }
        trace.link = trace.tracing.loads.context(of: uri, number: number)
    }

    /// Notes why the proxy itself responds.
    func note(_ refusal: String) { notes.reason = refusal }

    /// Notes the rule that decides.
    func note(rule: String) { notes.rule = rule }

    /// Notes the target and its route, with the service whose path or host was used, or whose fields are added.
    func note(_ uri: TargetURI, _ kind: RouteKind) {
        self.uri = uri
        form = kind.form
        if let service = kind.service ?? kind.injector { notes.service = service.route.name }
    }

    func exchangeDidEnd(_ exchange: ServerExchange, isComplete: Bool) {
        context.exchangeDidEnd(exchange, self, isComplete: isComplete)
    }

    /// What the access log says.
    var logged: AccessLogNotes {
        var notes = notes
        if notes.reason == nil, let outcome { notes.reason = outcome.detail ?? outcome.forward?.rawValue }
        return notes
    }

    /// The target for records: the URI, or what came.
    func target(of exchange: ServerExchange) -> [UInt8] { uri?.bytes ?? Self.target(of: exchange) }

    /// Hands over what is kept of the exchange, once.
    func takeDetails(of exchange: ServerExchange, isComplete: Bool) -> RequestDetails {
        notes.user = exchange.login?.user
        let target = uri.take()?.bytes ?? Self.target(of: exchange)
        return RequestDetails(
            method: exchange.head.method,
            target: target,
            outcome: outcome.take(),
            notes: Self.take(&notes),
            requestBytes: exchange.receivedBytes,
            headDuration: exchange.startTime.map { $0.nanoseconds &- exchange.arrivalTime.nanoseconds },
            isComplete: isComplete
        )
    }

    /// Moves the notes out: a copy would take a reference for each text.
    private static func take(_ notes: inout AccessLogNotes) -> AccessLogNotes {
        var taken = AccessLogNotes()
        swap(&taken, &notes)
        return taken
    }

    /// The target as it came, without user information, behind the origin of its connection inside a CONNECT.
    private static func target(of exchange: ServerExchange) -> [UInt8] {
        let head = exchange.head
        let target = SecretParameters.withoutUserInformation(ofUnparsed: Array(head.fields.bytes[head.targetRange]))
        guard head.form == .origin, let origin = exchange.origin else { return target }
        return (origin.named(in: head) ?? origin).prefix + target
    }
}
