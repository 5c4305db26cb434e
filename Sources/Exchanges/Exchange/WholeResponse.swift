public import HTTPCore

/// A complete final response received in one piece, without trailers (RFC 9112 §8).
public struct WholeResponse: Sendable {
    /// The final head; it still has hop-by-hop fields.
    public var head: ResponseHead
    /// All bytes of the content.
    ///
    /// They may be in larger memory that will be reused: to keep them, keep `content.compact`.
    public var content: ByteChunk

    public init(head: ResponseHead, content: ByteChunk) {
        self.head = head
        self.content = content
    }
}

extension ExchangeReceiver {
    /// False, unless a receiver overrides it.
    public var acceptsWholeResponses: Bool { false }

    /// Delivers head, content and end one by one.
    public func exchangeDidReceive(_ whole: WholeResponse) {
        exchangeDidReceive(whole.head)
        if !whole.content.isEmpty { exchangeDidReceive(whole.content) }
        exchangeDidEnd(trailers: nil)
    }
}
