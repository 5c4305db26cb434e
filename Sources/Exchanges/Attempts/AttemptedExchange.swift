import HTTPCore
import Locking

/// An exchange that is made in attempts; the receiver gets the response of the last one.
///
/// The receiver is called on the provider's context; calls to the exchange may come from any thread.
final class AttemptedExchange: Exchange {
    private enum Phase {
        /// The policy prepares the next attempt.
        case preparing
        /// An attempt runs; nothing of its response has been passed on.
        case trying
        /// The last attempt runs, and is passed on.
        case passing
        case over
    }

    private struct State {
        var phase = Phase.preparing
        /// The number of the current attempt; calls of earlier ones are ignored.
        var number = 0
        var inner: (any Exchange)?
        var receiver: (any ExchangeReceiver)?
        var timer: (any TimerToken)?
        /// Bytes that were granted while no attempt ran.
        var granted = 0
        /// The trailers with which the request's content was ended while no attempt ran.
        var ending: Fields??
    }

    private let request: OriginRequest
    private let provider: any ExchangeProvider
    private let policy: any AttemptPolicy
    private let timekeeper: any Timekeeper
    /// `receiver.acceptsWholeResponses`, which is constant.
    private let acceptsWholeResponses: Bool
    private let state: Lock<State>

    init(
        _ request: OriginRequest,
        _ receiver: any ExchangeReceiver,
        provider: any ExchangeProvider,
        policy: any AttemptPolicy,
        timekeeper: any Timekeeper
    ) {
        self.request = request
        self.provider = provider
        self.policy = policy
        self.timekeeper = timekeeper
        acceptsWholeResponses = receiver.acceptsWholeResponses
        var initial = State()
        initial.receiver = receiver
        state = Lock(initial)
    }

    /// Begins; call it on the provider's context.
    func start() { prepare(after: .zero) }

    // MARK: Attempts

    /// Makes the policy prepare an attempt after `delay`.
    private func prepare(after delay: Duration) {
        wait(delay) { exchange in
            exchange.policy.prepare(exchange.request) { exchange.didPrepare($0) }
        }
    }

    private func didPrepare(_ start: AttemptStart) {
        switch start {
        case .now(let request): onContext { $0.attempt(request) }
        case .after(let delay, let request): wait(delay) { $0.attempt(request) }
        // The receiver must not be called inside a call of its owner.
        case .failed(let failure): provider.context.submit { self.end { $0.exchangeDidFail(failure) } }
        }
    }

    private func wait(_ delay: Duration, _ work: @escaping @Sendable (AttemptedExchange) -> Void) {
        guard delay > .zero else { return onContext(work) }
        let timer = timekeeper.after(delay) { self.onContext(work) }
        let isOver = state.withLock { state in
            guard state.phase != .over else { return true }
            state.timer = timer
            return false
        }
        if isOver { timer.cancel() }
    }

    private func onContext(_ work: @escaping @Sendable (AttemptedExchange) -> Void) {
        guard state.withLock({ $0.phase != .over }) else { return }
        if provider.context.isCurrent { work(self) } else { provider.context.submit { work(self) } }
    }

    private func attempt(_ request: OriginRequest) {
        let number = state.withLock { state -> Int? in
            guard state.phase == .preparing else { return nil }
            state.phase = .trying
            state.timer = nil
            state.number += 1
            return state.number
        }
        guard let number else { return }
        let inner = provider.start(request, receiver: AttemptReceiver(self, number, acceptsWholeResponses))
        let pending = state.withLock { state -> (granted: Int, ending: Fields??)? in
            guard state.phase != .over, state.number == number else { return nil }
            state.inner = inner
            defer { state.granted = 0 }
            return (state.granted, state.ending)
        }
        guard let pending else { return inner.cancel() }
        if pending.granted > 0 { inner.grant(pending.granted) }
        if let trailers = pending.ending { inner.finish(trailers: trailers) }
    }

    // MARK: Calls of an attempt

    func didReceiveInterim(_ head: ResponseHead, _ number: Int) {
        receiver(of: number)?.exchangeDidReceiveInterim(head)
    }

    func didReceive(_ head: ResponseHead, _ number: Int) {
        guard isTrying(number) else { return }
        switch policy.verdict(head) {
        case .passOn:
            passOn(number)?.exchangeDidReceive(head)
        case .again(let delay):
            repeatAttempt(number, after: delay, drains: Self.isShort(head))
        }
    }

    /// Handles a complete response of an attempt like its head.
    func didReceive(_ whole: WholeResponse, _ number: Int) {
        guard isTrying(number) else { return }
        switch policy.verdict(whole.head) {
        case .passOn: end { $0.exchangeDidReceive(whole) }
        // It has ended, so there is nothing to cancel.
        case .again(let delay): repeatAttempt(number, after: delay, drains: true)
        }
    }

    /// Whether it costs less to read the rest of a response than to open another connection.
    private static func isShort(_ head: ResponseHead) -> Bool {
        switch head.framing {
        case .none: true
        case .length(let count): count <= 64 * 1024
        case .chunked, .untilClose: false
        }
    }

    func didReceive(_ chunk: ByteChunk, _ number: Int) { receiver(of: number)?.exchangeDidReceive(chunk) }

    func didEnd(_ trailers: Fields?, _ number: Int) {
        guard receiver(of: number) != nil else { return }
        end { $0.exchangeDidEnd(trailers: trailers) }
    }

    func didFail(_ failure: ExchangeFailure, _ number: Int) {
        guard receiver(of: number) != nil else { return }
        if isTrying(number), case .again(let delay) = policy.verdict(failure) {
            return repeatAttempt(number, after: delay, drains: true)
        }
        end { $0.exchangeDidFail(failure) }
    }

    func didSwitch(_ head: ResponseHead, _ connection: any SwitchedConnection, _ number: Int) {
        guard receiver(of: number) != nil else { return connection.close() }
        end { $0.exchangeDidSwitch(head, to: connection) }
    }

    func wantsContent(_ bytes: Int, _ number: Int) { receiver(of: number)?.exchangeWantsContent(bytes) }

    /// The receiver, if the attempt with this number is the current one.
    private func receiver(of number: Int) -> (any ExchangeReceiver)? {
        state.withLock { $0.number == number && $0.phase != .over ? $0.receiver : nil }
    }

    private func isTrying(_ number: Int) -> Bool { state.withLock { $0.number == number && $0.phase == .trying } }

    /// Makes the attempt the last one; returns the receiver.
    private func passOn(_ number: Int) -> (any ExchangeReceiver)? {
        state.withLock { state in
            guard state.number == number, state.phase == .trying else { return nil }
            state.phase = .passing
            return state.receiver
        }
    }

    /// Drops an attempt and makes another.
    ///
    /// - Parameter drains: whether to read the rest of its response and ignore it, rather than to cancel.
    private func repeatAttempt(_ number: Int, after delay: Duration, drains: Bool) {
        let inner = state.withLock { state -> (any Exchange)? in
            guard state.number == number, state.phase == .trying else { return nil }
            state.phase = .preparing
            // Its further calls are ignored.
            state.number += 1
            defer { state.inner = nil }
            return state.inner
        }
        if !drains { inner?.cancel() }
        prepare(after: delay)
    }

    /// Ends the exchange with the last call to the receiver.
    private func end(_ lastCall: (any ExchangeReceiver) -> Void) {
        let receiver = state.withLock { state -> (any ExchangeReceiver)? in
            guard state.phase != .over else { return nil }
            state.phase = .over
            state.inner = nil
            state.timer = nil
            defer { state.receiver = nil }
            return state.receiver
        }
        if let receiver { lastCall(receiver) }
    }

    // MARK: Calls of the owner

    func grant(_ bytes: Int) {
        let inner = state.withLock { state -> (any Exchange)? in
            if state.inner == nil { state.granted += bytes }
            return state.inner
        }
        inner?.grant(bytes)
    }

    func send(_ chunk: ByteChunk) { state.withLock { $0.inner }?.send(chunk) }

    func finish(trailers: Fields?) {
        let inner = state.withLock { state -> (any Exchange)? in
            state.ending = .some(trailers)
            return state.inner
        }
        inner?.finish(trailers: trailers)
    }

    func cancel() {
        let (inner, timer, wasPreparing, receiver) = state.withLock { state in
            defer {
                state.phase = .over
                state.inner = nil
                state.timer = nil
                state.receiver = nil
            }
            return (state.inner, state.timer, state.phase == .preparing, state.receiver)
        }
        timer?.cancel()
        inner?.cancel()
        if wasPreparing { policy.withdraw() }
        // Releases the receiver outside the lock.
        withExtendedLifetime(receiver) {}
    }
}

/// Passes the calls of one attempt on to its exchange.
private final class AttemptReceiver: ExchangeReceiver {
    private let exchange: AttemptedExchange
    private let number: Int
    let acceptsWholeResponses: Bool

    init(_ exchange: AttemptedExchange, _ number: Int, _ acceptsWholeResponses: Bool) {
        self.exchange = exchange
        self.number = number
        self.acceptsWholeResponses = acceptsWholeResponses
    }

    func exchangeDidReceiveInterim(_ head: ResponseHead) { exchange.didReceiveInterim(head, number) }
    func exchangeDidReceive(_ head: ResponseHead) { exchange.didReceive(head, number) }
    func exchangeDidReceive(_ chunk: ByteChunk) { exchange.didReceive(chunk, number) }
    func exchangeDidReceive(_ whole: WholeResponse) { exchange.didReceive(whole, number) }
    func exchangeDidEnd(trailers: Fields?) { exchange.didEnd(trailers, number) }
    func exchangeDidFail(_ failure: ExchangeFailure) { exchange.didFail(failure, number) }
    func exchangeDidSwitch(_ head: ResponseHead, to connection: any SwitchedConnection) {
        exchange.didSwitch(head, connection, number)
    }
    func exchangeWantsContent(_ bytes: Int) { exchange.wantsContent(bytes, number) }
}
