import Eventing
import HTTPCore
import ResourceCore

/// An exchange as other threads hold it: calls take effect on its loop.
final class RemoteExchange: Exchange {
    private let handle: LoopHandle
    private let exchange: LoopBound<OriginExchange>

    init(_ exchange: OriginExchange, loop: LoopHandle) {
        handle = loop
        self.exchange = LoopBound(exchange, loop: exchange.loop)
    }

    func grant(_ octets: Int) { onLoop { $0.grant(octets) } }
    func send(_ chunk: ByteChunk) { onLoop { $0.send(chunk) } }
    func finish(trailers: Fields?) { onLoop { $0.finish(trailers: trailers) } }
    func cancel() { onLoop { $0.cancel() } }

    private func onLoop(_ work: @escaping @Sendable (OriginExchange) -> Void) {
        if handle.isCurrent { return work(exchange.value) }
        let exchange = exchange
        handle.submit { _ in work(exchange.value) }
    }
}
