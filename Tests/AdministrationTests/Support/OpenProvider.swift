import Exchanges
import HTTPCore
import Locking

/// An origin whose answer a test gives piece by piece.
final class OpenProvider: ExchangeProvider {
    private final class Anywhere: DeliveryContext {
        var isCurrent: Bool { true }
        func submit(_ work: @escaping @Sendable () -> Void) { work() }
    }

    private final class Started: Exchange {
        func grant(_ bytes: Int) {}
        func send(_ chunk: ByteChunk) {}
        func finish(trailers: Fields?) {}
        func cancel() {}
    }

    let context: any DeliveryContext = Anywhere()
    private let latest = Lock<(any ExchangeReceiver)?>(nil)

    /// The receiver of the latest request.
    var receiver: (any ExchangeReceiver)? { latest.withLock { $0 } }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        latest.withLock { $0 = receiver }
        return Started()
    }
}
