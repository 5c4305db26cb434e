import Cassettes
import Exchanges
import HTTPCore
import Locking

/// An exchange that a cassette answers, once the request's content is complete.
///
/// Calls may come from any thread; the receiver is called on the context, never inside a call to the exchange.
final class ReplayedExchange: Exchange {
    private struct State {
        var receiver: (any ExchangeReceiver)?
        var content: [UInt8] = []
        var response = PacedResponse()
        /// When the response began.
        var begin: MonotonicTime?
        /// Set while the next piece of a stream is not due.
        var timer: (any TimerToken)?
        /// The exchange with the origin, for a request that the cassette does not have.
        var inner: (any Exchange)?

        /// The seconds since the response began.
        func elapsed(at now: MonotonicTime) -> Double { begin.map { (now - $0).milliseconds / 1000 } ?? 0 }
    }

    private let request: OriginRequest
    private let session: CassetteSession
    private let fallback: (any ExchangeProvider)?
    private let context: any DeliveryContext
    private let timekeeper: any Timekeeper
    private let state: Lock<State>

    init(
        _ request: OriginRequest,
        _ receiver: any ExchangeReceiver,
        _ session: CassetteSession,
        fallback: (any ExchangeProvider)?,
        _ context: any DeliveryContext,
        _ timekeeper: any Timekeeper
    ) {
        self.timekeeper = timekeeper
        self.request = request
        self.session = session
        self.fallback = fallback
        self.context = context
        var initial = State(receiver: receiver)
        initial.response.credit = request.initialCredit
        state = Lock(initial)
    }

    func start() {
        context.submit { [self] in
            if let kind = request.unrecordableKind { return refuse(kind) }
            if request.hasNoContent { return answer(trailers: nil) }
            // One byte more shows that there is too much; without it the client would wait for ever.
            state.withLock(\.receiver)?.exchangeWantsContent(CassetteSession.contentLimit + 1)
        }
    }

    // MARK: Calls

    func grant(_ bytes: Int) {
        let inner = state.withLock { state in
            state.response.credit += bytes
            return state.inner
        }
        if let inner { inner.grant(bytes) } else { context.submit { [self] in deliver() } }
    }

    func send(_ chunk: ByteChunk) {
        let isTooLarge = state.withLock { state in
            guard state.content.count + chunk.count <= CassetteSession.contentLimit else { return true }
            state.content += chunk.bytes
            return false
        }
        if isTooLarge { context.submit { [self] in refuse("requests with more content") } }
    }

    func finish(trailers: Fields?) { context.submit { [self] in answer(trailers: trailers) } }

    func cancel() {
        let former = state.withLock { state in
            defer { state = State() }
            return state
        }
        // Releases the receiver, outside the lock.
        withExtendedLifetime(former) {
            former.timer?.cancel()
            former.inner?.cancel()
        }
    }

    // MARK: On the context

    private func answer(trailers: Fields?) {
        guard let content = state.withLock({ $0.receiver == nil || $0.response.hasBegun ? nil : $0.content }) else {
            return
        }
        switch session.answer(CassetteRequest(request, content: content)) {
        case .response(let response): begin(PacedResponse(response, to: request.method, speed: session.speed))
        case .miss(let miss):
            if let fallback { ask(fallback, content, trailers) } else { begin(PacedResponse(miss, to: request.method)) }
        }
    }

    private func refuse(_ kind: String) {
        let title = "\(request.method.text) \(session.redacted(request.uri.text))"
        let miss = CassetteMiss(request: title, reason: .unrecordable(kind))
        session.miss(miss)
        begin(PacedResponse(miss, to: request.method))
    }

    private func begin(_ response: PacedResponse) {
        let now = timekeeper.now
        state.withLock { state in
            guard !state.response.hasBegun else { return }
            state.begin = now
            let credit = state.response.credit
            state.response = response
            state.response.credit = credit
        }
        deliver()
    }

    /// Delivers what credit and pace allow.
    private func deliver() {
        while let (receiver, step) = nextStep() {
            switch step {
            case .head(let head): receiver.exchangeDidReceive(head)
            case .content(let chunk): receiver.exchangeDidReceive(chunk)
            case .end(let trailers): receiver.exchangeDidEnd(trailers: trailers)
            }
        }
        waitForPiece()
    }

    private func nextStep() -> (any ExchangeReceiver, PacedResponse.Step)? {
        let now = timekeeper.now
        return state.withLock { state in
            let elapsed = state.elapsed(at: now)
            guard let receiver = state.receiver, let step = state.response.next(after: elapsed) else { return nil }
            if case .end = step { state.receiver = nil }
            return (receiver, step)
        }
    }

    /// Delivers again when the next piece is due.
    private func waitForPiece() {
        let now = timekeeper.now
        let wait = state.withLock { state -> Duration? in
            guard state.receiver != nil, state.timer == nil else { return nil }
            return state.response.wait(after: state.elapsed(at: now))
        }
        guard let wait else { return }
        let timer = timekeeper.after(wait) { [self] in
            context.submit { [self] in
                state.withLock { $0.timer = nil }
                deliver()
            }
        }
        let isOver = state.withLock { state in
            guard state.receiver != nil else { return true }
            state.timer = timer
            return false
        }
        if isOver { timer.cancel() }
    }

    // MARK: Misses

    /// Asks the origin.
    private func ask(_ provider: any ExchangeProvider, _ content: [UInt8], _ trailers: Fields?) {
        guard let receiver = state.withLock(\.receiver) else { return }
        let upload = UploadingReceiver(receiver, request.hasNoContent ? nil : content, trailers)
        let inner = provider.start(request, receiver: upload)
        upload.exchange = inner
        let isOver = state.withLock { state in
            guard state.receiver != nil else { return true }
            state.receiver = nil
            state.inner = inner
            state.content = []
            return false
        }
        if isOver { inner.cancel() }
    }
}
