import HTTPCore
import HTTPServer
public import Observability

/// Which requests are traced, and where their spans go.
///
/// A request continues the trace that its `traceparent` names, if that is recorded. If it names none, it begins one, by
/// chance. All other requests pass with the fields of traces as they came.
public struct Tracing: Sendable {
    let queue: SpanQueue
    /// The share of requests without a trace that begin one, from 0 to 1.
    private let sample: Double
    let loads = LoadSpans()

    public init(queue: SpanQueue, sample: Double) {
        self.queue = queue
        self.sample = sample
    }

    /// The trace of a request; nil if it is not traced.
    func begin(_ exchange: ServerExchange, chance: () -> Double) -> RequestTrace? {
        let fields = exchange.head.fields
        if let parent = TraceContext(of: fields) {
            guard parent.isSampled else { return nil }
            let state = fields.values(named: TraceContext.stateName).joined(separator: [UInt8(ascii: ",")])
            return RequestTrace(self, parent.child(), parent: parent, state: Array(state))
        }
        guard sample >= 1 || chance() < sample else { return nil }
        return RequestTrace(self, .root(), parent: nil, state: [])
    }
}
