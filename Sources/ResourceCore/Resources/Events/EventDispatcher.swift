import Locking
import Synchronization

/// Passes the events of all resources to the table's subscribers; costs one atomic load while there is none.
final class EventDispatcher: Sendable {
    private struct State {
        var number: UInt64 = 0
        var subscriptions: [TableSubscription] = []
    }

    private let isWatched = Atomic<Bool>(false)
    private let state = Lock(State())

    var hasSubscribers: Bool { isWatched.load(ordering: .relaxed) }

    func add(_ subscription: TableSubscription) {
        state.withLock { $0.subscriptions.append(subscription) }
        isWatched.store(true, ordering: .relaxed)
    }

    func post(_ change: ResourceChange) {
        guard hasSubscribers else { return }
        state.withLock { state in
            state.subscriptions.removeAll { $0.isCancelled }
            isWatched.store(!state.subscriptions.isEmpty, ordering: .relaxed)
            state.number += 1
            // Under the lock: only a queue is appended to, and the order of the numbers is the order of delivery.
            for subscription in state.subscriptions {
                subscription.post(.change(number: state.number, change))
            }
        }
    }
}
