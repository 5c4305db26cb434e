import Eventing
import Exchanges
import HTTPCore
import Locking

/// An exchange that the shared tier answers, or else the origin.
///
/// Calls may come from any thread; the receiver is called on the provider's context, never inside such a call.
final class SharedExchange: Exchange {
    private struct State {
        var receiver: (any ExchangeReceiver)?
        /// The exchange with the origin.
        var inner: (any Exchange)?
        /// The lease of the load.
        var lease: Lease?
        /// The rest of the tier's content.
        var content: ByteChunk?
        var credit: Int
    }

    private let request: OriginRequest
    private let ticket: RequestTicket
    private let load: SharedLoad
    private let base: any ExchangeProvider
    private let client: LoopBound<TierClient>
    private let state: Lock<State>

    init(
        _ request: OriginRequest,
        _ receiver: any ExchangeReceiver,
        _ ticket: RequestTicket,
        _ load: SharedLoad,
        _ base: any ExchangeProvider,
        _ client: LoopBound<TierClient>
    ) {
        (self.request, self.ticket, self.load, self.base, self.client) = (request, ticket, load, base, client)
        state = Lock(State(receiver: receiver, credit: request.initialCredit))
    }

    /// Whether the exchange was cancelled or has ended, or the origin now responds to the receiver.
    var isOver: Bool { state.withLock { $0.receiver == nil } }

    /// The look-up has ended; on the context.
    func didLookUp(_ result: LookUpResult) {
        switch result {
        case .found(let answer): if let receiver = state.withLock(\.receiver) { deliver(answer, receiver) }
        case .load(let claim): ask(claim)
        }
    }

    // MARK: The origin

    private func ask(_ claim: Claim?) {
        let lease = claim?.lease
        if let claim, let lease { client.value.keep(lease, of: claim, for: load) }
        guard let receiver = state.withLock(\.receiver) else { return end(lease) }
        let inner = base.start(request, receiver: lease.map { LeasedReceiver(receiver, $0, client) } ?? receiver)
        let (isOver, granted) = state.withLock { state -> (Bool, Int) in
            guard state.receiver != nil else { return (true, 0) }
            (state.receiver, state.inner, state.lease) = (nil, inner, lease)
            return (false, state.credit - request.initialCredit)
        }
        if isOver {
            inner.cancel()
            end(lease)
        } else if granted > 0 {
            inner.grant(granted)
        }
    }

    /// Ends the lease: nobody wants the response of the load any more.
    private func end(_ lease: Lease?) {
        guard let lease else { return }
        client.submit { $0.keeper(of: lease)?.end(.cancelled) }
    }

    // MARK: The tier's response

    private func deliver(_ answer: SharedAnswer, _ receiver: any ExchangeReceiver) {
        ticket.noteSharedAnswer()
        let content = ByteChunk(answer.content)
        if receiver.acceptsWholeResponses, content.count <= state.withLock(\.credit) {
            state.withLock { $0.receiver = nil }
            return receiver.exchangeDidReceive(WholeResponse(head: answer.head, content: content))
        }
        receiver.exchangeDidReceive(answer.head)
        state.withLock { $0.content = content }
        deliverContent()
    }

    private func deliverContent() {
        while let (receiver, chunk) = nextChunk() {
            guard let chunk else { return receiver.exchangeDidEnd(trailers: nil) }
            receiver.exchangeDidReceive(chunk)
        }
    }

    /// The receiver with its next chunk, or nil for the end; nil if nothing may be delivered now.
    private func nextChunk() -> (any ExchangeReceiver, ByteChunk?)? {
        state.withLock { state in
            guard let receiver = state.receiver, let rest = state.content else { return nil }
            if rest.isEmpty {
                (state.receiver, state.content) = (nil, nil)
                return (receiver, nil)
            }
            let chunk = rest.prefix(max(0, state.credit))
            guard !chunk.isEmpty else { return nil }
            state.credit -= chunk.count
            state.content = rest.dropFirst(chunk.count)
            return (receiver, chunk)
        }
    }

    // MARK: Calls of the owner

    func grant(_ bytes: Int) {
        let (inner, hasContent) = state.withLock { state in
            state.credit += bytes
            return (state.inner, state.content != nil)
        }
        if let inner { return inner.grant(bytes) }
        if hasContent { base.context.submit { [self] in deliverContent() } }
    }

    func send(_ chunk: ByteChunk) { state.withLock(\.inner)?.send(chunk) }

    func finish(trailers: Fields?) { state.withLock(\.inner)?.finish(trailers: trailers) }

    func cancel() {
        let former = state.withLock { state in
            defer { (state.receiver, state.inner, state.content, state.lease) = (nil, nil, nil, nil) }
            return state
        }
        // Releases the receiver, outside the lock.
        withExtendedLifetime(former) {
            former.inner?.cancel()
            end(former.lease)
        }
    }
}
