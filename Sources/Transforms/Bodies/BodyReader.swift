import HTTPCore
import Synchronization

/// One client's reader of a growing body.
///
/// If the body is not kept and the reader falls behind, the reader continues with a load of its own. The client does
/// not notice. A reader belongs to the context it was made for, except that `cancel` may be called from any thread.
public final class BodyReader: Sendable {
    /// The load that the rest is read from.
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
    /// Set when the reader falls behind.
    private let rest = AtomicLazyReference<Rest>()

    init(body: GrowingBody, id: UInt64) {
        self.body = body
        self.id = id
    }

    deinit { cancel() }

    /// Returns the next bytes, at most `maximum`.
    public func read(maximum: Int) -> BodyPiece {
        if let rest = rest.load() { return rest.reader.read(maximum: maximum) }
        let piece = body.read(id, maximum: maximum)
        guard case .failed = piece, let found = body.continueElsewhere(id) else { return piece }
        let rest = rest.storeIfNil(found)
        rest.content.start()
        return rest.reader.read(maximum: maximum)
    }

    /// Ends reading.
    ///
    /// After a wake-up that is already under way, there are no more.
    public func cancel() {
        body.removeReader(id)
        guard let rest = rest.load() else { return }
        rest.content.cancel()
        rest.reader.cancel()
    }
}
