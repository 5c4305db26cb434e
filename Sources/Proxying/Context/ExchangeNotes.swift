import HTTPCaching
import HTTPCore
import HTTPServer
import Observability
import ResourceCore

/// What the access log says about an exchange beyond its message.
///
/// It records the exchange in place of the context, and only while requests are logged. Bound to its loop.
final class ExchangeNotes: ExchangeRecorder {
    private let context: ProxyContext
    private var notes = AccessLogNotes()

    init(_ context: ProxyContext) { self.context = context }

    /// Notes the value of Cache-Status.
    func note(_ outcome: CacheOutcome, of metadata: ResponseMetadata?) {
        notes.reason = outcome.detail ?? outcome.forward?.rawValue
        if let rule = metadata?.applied?.lifetime?.rule { notes.rule = rule }
    }

    /// Notes why the proxy itself responds.
    func note(_ refusal: String) { notes.reason = refusal }

    /// Notes the rule that decides.
    func note(rule: String) { notes.rule = rule }

    /// Notes the service whose path or host was used, or whose fields were added.
    func note(_ service: NamedService) { notes.service = service.route.name }

    func exchangeDidEnd(_ exchange: ServerExchange, isComplete: Bool) {
        context.metrics.count(exchange)
        context.accessLog?.write(exchange, notes, isComplete: isComplete)
    }
}
