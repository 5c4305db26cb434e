import Locking

/// Runs work that blocks on files: in order, off the thread of the network, on threads of Swift's runtime.
final class FileQueue: Sendable {
    private let queue = Lock(SerialQueue<@Sendable () -> Void>())

    /// Runs `work` after all that was submitted before, never inside this call.
    func submit(_ work: @escaping @Sendable () -> Void) {
        let isFirst = queue.withLock { queue in
            queue.append(CollectionOfOne(work))
            return queue.schedule()
        }
        if isFirst { Task.detached { self.run() } }
    }

    private func run() {
        guard queue.withLock({ $0.beginScheduled() }) else { return }
        while let works = queue.withLock({ $0.next() }) {
            for work in works { work() }
        }
    }
}
