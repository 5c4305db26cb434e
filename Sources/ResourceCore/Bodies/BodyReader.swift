/// One reader of a growing body, for one client.
///
/// Belongs to the context it was made for; `cancel` may come from any thread.
public final class BodyReader: Sendable {
    private let body: GrowingBody
    private let id: UInt64

    init(body: GrowingBody, id: UInt64) {
        self.body = body
        self.id = id
    }

    deinit { cancel() }

    /// The next octets, at most `maximum` of them.
    public func read(maximum: Int) -> BodyPiece { body.read(id, maximum: maximum) }

    /// Ends reading; the reader is woken no more once the wake-up under way, if any, is over.
    public func cancel() { body.removeReader(id) }
}
