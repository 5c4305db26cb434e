import Locking
import ResourceCore

/// Work that has begun and not ended, for callers that wait for what has begun so far.
struct OpenWork {
    /// Work that begins between two waiters.
    private struct Epoch {
        var openCount = 0
        /// The callers that wait for this epoch, and so for all before.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// The oldest with open work first; nobody waits for the last one.
    private var epochs = [Epoch()]
    /// How many epochs have gone.
    private var goneCount = 0

    /// Work begins; returns the number of its epoch.
    mutating func begin() -> Int {
        epochs[epochs.count - 1].openCount += 1
        return goneCount + epochs.count - 1
    }

    /// Work of an epoch has ended; returns the waiters to resume, outside of the lock.
    mutating func end(_ epoch: Int) -> [CheckedContinuation<Void, Never>] {
        epochs[epoch - goneCount].openCount -= 1
        var due: [CheckedContinuation<Void, Never>] = []
        while epochs.count > 1, epochs[0].openCount == 0 {
            due += epochs.removeFirst().waiters
            goneCount += 1
        }
        return due
    }

    /// Has `continuation` wait for all open work; returns false if there is none.
    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        guard epochs.count > 1 || epochs[0].openCount > 0 else { return false }
        epochs[epochs.count - 1].waiters.append(continuation)
        epochs.append(Epoch())
        return true
    }
}

/// Changes of caches that resources have decided and not yet handed to the queues.
///
/// Begins under the lock of a resource, so a caller that hears of the change can wait for it. Safe from any thread.
final class ComingWrites: Sendable {
    /// One change; it ends with its last reference, so also if nobody makes it.
    private final class Change: Sendable {
        private let writes: ComingWrites
        private let epoch: Int

        init(_ writes: ComingWrites) {
            self.writes = writes
            epoch = writes.work.withLock { $0.begin() }
        }

        deinit { for waiter in writes.work.withLock({ $0.end(epoch) }) { waiter.resume() } }
    }

    /// Of all services: a cache may serve several.
    static let shared = ComingWrites()

    private let work = Lock(OpenWork())

    private init() {}

    /// Makes the operation that hands a change to the queues.
    func operation(_ submit: @escaping @Sendable (Resource) -> Void) -> @Sendable (Resource) -> Void {
        let change = Change(self)
        return { resource in withExtendedLifetime(change) { submit(resource) } }
    }

    /// Returns once the queues have all changes decided so far.
    func finish() async {
        await withCheckedContinuation { continuation in
            if !work.withLock({ $0.wait(continuation) }) { continuation.resume() }
        }
    }
}
