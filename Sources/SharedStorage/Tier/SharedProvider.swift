public import Eventing
public import Exchanges
import ResourceCore

/// Asks the shared tier before the origin, for the loads of one loop.
public final class SharedProvider: ExchangeProvider {
    private let base: any ExchangeProvider
    private let tier: SharedTier
    private let client: LoopBound<TierClient>

    /// Called on the loop of `client`; `base` makes the exchanges of that loop with origins.
    public init(_ base: any ExchangeProvider, _ tier: SharedTier, _ client: LoopBound<TierClient>) {
        (self.base, self.tier, self.client) = (base, tier, client)
    }

    public var context: any DeliveryContext { base.context }
    public var wantsTickets: Bool { true }

    public func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        guard let ticket = request.ticket, let facts = ticket.load as? LoadFacts,
            let load = SharedLoad(facts, sharesPrivate: tier.options.sharesPrivate)
        else {
            tier.purges.noteLoad()
            return base.start(request, receiver: receiver)
        }
        let exchange = SharedExchange(request, receiver, ticket, load, base, client)
        client.value.lookUp(load, isWanted: { !exchange.isOver }) { exchange.didLookUp($0) }
        return exchange
    }
}
