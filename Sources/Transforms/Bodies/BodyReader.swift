import HTTPCore
import Synchronization

/// One reader of a growing body, for one client.
///
/// A reader that falls behind a body which is not kept goes on by a load of its own, without its client's noticing.
/// Belongs to the context it was made for; `cancel` may come from any thread.
public final class BodyReader: Sendable {
    /// What the rest is read from.
    final class Rest: Sendable {
        let reader: BodyReader
        let content: any RestOfContent

        init(_ reader: BodyReader, of content: any RestOfContent) {
            self.reader = reader
            self.content = content
        }
    }

    private let body: GrowingBody
    private let id: UInt64
    /// Since it fell behind.
    private let rest = AtomicLazyReference<Rest>()

    init(body: GrowingBody, id: UInt64) {
        self.body = body
        self.id = id
    }

    deinit { cancel() }

    /// The next bytes, at most `maximum` of them.
    public func read(maximum: Int) -> BodyPiece {
        if let rest = rest.load() { return rest.reader.read(maximum: maximum) }
        let piece = body.read(id, maximum: maximum)
        guard case .failed = piece, let found = body.continueElsewhere(id) else { return piece }
        let rest = rest.storeIfNil(found)
        rest.content.start()
        return rest.reader.read(maximum: maximum)
    }

    /// Ends reading; the reader is woken no more once the wake-up under way, if any, is over.
    public func cancel() {
        body.removeReader(id)
        guard let rest = rest.load() else { return }
        rest.content.cancel()
        rest.reader.cancel()
    }
}
