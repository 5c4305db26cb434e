public import HTTPCore

/// A final response that came in one piece: nothing of it is still to come, and its end is proven (RFC 9112 §8).
public struct WholeResponse: Sendable {
    /// The final head, hop-by-hop fields still in it.
    public var head: ResponseHead
    /// All bytes of the content; without trailers.
    ///
    /// They may lie in memory that is larger and would be used again: whoever keeps them keeps `content.compact`.
    public var content: ByteChunk

    public init(head: ResponseHead, content: ByteChunk) {
        self.head = head
        self.content = content
    }
}

extension ExchangeReceiver {
    /// Most have no use for that.
    public var acceptsWholeResponses: Bool { false }

    /// Step by step.
    public func exchangeDidReceive(_ whole: WholeResponse) {
        exchangeDidReceive(whole.head)
        if !whole.content.isEmpty { exchangeDidReceive(whole.content) }
        exchangeDidEnd(trailers: nil)
    }
}
