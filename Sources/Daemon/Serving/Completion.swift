import Eventing

/// Something another thread finishes and this one waits for.
final class Completion: Sendable {
    private let queue = BlockingQueue<Void>()

    func complete() { queue.push(()) }

    /// Blocks until `complete` was called.
    func wait() { _ = queue.pop() }
}
