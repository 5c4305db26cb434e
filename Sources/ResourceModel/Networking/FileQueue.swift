import Locking
import Platform

/// Runs work that blocks on files: in order, on threads for that, neither on those of the network nor on those of
/// Swift's tasks.
final class FileQueue: Sendable {
    /// For all queues of the process; nil if the system gave no thread.
    private static let workers = try? WorkerPool(count: 4, name: "files")

    private let queue = Lock(SerialQueue<@Sendable () -> Void>())

    /// Runs `work` after all that was submitted before, never inside this call.
    func submit(_ work: @escaping @Sendable () -> Void) {
        let isFirst = queue.withLock { queue in
            queue.append(CollectionOfOne(work))
            return queue.schedule()
        }
        if isFirst { start() }
    }

    private func start() {
        if let workers = Self.workers, workers.submit({ self.run() }) { return }
        Task.detached { self.run() }
    }

    private func run() {
        guard queue.withLock({ $0.beginScheduled() }) else { return }
        while let works = queue.withLock({ $0.next() }) {
            for work in works { work() }
        }
    }
}
