import Exchanges
import HTTPCaching
import HTTPCore
import Transforms

/// What a pipeline makes of a response that is not stored; bound to a loop.
final class PassTransformation {
    private let rendition: PassedRendition
    /// Accepts the origin's content while the response is being transformed.
    private var content: PassedContent?
    /// Sends the output of the pipeline.
    private var sender: LoadedContent?

    init(_ rendition: PassedRendition) { self.rendition = rendition }

    /// Whether the response is being transformed.
    var isActive: Bool { content != nil }
    /// Whether transformed content is being sent.
    var isSending: Bool { sender != nil }

    /// The fields of the request for the origin.
    func upstream(_ fields: Fields) -> Fields { rendition.upstream(fields) }

    /// The fields of a 304, changed to match the transformed response.
    func notModified(_ fields: Fields) -> Fields { rendition.notModified(fields) }

    /// Begins with a response; returns false if no step applies to it.
    ///
    /// - Parameter completion: called with the head of the transformed response, on any thread.
    func begin(
        _ received: ResponseHead,
        for method: Method,
        _ upstream: any Exchange,
        completion: @escaping @Sendable (PassedHead) -> Void
    ) -> Bool {
        var head = received
        HopByHop.strip(response: &head.fields)
        content = rendition.begin(
            head,
            forbidsTransforming: CacheControl(head.fields).flags.contains(.noTransform),
            hasContent: method != .head && received.framing != .none,
            credit: OriginRequest.defaultCredit,
            grant: { upstream.grant($0) },
            completion: completion
        )
        return isActive
    }

    /// Sends the transformed content; returns false if its first bytes are gone.
    func send(_ body: GrowingBody, to recipient: any ContentRecipient) -> Bool {
        guard let sender = LoadedContent(body, exchange: recipient) else { return false }
        self.sender = sender
        sender.send()
        return true
    }

    /// Continues to send; returns false if no transformed content is being sent.
    func send() -> Bool {
        guard let sender else { return false }
        sender.send()
        return true
    }

    // Each returns false, without effect, if the response is not transformed.

    func append(_ chunk: ByteChunk) -> Bool {
        guard let content else { return false }
        content.append(chunk)
        return true
    }

    func end(trailers: Fields?) -> Bool {
        guard let content else { return false }
        content.finish(trailers: trailers)
        return true
    }

    func fail(_ failure: ExchangeFailure) -> Bool {
        guard let content else { return false }
        content.fail(failure)
        return true
    }

    /// All content is sent.
    func didFinish() {
        content = nil
        sender = nil
    }

    func cancel() {
        content?.cancel()
        sender?.cancel()
        didFinish()
    }
}
