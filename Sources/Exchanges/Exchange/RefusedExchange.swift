import HTTPCore
import Locking

/// An exchange that fails without being made.
final class RefusedExchange: Exchange {
    private let receiver: Lock<(any ExchangeReceiver)?>

    private init(_ receiver: any ExchangeReceiver) { self.receiver = Lock(receiver) }

    /// An exchange whose receiver learns of the failure after this call.
    static func start(
        _ receiver: any ExchangeReceiver,
        _ failure: ExchangeFailure,
        on context: any DeliveryContext
    ) -> any Exchange {
        let refused = RefusedExchange(receiver)
        context.submit { refused.fail(failure) }
        return refused
    }

    private func take() -> (any ExchangeReceiver)? {
        receiver.withLock { receiver in
            defer { receiver = nil }
            return receiver
        }
    }

    private func fail(_ failure: ExchangeFailure) { take()?.exchangeDidFail(failure) }

    func grant(_ bytes: Int) {}
    func send(_ chunk: ByteChunk) {}
    func finish(trailers: Fields?) {}
    /// Releases the receiver, outside the lock.
    func cancel() { withExtendedLifetime(take()) {} }
}
