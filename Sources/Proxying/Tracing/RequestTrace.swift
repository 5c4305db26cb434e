import Eventing
import HTTPCore
import HTTPServer
import Observability

/// The span of a client's request while it lasts.
///
/// `link` is bound to the exchange's loop; loads, on any thread, read the constants.
final class RequestTrace {
    let tracing: Tracing
    let context: TraceContext
    /// The client's span; nil: this one begins the trace.
    private let parent: TraceContext?
    /// The values of `tracestate`.
    let state: [UInt8]
    /// The load that the request joined.
    var link: TraceContext?

    init(_ tracing: Tracing, _ context: TraceContext, parent: TraceContext?, state: [UInt8]) {
        self.tracing = tracing
        self.context = context
        self.parent = parent
        self.state = state
    }

    /// What a load needs of it.
    var cause: SpanCause { SpanCause(tracing: tracing, context: context, state: state) }

    /// The exchange has ended.
    ///
    /// - Parameter target: the URI, or what came.
    func record(_ exchange: ServerExchange, target: [UInt8], _ notes: AccessLogNotes, isComplete: Bool) {
        var span = TracedSpan(
            .server,
            context,
            parent: parent?.span,
            start: exchange.receivedAt,
            end: .now,
            method: exchange.head.method,
            target: target
        )
        span.state = state
        span.link = link
        span.status = exchange.status ?? 0
        if !isComplete { span.failure = exchange.status == nil ? "no_response" : "incomplete_response" }
        span.server = TracedSpan.ServerFacts(
            outcome: exchange.outcome.text,
            notes: notes,
            version: exchange.head.version,
            client: exchange.peer.ipAddress,
            requestBytes: exchange.receivedBytes,
            contentBytes: exchange.contentBytes
        )
        tracing.queue.add(span)
    }
}

/// The span that causes requests to origins.
struct SpanCause: Sendable {
    var tracing: Tracing
    var context: TraceContext
    var state: [UInt8]
}
