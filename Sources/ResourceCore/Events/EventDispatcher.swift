import Locking
import Synchronization

/// Passes the events of all resources to the table's subscribers; without any, it costs one atomic load.
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
            // Under the lock, so that events are delivered in the order of their numbers; posting only appends to a
            // queue.
            for subscription in state.subscriptions {
                subscription.post(.change(number: state.number, change))
            }
        }
    }
}
