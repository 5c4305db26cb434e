import Locking

/// Counts readers in progress, and admits only so many at a time.
final class ReaderCount: Sendable {
    private let limit: Int
    private let count = Lock(0)

    init(limit: Int) { self.limit = limit }

    /// Counts one more; false if there are too many.
    func begin() -> Bool {
        count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
    }

    func end() { count.withLock { $0 -= 1 } }
}
