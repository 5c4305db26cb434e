import HTTPCore
import Synchronization

/// Asks the circuit breakers before each request, and reports to them how it ends.
///
/// A request to an origin that is down fails at once: nothing is sent, and no name is looked up.
final class CircuitBreakingProvider: ExchangeProvider {
    private let base: any ExchangeProvider
    fileprivate let breakers: CircuitBreakers
    fileprivate let timekeeper: any Timekeeper

    init(_ base: any ExchangeProvider, _ breakers: CircuitBreakers, _ timekeeper: any Timekeeper) {
        self.base = base
        self.breakers = breakers
        self.timekeeper = timekeeper
    }

    var context: any DeliveryContext { base.context }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        if request.retryAfter == .origin, let failure = breakers.pause(of: Origin(request.uri), at: timekeeper.now) {
            breakers.noteRefusal()
            return refuse(failure, receiver)
        }
        if breakers.isEmpty { return start(request, receiver, probes: []) }
        switch breakers.admit(request.route, at: timekeeper.now) {
        case .free: return start(request, receiver, probes: [])
        case .probe(let probes): return start(request, receiver, probes: probes)
        case .refused(let outage): return refuse(outage.failure(for: request), receiver)
        }
    }

    private func start(
        _ request: OriginRequest,
        _ receiver: any ExchangeReceiver,
        probes: [CircuitBreakers.Probe]
    ) -> any Exchange {
        base.start(request, receiver: CircuitBreakingReceiver(receiver, self, request, probes: probes))
    }

    private func refuse(_ failure: ExchangeFailure, _ receiver: any ExchangeReceiver) -> any Exchange {
        RefusedExchange.start(receiver, failure, on: context)
    }
}

/// Reports the first event of an exchange to the circuit breakers, and passes all calls on.
///
/// A probe ends without a result if its receiver is released before any event.
private final class CircuitBreakingReceiver: ExchangeReceiver {
    private let receiver: any ExchangeReceiver
    private let provider: CircuitBreakingProvider
    private let request: OriginRequest
    private let probes: [CircuitBreakers.Probe]
    private let hasReported = Atomic<Bool>(false)

    init(
        _ receiver: any ExchangeReceiver,
        _ provider: CircuitBreakingProvider,
        _ request: OriginRequest,
        probes: [CircuitBreakers.Probe]
    ) {
        self.receiver = receiver
        self.provider = provider
        self.request = request
        self.probes = probes
    }

    private var breakers: CircuitBreakers { provider.breakers }
    private var timekeeper: any Timekeeper { provider.timekeeper }

    deinit { if !probes.isEmpty { breakers.abandon(probes) } }

    /// Returns true once.
    private func isFirstSign() -> Bool { !hasReported.exchange(true, ordering: .relaxed) }

    private func didRespond() {
        if isFirstSign(), !breakers.isEmpty { breakers.didRespond(request.route, at: timekeeper.now) }
    }

    func exchangeDidReceiveInterim(_ head: ResponseHead) {
        didRespond()
        receiver.exchangeDidReceiveInterim(head)
    }

    func exchangeDidReceive(_ head: ResponseHead) {
        note(head)
        receiver.exchangeDidReceive(head)
    }

    private func note(_ head: ResponseHead) {
        didRespond()
        // If the origin asks for a pause, all requests to it wait.
        if request.retryAfter == .origin,
            let pause = request.policies.pause(head.status, head.fields, at: timekeeper.wallNow)
        {
            let origin = Origin(request.uri)
            breakers.pause(origin, until: timekeeper.now + pause, status: head.status, at: timekeeper.now)
        }
        noteQuotas(head)
    }

    private func noteQuotas(_ head: ResponseHead) {
        guard request.retryAfter != .ignore, let limits = RateLimitFields(head.fields) else { return }
        let (origin, now, policies) = (Origin(request.uri), timekeeper.now, request.policies)
        breakers.noteScarcity(of: origin, until: policies.thrift(limits).map { now + $0 }, at: now)
        // A 429 or 503 has its pause already.
        if head.status != 429, head.status != 503, let pause = policies.quotaPause(limits) {
            breakers.pause(origin, until: now + pause, status: 200, at: now)
        }
    }

    var acceptsWholeResponses: Bool { receiver.acceptsWholeResponses }

    func exchangeDidReceive(_ whole: WholeResponse) {
        note(whole.head)
        receiver.exchangeDidReceive(whole)
    }

    func exchangeDidReceive(_ chunk: ByteChunk) { receiver.exchangeDidReceive(chunk) }

    func exchangeDidEnd(trailers: Fields?) { receiver.exchangeDidEnd(trailers: trailers) }

    func exchangeDidFail(_ failure: ExchangeFailure) {
        if failure.concernsOrigin, isFirstSign() {
            breakers.didFail(request.route, failure, probes: probes, at: timekeeper.now, wall: timekeeper.wallNow)
        }
        receiver.exchangeDidFail(failure)
    }

    func exchangeDidSwitch(_ head: ResponseHead, to connection: any SwitchedConnection) {
        didRespond()
        receiver.exchangeDidSwitch(head, to: connection)
    }

    func exchangeWantsContent(_ bytes: Int) { receiver.exchangeWantsContent(bytes) }
}

extension OriginRequest {
    var route: OriginRoute {
        OriginRoute(Origin(uri), CircuitBreakerKey.Security(identity: identity, name: policies.security))
    }
}

extension ExchangeFailure {
    /// Whether nothing was sent, since the origin is down or has asked for a pause.
    package var wasNotSent: Bool { outage != nil || pausedBy != nil }

    /// Whether it means that the origin cannot be reached, or does not respond (C-25.3).
    ///
    /// Not so if the origin breaks the protocol, since it can be reached, or if a limit of ours is exceeded. A failure
    /// of a parent proxy does not concern the origin either.
    var concernsOrigin: Bool {
        guard !wasNotSent, !isOfParent else { return false }
        switch kind {
        case .dnsTimeout, .dnsError, .destinationNotFound, .destinationUnavailable, .destinationUnroutable,
            .connectionRefused, .connectionTerminated, .connectionTimeout, .connectionReadTimeout,
            .connectionWriteTimeout, .responseIncomplete, .responseTimeout, .tlsProtocolError, .tlsCertificateError,
            .tlsAlertReceived:
            return true
        case .destinationProhibited, .requestDenied, .connectionLimitReached, .responseHeadSize, .upgradeFailed,
            .protocolError, .loopDetected, .notSupported, .cancelled, .internalError:
            return false
        }
    }
}
