import HTTPCore
import Locking

/// One request to a token endpoint: sends a form, and receives a small response.
final class TokenExchange: ExchangeReceiver {
    typealias Outcome = Result<(status: UInt16, content: [UInt8]), ExchangeFailure>

    private struct State {
        var exchange: (any Exchange)?
        var unsent: [UInt8]
        /// Bytes of content that may be sent.
        var wanted = 0
        var status: UInt16 = 0
        var content: [UInt8] = []
        var isOver = false
    }

    /// The largest response in bytes.
    private static let limit = 64 * 1024

    private let state: Lock<State>
    private let completion: @Sendable (Outcome) -> Void

    /// - Parameter completion: called once, on the provider's context.
    init(_ content: [UInt8], completion: @escaping @Sendable (Outcome) -> Void) {
        state = Lock(State(unsent: content))
        self.completion = completion
    }

    /// Sends the request; call it on the provider's context.
    func start(_ request: OriginRequest, _ provider: any ExchangeProvider) {
        let exchange = provider.start(request, receiver: self)
        let isOver = state.withLock { state in
            if !state.isOver { state.exchange = exchange }
            return state.isOver
        }
        if !isOver { send() }
    }

    private func send() {
        let part = state.withLock { state -> (exchange: any Exchange, chunk: [UInt8], isLast: Bool)? in
            guard let exchange = state.exchange, state.wanted > 0, !state.unsent.isEmpty else { return nil }
            let chunk = Array(state.unsent.prefix(state.wanted))
            state.wanted -= chunk.count
            state.unsent.removeFirst(chunk.count)
            return (exchange, chunk, state.unsent.isEmpty)
        }
        guard let part else { return }
        part.exchange.send(ByteChunk(part.chunk))
        if part.isLast { part.exchange.finish(trailers: nil) }
    }

    func exchangeWantsContent(_ bytes: Int) {
        state.withLock { $0.wanted += bytes }
        send()
    }

    func exchangeDidReceiveInterim(_ head: ResponseHead) {}

    func exchangeDidReceive(_ head: ResponseHead) { state.withLock { $0.status = head.status } }

    func exchangeDidReceive(_ chunk: ByteChunk) {
        let (exchange, isTooLarge) = state.withLock { state in
            state.content += chunk.bytes
            return (state.exchange, state.content.count > Self.limit)
        }
        guard isTooLarge else {
            exchange?.grant(chunk.count)
            return
        }
        exchange?.cancel()
        end(.failure(ExchangeFailure(.protocolError, "the answer of the token endpoint is too large")))
    }

    func exchangeDidEnd(trailers: Fields?) {
        let (status, content) = state.withLock { ($0.status, $0.content) }
        end(.success((status, content)))
    }

    func exchangeDidFail(_ failure: ExchangeFailure) { end(.failure(failure)) }

    private func end(_ outcome: Outcome) {
        let isFirst = state.withLock { state in
            defer {
                state.isOver = true
                state.exchange = nil
            }
            return !state.isOver
        }
        if isFirst { completion(outcome) }
    }
}
