import Eventing
import HTTPCore

/// Commands that were sent together, and the replies so far.
///
/// Bound to its loop.
final class PendingBatch {
    typealias Completion = (SharedResult) -> Void

    /// How many commands it has.
    let count: Int
    /// When it was sent; nil: it waits for the connection.
    var sentAt: MonotonicTime?
    private var replies: [RedisReply] = []
    private var completion: Completion?
    private var timer: LoopTimer?

    init(_ count: Int, within time: Duration, _ loop: EventLoop, _ completion: @escaping Completion) {
        self.count = count
        self.completion = completion
        timer = loop.schedule(after: time) { [weak self] in self?.end(.failure(.timeout)) }
    }

    /// Whether its completion was called; replies that come later are dropped.
    var isOver: Bool { completion == nil }

    /// Adds a reply; returns whether it was the last one.
    func add(_ reply: RedisReply) -> Bool {
        replies.append(isOver ? .nothing : reply)
        guard replies.count == count else { return false }
        end(.success(replies))
        return true
    }

    func end(_ result: SharedResult) {
        timer?.cancel()
        timer = nil
        completion.take()?(result)
    }
}
