import Exchanges
import HTTPCore
import Locking

/// Begins exchanges and leaves them to the test.
final class HeldProvider: ExchangeProvider {
    private final class HeldExchange: Exchange {
        func grant(_ bytes: Int) {}
        func send(_ chunk: ByteChunk) {}
        func finish(trailers: Fields?) {}
        func cancel() {}
    }

    private final class Anywhere: DeliveryContext {
        var isCurrent: Bool { true }
        func submit(_ work: @escaping @Sendable () -> Void) { work() }
    }

    let context: any DeliveryContext = Anywhere()
    let receiver = Lock<(any ExchangeReceiver)?>(nil)

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        self.receiver.withLock { $0 = receiver }
        return HeldExchange()
    }
}
