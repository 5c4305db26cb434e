public import HTTPCore

/// Receives what happens to an exchange, which retains it until its end.
///
/// All calls come on the exchange's loop.
public protocol ServerExchangeDelegate: AnyObject {
    /// Request content, never more than was asked for by `requestContent`.
    func exchange(_ exchange: ServerExchange, didReceive chunk: ByteChunk)

    /// The request content is complete.
    /// - Parameter trailers: its trailer section, never merged into the head (H-044); nil without one.
    func exchangeDidReceiveEnd(_ exchange: ServerExchange, trailers: Fields?)

    /// The request content will never be complete: what was forwarded of it must not look complete (H-049).
    ///
    /// Unless a response has begun, the delegate may give one; else the exchange responds with the failure's status.
    func exchange(_ exchange: ServerExchange, didFailContent failure: RequestContentFailure)

    /// What was unsent fell under half of the ceiling: produce more.
    func exchangeDidDrain(_ exchange: ServerExchange)

    /// The client is gone, or was cut; the last call. What is written from here on is dropped.
    func exchangeDidLoseClient(_ exchange: ServerExchange)
}

extension ServerExchangeDelegate {
    public func exchange(_ exchange: ServerExchange, didReceive chunk: ByteChunk) {}
    public func exchangeDidReceiveEnd(_ exchange: ServerExchange, trailers: Fields?) {}
    public func exchange(_ exchange: ServerExchange, didFailContent failure: RequestContentFailure) {}
    public func exchangeDidDrain(_ exchange: ServerExchange) {}
    public func exchangeDidLoseClient(_ exchange: ServerExchange) {}
}

/// Why request content ended before its end.
public struct RequestContentFailure: Error, Sendable {
    /// 400 for bad framing, 408 for time, 413 for size.
    public var status: UInt16
    /// A sentence for a person, naming the element, the fault and the setting concerned.
    public var userMessage: String

    public init(status: UInt16, _ userMessage: String) {
        self.status = status
        self.userMessage = userMessage
    }
}
