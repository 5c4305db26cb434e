import Exchanges
import HTTPCore
import Transforms

/// Takes the content of a response as it comes from the origin, one call at a time.
protocol BodySink: AnyObject, Sendable {
    /// Bytes that came of the exchange.
    var received: Int64 { get }
    func append(_ chunk: ByteChunk)
    /// The end of the message is proven.
    func finish(trailers: Fields?)
    /// It will never be complete.
    func fail(_ failure: ExchangeFailure)
}

extension GrowingBody: BodySink {}
