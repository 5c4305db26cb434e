import Exchanges
import HTTPCore
import Locking

/// Responds with a response that an administrator has sent; it asks no origin.
final class ImportingProvider: ExchangeProvider {
    let context: any DeliveryContext
    private let response: WholeResponse

    init(_ entry: ImportedEntry, _ context: any DeliveryContext) {
        self.context = context
        response = WholeResponse(head: entry.head, content: ByteChunk(entry.content))
    }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        let exchange = ImportingExchange(receiver)
        context.submit { [response] in exchange.deliver(response) }
        return exchange
    }
}

/// The exchange of one import.
private final class ImportingExchange: Exchange {
    private let receiver: Lock<(any ExchangeReceiver)?>

    init(_ receiver: any ExchangeReceiver) { self.receiver = Lock(receiver) }

    private func take() -> (any ExchangeReceiver)? {
        receiver.withLock { receiver in
            defer { receiver = nil }
            return receiver
        }
    }

    func deliver(_ response: WholeResponse) { take()?.exchangeDidReceive(response) }

    func grant(_ bytes: Int) {}
    func send(_ chunk: ByteChunk) {}
    func finish(trailers: Fields?) {}
    /// Releases the receiver, outside the lock.
    func cancel() { withExtendedLifetime(take()) {} }
}
