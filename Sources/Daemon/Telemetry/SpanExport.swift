import Exchanges
import HTTPCore
import Locking

/// One request with spans to the collector (OpenTelemetry, OTLP/HTTP).
final class SpanExport: ExchangeReceiver {
    private struct State {
        var rest: ByteChunk
        var exchange: (any Exchange)?
        var status: UInt16 = 0
        /// Nil once it was called, or the export was cancelled.
        var completion: (@Sendable (Outcome) -> Void)?
    }

    enum Outcome: Sendable {
        case response(UInt16)
        /// There was no response; with the reason.
        case failure(String)
    }

    private let state: Lock<State>

    /// - Parameter completion: called once, on the provider's context, unless the export is cancelled.
    init(_ body: [UInt8], _ completion: @escaping @Sendable (Outcome) -> Void) {
        state = Lock(State(rest: ByteChunk(body), completion: completion))
    }

    /// Called on the provider's context.
    func begin(_ provider: any ExchangeProvider, to uri: TargetURI) {
        let count = state.withLock { $0.rest.count }
        var fields = Fields()
        fields.append(.contentType, "application/json")
        fields.append(.userAgent, "respite")
        let request = OriginRequest(method: .post, uri: uri, fields: fields, framing: .length(Int64(count)))
        let exchange = provider.start(request, receiver: self)
        state.withLock { $0.exchange = exchange }
    }

    func cancel() {
        let exchange = state.withLock { state in
            state.completion = nil
            return state.exchange.take()
        }
        exchange?.cancel()
    }

    private func end(_ outcome: Outcome) {
        let completion = state.withLock { state in
            state.exchange = nil
            return state.completion.take()
        }
        completion?(outcome)
    }

    // MARK: Events of the exchange

    func exchangeWantsContent(_ bytes: Int) {
        let (exchange, part, isLast) = state.withLock { state in
            let part = state.rest.prefix(bytes)
            state.rest = state.rest.dropFirst(part.count)
            return (state.exchange, part, state.rest.isEmpty)
        }
        guard !part.isEmpty else { return }
        exchange?.send(part)
        if isLast { exchange?.finish(trailers: nil) }
    }

    func exchangeDidReceiveInterim(_ head: ResponseHead) {}

    func exchangeDidReceive(_ head: ResponseHead) { state.withLock { $0.status = head.status } }

    func exchangeDidReceive(_ chunk: ByteChunk) { state.withLock { $0.exchange }?.grant(chunk.count) }

    func exchangeDidEnd(trailers: Fields?) { end(.response(state.withLock { $0.status })) }

    func exchangeDidFail(_ failure: ExchangeFailure) { end(.failure(failure.userMessage)) }
}
