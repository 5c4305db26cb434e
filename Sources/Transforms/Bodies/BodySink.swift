package import Exchanges
package import HTTPCore

/// Receives the content of a response from the origin, one call at a time.
package protocol BodySink: AnyObject, Sendable {
    /// Bytes received from the exchange.
    var received: Int64 { get }
    func append(_ chunk: ByteChunk)
    /// The message is complete.
    func finish(trailers: Fields?)
    /// The message will never be complete.
    func fail(_ failure: ExchangeFailure)
}

extension GrowingBody: BodySink {}
