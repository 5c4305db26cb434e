import Locking

/// A subscription to events, such as those of all resources; ends with `cancel`.
///
/// At most `bound` events wait for the subscriber. If it is slow, an event that counts those left out comes instead.
public final class EventSubscription<Event: Sendable>: Sendable {
    private struct State {
        var queue: [Event] = []
        var missed: UInt64 = 0
        var isSubmitted = false
        var isCancelled = false
    }

    private let context: any DeliveryContext
    private let bound: Int
    private let handler: @Sendable ([Event]) -> Void
    private let gap: @Sendable (_ missed: UInt64) -> Event
    private let state = Lock(State())

    public init(
        _ context: any DeliveryContext,
        bound: Int,
        gap: @escaping @Sendable (_ missed: UInt64) -> Event,
        _ handler: @escaping @Sendable ([Event]) -> Void
    ) {
        self.gap = gap
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

    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    public func post(_ event: Event) {
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
        let events = state.withLock { state -> [Event] in
            var events = state.queue
            if state.missed > 0 { events.append(gap(state.missed)) }
            state.queue = []
            state.missed = 0
            state.isSubmitted = false
            return state.isCancelled ? [] : events
        }
        if !events.isEmpty { handler(events) }
    }
}
