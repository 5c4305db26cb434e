import Eventing
import HTTPCore
import ResourceCore

/// What an exchange brings, on the loop of the object that takes it.
protocol LoopExchangeReceiver: AnyObject {
    func didReceiveInterim(_ head: ResponseHead)
    func didReceive(_ head: ResponseHead)
    func didReceive(_ chunk: ByteChunk)
    func didEnd(trailers: Fields?)
    func didFail(_ failure: ExchangeFailure)
    func didSwitch(_ head: ResponseHead, to connection: any SwitchedConnection)
    func wantsContent(_ octets: Int)
}

/// Hands an exchange's calls to an object that is bound to the same loop, and keeps it alive meanwhile.
final class ExchangeRelay<Target: LoopExchangeReceiver>: ExchangeReceiver {
    private let target: LoopBound<Target>

    init(_ target: Target, loop: EventLoop) { self.target = LoopBound(target, loop: loop) }

    func exchangeDidReceiveInterim(_ head: ResponseHead) { target.value.didReceiveInterim(head) }
    func exchangeDidReceive(_ head: ResponseHead) { target.value.didReceive(head) }
    func exchangeDidReceive(_ chunk: ByteChunk) { target.value.didReceive(chunk) }
    func exchangeDidEnd(trailers: Fields?) { target.value.didEnd(trailers: trailers) }
    func exchangeDidFail(_ failure: ExchangeFailure) { target.value.didFail(failure) }
    func exchangeDidSwitch(_ head: ResponseHead, to connection: any SwitchedConnection) {
        target.value.didSwitch(head, to: connection)
    }
    func exchangeWantsContent(_ octets: Int) { target.value.wantsContent(octets) }
}
