public import HTTPCore

/// Receives the events of an exchange, which retains it until its end.
///
/// All calls come on the exchange's loop.
public protocol ServerExchangeDelegate: AnyObject {
    /// Request content was received, never more than `requestContent` asked for.
    func exchange(_ exchange: ServerExchange, didReceive chunk: ByteChunk)

    /// The request content is complete.
    /// - Parameter trailers: its trailer section, never merged into the head (H-044); nil without one.
    func exchangeDidReceiveEnd(_ exchange: ServerExchange, trailers: Fields?)

    /// The request content will never be complete: the forwarded part must not look complete (H-049).
    ///
    /// If no response has begun, the delegate may send one; otherwise the exchange responds with the failure's status.
    func exchange(_ exchange: ServerExchange, didFailContent failure: RequestContentFailure)

    /// The unsent bytes fell below half of the limit: write more.
    func exchangeDidDrain(_ exchange: ServerExchange)

    /// The client is gone, or was cut off; the last call.
    ///
    /// Bytes written from now on are dropped.
    func exchangeDidLoseClient(_ exchange: ServerExchange)
}

extension ServerExchangeDelegate {
    public func exchange(_ exchange: ServerExchange, didReceive chunk: ByteChunk) {}
    public func exchangeDidReceiveEnd(_ exchange: ServerExchange, trailers: Fields?) {}
    public func exchange(_ exchange: ServerExchange, didFailContent failure: RequestContentFailure) {}
    public func exchangeDidDrain(_ exchange: ServerExchange) {}
    public func exchangeDidLoseClient(_ exchange: ServerExchange) {}
}

/// Why request content ended early.
public struct RequestContentFailure: Error, Sendable {
    /// 400 for bad framing, 408 for slow content, 413 for large content.
    public var status: UInt16
    /// A sentence for people that names the element, the fault and the setting.
    public var userMessage: String

    public init(status: UInt16, _ userMessage: String) {
        self.status = status
        self.userMessage = userMessage
    }
}
