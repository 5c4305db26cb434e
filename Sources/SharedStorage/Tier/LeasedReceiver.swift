import Eventing
import Exchanges
import HTTPCore

/// Passes on the response of a load, and shows it to the keeper of the load's lease.
final class LeasedReceiver: ExchangeReceiver {
    private let base: any ExchangeReceiver
    private let lease: Lease
    private let client: LoopBound<TierClient>

    /// - Parameter client: that of the loop on which the exchange delivers.
    init(_ base: any ExchangeReceiver, _ lease: Lease, _ client: LoopBound<TierClient>) {
        (self.base, self.lease, self.client) = (base, lease, client)
    }

    private var keeper: LeaseKeeper? { client.value.keeper(of: lease) }

    var acceptsWholeResponses: Bool { base.acceptsWholeResponses }

    func exchangeDidReceiveInterim(_ head: ResponseHead) { base.exchangeDidReceiveInterim(head) }

    func exchangeDidReceive(_ head: ResponseHead) {
        keeper?.didReceive(head)
        base.exchangeDidReceive(head)
    }

    func exchangeDidReceive(_ chunk: ByteChunk) {
        keeper?.didReceive(chunk.count)
        base.exchangeDidReceive(chunk)
    }

    func exchangeDidEnd(trailers: Fields?) {
        base.exchangeDidEnd(trailers: trailers)
        keeper?.didEnd()
    }

    func exchangeDidReceive(_ whole: WholeResponse) {
        keeper?.didReceive(whole.head)
        base.exchangeDidReceive(whole)
        keeper?.didEnd()
    }

    func exchangeDidFail(_ failure: ExchangeFailure) {
        keeper?.end(.failed)
        base.exchangeDidFail(failure)
    }

    func exchangeDidSwitch(_ head: ResponseHead, to connection: any SwitchedConnection) {
        keeper?.end(.unshareable)
        base.exchangeDidSwitch(head, to: connection)
    }

    func exchangeWantsContent(_ bytes: Int) { base.exchangeWantsContent(bytes) }
}
