import Eventing
import Exchanges
import HTTPCore
import ResourceCore

/// Receives the events of an exchange, on its own loop.
protocol LoopExchangeReceiver: AnyObject {
    func didReceiveInterim(_ head: ResponseHead)
    func didReceive(_ head: ResponseHead)
    func didReceive(_ chunk: ByteChunk)
    func didEnd(trailers: Fields?)
    func didFail(_ failure: ExchangeFailure)
    func didSwitch(_ head: ResponseHead, to connection: any SwitchedConnection)
    func wantsContent(_ bytes: Int)
}

/// Passes an exchange's calls to an object that is bound to the same loop, and keeps it alive meanwhile.
///
/// `@unchecked Sendable` as `LoopBound` is: it adds no state.
final class ExchangeRelay<Target: LoopExchangeReceiver>: LoopBound<Target>, ExchangeReceiver, @unchecked Sendable {
    func exchangeDidReceiveInterim(_ head: ResponseHead) { value.didReceiveInterim(head) }
    func exchangeDidReceive(_ head: ResponseHead) { value.didReceive(head) }
    func exchangeDidReceive(_ chunk: ByteChunk) { value.didReceive(chunk) }
    func exchangeDidEnd(trailers: Fields?) { value.didEnd(trailers: trailers) }
    func exchangeDidFail(_ failure: ExchangeFailure) { value.didFail(failure) }
    func exchangeDidSwitch(_ head: ResponseHead, to connection: any SwitchedConnection) {
        value.didSwitch(head, to: connection)
    }
    func exchangeWantsContent(_ bytes: Int) { value.wantsContent(bytes) }
}
