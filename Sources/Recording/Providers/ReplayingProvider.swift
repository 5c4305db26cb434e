import Exchanges
import HTTPCore

/// Responds from a cassette; asks another provider, if at all, only for what the cassette does not have.
final class ReplayingProvider: ExchangeProvider {
    private let base: any ExchangeProvider
    private let session: CassetteSession
    private let policy: MissPolicy
    private let timekeeper: any Timekeeper

    init(
        _ base: any ExchangeProvider,
        _ session: CassetteSession,
        _ policy: MissPolicy,
        _ timekeeper: any Timekeeper
    ) {
        self.timekeeper = timekeeper
        self.base = base
        self.session = session
        self.policy = policy
    }

    var context: any DeliveryContext { base.context }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        if request.unrecordableKind != nil, policy != .fail { return base.start(request, receiver: receiver) }
        let exchange = ReplayedExchange(
            request,
            receiver,
            session,
            fallback: policy == .fail ? nil : base,
            context,
            timekeeper
        )
        exchange.start()
        return exchange
    }
}
