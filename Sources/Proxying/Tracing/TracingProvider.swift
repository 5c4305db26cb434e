import Eventing
import Exchanges
import HTTPCore
import Locking
import Observability
import ResourceCore

/// Makes a span of each request to an origin that a traced request causes, and sends its context along.
///
/// Retries of a load are in its one span.
final class TracingProvider: ExchangeProvider {
    private let provider: any ExchangeProvider
    private let cause: SpanCause

    init(_ provider: any ExchangeProvider, _ trace: RequestTrace) {
        self.provider = provider
        cause = trace.cause
    }

    var context: any DeliveryContext { provider.context }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        let context = cause.context.child()
        var traced = request
        traced.fields.remove(named: TraceContext.fieldName)
        traced.fields.append(name: TraceContext.fieldName, value: context.field)
        // The state of a trace that is not continued.
        if cause.state.isEmpty { traced.fields.remove(named: TraceContext.stateName) }
        if let load = receiver as? Load {
            cause.tracing.loads.add(request.uri, number: load.number, context)
        }
        let span = OpenSpan(request, context, cause)
        return TracedExchange(provider.start(traced, receiver: TracedReceiver(receiver, span)), span)
    }
}

/// A span of a request to an origin, until its one end.
final class OpenSpan: Sendable {
    private let span: Lock<TracedSpan?>
    private let queue: SpanQueue

    init(_ request: OriginRequest, _ context: TraceContext, _ cause: SpanCause) {
        let now = MonotonicTime.now
        var span = TracedSpan(
            .client,
            context,
            parent: cause.context.span,
            start: now,
            end: now,
            method: request.method,
            target: request.uri.bytes
        )
        span.state = cause.state
        self.span = Lock(span)
        queue = cause.tracing.queue
    }

    func note(status: UInt16) { span.withLock { $0?.status = status } }

    /// - Parameter failure: why there is no whole response.
    func end(_ failure: String? = nil) {
        guard var span = span.withLock({ $0.take() }) else { return }
        span.end = .now
        span.failure = failure
        queue.add(span)
    }
}

private final class TracedExchange: Exchange {
    private let exchange: any Exchange
    private let span: OpenSpan

    init(_ exchange: any Exchange, _ span: OpenSpan) {
        self.exchange = exchange
        self.span = span
    }

    func grant(_ bytes: Int) { exchange.grant(bytes) }
    func send(_ chunk: ByteChunk) { exchange.send(chunk) }
    func finish(trailers: Fields?) { exchange.finish(trailers: trailers) }

    func cancel() {
        exchange.cancel()
        span.end("cancelled")
    }
}

private final class TracedReceiver: ExchangeReceiver {
    private let receiver: any ExchangeReceiver
    private let span: OpenSpan

    init(_ receiver: any ExchangeReceiver, _ span: OpenSpan) {
        self.receiver = receiver
        self.span = span
    }

    var acceptsWholeResponses: Bool { receiver.acceptsWholeResponses }

    func exchangeDidReceiveInterim(_ head: ResponseHead) { receiver.exchangeDidReceiveInterim(head) }

    func exchangeDidReceive(_ head: ResponseHead) {
        span.note(status: head.status)
        receiver.exchangeDidReceive(head)
    }

    func exchangeDidReceive(_ chunk: ByteChunk) { receiver.exchangeDidReceive(chunk) }

    func exchangeDidEnd(trailers: Fields?) {
        span.end()
        receiver.exchangeDidEnd(trailers: trailers)
    }

    func exchangeDidReceive(_ whole: WholeResponse) {
        span.note(status: whole.head.status)
        span.end()
        receiver.exchangeDidReceive(whole)
    }

    func exchangeDidFail(_ failure: ExchangeFailure) {
        span.end(failure.kind.rawValue)
        receiver.exchangeDidFail(failure)
    }

    func exchangeDidSwitch(_ head: ResponseHead, to connection: any SwitchedConnection) {
        span.note(status: head.status)
        span.end()
        receiver.exchangeDidSwitch(head, to: connection)
    }

    func exchangeWantsContent(_ bytes: Int) { receiver.exchangeWantsContent(bytes) }
}
