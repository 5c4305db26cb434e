import Exchanges
import Locking

/// What a subscriber of the whole table receives.
public enum TableEvent: Sendable {
    case change(number: UInt64, ResourceChange)
    /// The subscriber was slow, so this many events were left out; later events follow.
    case gap(missed: UInt64)
}

/// A subscription to the events of all resources; ends with `cancel`.
public final class TableSubscription: Sendable {
    private struct State {
        var queue: [TableEvent] = []
        var missed: UInt64 = 0
        var isSubmitted = false
        var isCancelled = false
    }

    private let context: any DeliveryContext
    private let bound: Int
    private let handler: @Sendable ([TableEvent]) -> Void
    private let state = Lock(State())

    init(context: any DeliveryContext, bound: Int, handler: @escaping @Sendable ([TableEvent]) -> Void) {
        self.context = context
        self.bound = max(1, bound)
        self.handler = handler
    }

    /// If called on the subscription's context, no event is delivered after it.
    public func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.queue = []
        }
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func post(_ event: TableEvent) {
        let submits = state.withLock { state -> Bool in
            guard !state.isCancelled else { return false }
            if state.queue.count >= bound {
                state.missed += 1
                return false
            }
            state.queue.append(event)
            defer { state.isSubmitted = true }
            return !state.isSubmitted
        }
        if submits { context.submit { self.deliver() } }
    }

    private func deliver() {
        let events = state.withLock { state -> [TableEvent] in
            var events = state.queue
            if state.missed > 0 { events.append(.gap(missed: state.missed)) }
            state.queue = []
            state.missed = 0
            state.isSubmitted = false
            return state.isCancelled ? [] : events
        }
        if !events.isEmpty { handler(events) }
    }
}
