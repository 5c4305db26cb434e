import Exchanges
import HTTPCore
import Locking

/// Receives the response to a request whose content is known already, and sends the content as it is wanted.
final class UploadingReceiver: ExchangeReceiver {
    private struct State {
        var exchange: (any Exchange)?
        var rest: ByteChunk
        var isFinished = false
    }

    private let receiver: any ExchangeReceiver
    private let trailers: Fields?
    private let state: Lock<State>

    /// - Parameter content: nil if the request has none. Chunked content may be empty, but has an end.
    init(_ receiver: any ExchangeReceiver, _ content: [UInt8]?, _ trailers: Fields?) {
        self.receiver = receiver
        self.trailers = trailers
        state = Lock(State(rest: ByteChunk(content ?? []), isFinished: content == nil))
    }

    /// The exchange that wants the content; its receiver is called only after it has started.
    var exchange: (any Exchange)? {
        get { state.withLock(\.exchange) }
        set { state.withLock { $0.exchange = newValue } }
    }

    var acceptsWholeResponses: Bool { receiver.acceptsWholeResponses }

    func exchangeWantsContent(_ bytes: Int) {
        let (exchange, part, isLast) = state.withLock { state -> ((any Exchange)?, ByteChunk, Bool) in
            guard !state.isFinished else { return (nil, ByteChunk([]), false) }
            let part = state.rest.prefix(max(0, bytes))
            state.rest = state.rest.dropFirst(part.count)
            state.isFinished = state.rest.isEmpty
            return (state.exchange, part, state.isFinished)
        }
        guard let exchange else { return }
        if !part.isEmpty { exchange.send(part) }
        if isLast { exchange.finish(trailers: trailers) }
    }

    func exchangeDidReceiveInterim(_ head: ResponseHead) { receiver.exchangeDidReceiveInterim(head) }
    func exchangeDidReceive(_ head: ResponseHead) { receiver.exchangeDidReceive(head) }
    func exchangeDidReceive(_ chunk: ByteChunk) { receiver.exchangeDidReceive(chunk) }
    func exchangeDidReceive(_ whole: WholeResponse) { end { $0.exchangeDidReceive(whole) } }
    func exchangeDidEnd(trailers: Fields?) { end { $0.exchangeDidEnd(trailers: trailers) } }
    func exchangeDidFail(_ failure: ExchangeFailure) { end { $0.exchangeDidFail(failure) } }

    func exchangeDidSwitch(_ head: ResponseHead, to connection: any SwitchedConnection) {
        end { $0.exchangeDidSwitch(head, to: connection) }
    }

    /// Makes the last call to the receiver, and releases the exchange, which retains this object.
    private func end(_ call: (any ExchangeReceiver) -> Void) {
        exchange = nil
        call(receiver)
    }
}
