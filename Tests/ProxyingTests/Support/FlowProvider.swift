import Eventing
import Exchanges
import HTTPCore
import Locking
import ResourceCore
import TestSupport

/// Stands in for an origin: sends as much as it is granted, asks for as much as it is told, and keeps the figures.
final class FlowProvider: ExchangeProvider {
    let context: any DeliveryContext
    let exchange: FlowExchange

    /// - Parameter bytes: of response content, after which the message ends.
    init(context: any DeliveryContext, exchange: FlowExchange) {
        self.context = context
        self.exchange = exchange
    }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        exchange.begin(request, receiver, context)
        return exchange
    }
}

/// The one exchange of a `FlowProvider`.
final class FlowExchange: Exchange {
    enum Event: Equatable { case started, outOfCredit, delivered, received(Int), finished, cancelled }

    private struct State {
        var receiver: (any ExchangeReceiver)?
        var context: (any DeliveryContext)?
        var credit = 0
        var left: Int
        var delivered = 0
        var asked = 0
        var received = 0
        var isPumping = false
    }

    static let piece = ByteChunk([UInt8](repeating: 0x78, count: 64 * 1024))
    let events = WaitQueue<Event>()
    private let state: Lock<State>
    private let length: Int
    /// Sends the response at once; else after the request content.
    private let answersAtOnce: Bool

    init(length: Int, answersAtOnce: Bool = true) {
        self.length = length
        self.answersAtOnce = answersAtOnce
        state = Lock(State(left: length))
    }

    var delivered: Int { state.withLock { $0.delivered } }
    /// Bytes of request content asked for, and those that came.
    var upload: (asked: Int, received: Int) { state.withLock { ($0.asked, $0.received) } }

    /// Waits for an event, dropping those before it.
    func await(_ event: Event) -> Bool {
        while let next = events.pop() { if next == event { return true } }
        return false
    }

    func begin(_ request: OriginRequest, _ receiver: any ExchangeReceiver, _ context: any DeliveryContext) {
        state.withLock { state in
            state.receiver = receiver
            state.context = context
            state.credit = request.initialCredit
        }
        events.push(.started)
        if answersAtOnce { context.submit { [self] in answer() } }
    }

    private func answer() {
        var head = ResponseHead(status: 200, framing: .length(Int64(length)))
        head.contentLength = Int64(length)
        head.fields.append(.cacheControl, "no-store")
        state.withLock { $0.receiver }?.exchangeDidReceive(head)
        pump()
    }

    /// Delivers while there is credit; on the context.
    private func pump() {
        guard
            state.withLock({ state in
                defer { state.isPumping = true }
                return !state.isPumping
            })
        else { return }
        while true {
            let next: (any ExchangeReceiver, ByteChunk)? = state.withLock { state in
                guard let receiver = state.receiver, state.credit > 0, state.left > 0 else { return nil }
                let chunk = Self.piece.prefix(min(state.credit, state.left, Self.piece.count))
                state.credit -= chunk.count
                state.left -= chunk.count
                state.delivered += chunk.count
                return (receiver, chunk)
            }
            guard let (receiver, chunk) = next else { break }
            receiver.exchangeDidReceive(chunk)
        }
        let (ended, receiver) = state.withLock { state in
            state.isPumping = false
            defer { if state.left == 0 { state.receiver = nil } }
            return (state.left == 0, state.receiver)
        }
        if ended {
            receiver?.exchangeDidEnd(trailers: nil)
            events.push(.delivered)
        } else {
            events.push(.outOfCredit)
        }
    }

    func grant(_ bytes: Int) {
        let context = state.withLock { state in
            state.credit += bytes
            return state.context
        }
        context?.submit { [self] in pump() }
    }

    // MARK: Request content

    /// Asks for more of the request's content.
    func ask(_ bytes: Int) {
        let (receiver, context) = state.withLock { state in
            state.asked += bytes
            return (state.receiver, state.context)
        }
        context?.submit { receiver?.exchangeWantsContent(bytes) }
    }

    func send(_ chunk: ByteChunk) {
        let received = state.withLock { state in
            state.received += chunk.count
            return state.received
        }
        events.push(.received(received))
    }

    func finish(trailers: Fields?) {
        events.push(.finished)
        if !answersAtOnce { state.withLock { $0.context }?.submit { [self] in answer() } }
    }

    func cancel() {
        state.withLock { $0.receiver = nil }
        events.push(.cancelled)
    }
}
