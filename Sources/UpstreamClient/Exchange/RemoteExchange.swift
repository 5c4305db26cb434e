import Eventing
import Exchanges
import HTTPCore

/// An exchange as other threads use it: calls take effect on its loop.
///
/// `@unchecked Sendable` as `LoopBound` is: it adds no state.
final class RemoteExchange: LoopBound<OriginExchange>, Exchange, @unchecked Sendable {
    func grant(_ bytes: Int) { onLoop { $0.grant(bytes) } }
    func send(_ chunk: ByteChunk) { onLoop { $0.send(chunk) } }
    func finish(trailers: Fields?) { onLoop { $0.finish(trailers: trailers) } }
    func cancel() { onLoop { $0.cancel() } }

    private func onLoop(_ work: @escaping @Sendable (OriginExchange) -> Void) {
        if isHere { work(value) } else { submit(work) }
    }
}
