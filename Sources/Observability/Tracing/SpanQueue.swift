import Locking

/// Spans that wait until they are exported, at most so many; further ones are dropped and counted.
///
/// Safe from any thread.
public final class SpanQueue: Sendable {
    private struct State {
        var spans: [TracedSpan] = []
        var dropped = 0
        var wake: (@Sendable () -> Void)?
    }

    private let capacity: Int
    /// How many spans are exported at once.
    public let batch: Int
    private let state = Lock(State())

    public init(capacity: Int = 4096, batch: Int = 512) {
        self.capacity = capacity
        self.batch = batch
    }

    /// Called with the first span that waits, and when a batch is complete, on the thread that adds it; must not block.
    public func whenAdded(_ wake: (@Sendable () -> Void)?) { state.withLock { $0.wake = wake } }

    public func add(_ span: TracedSpan) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.spans.count < capacity else {
                state.dropped += 1
                return nil
            }
            state.spans.append(span)
            return state.spans.count == 1 || state.spans.count == batch ? state.wake : nil
        }
        wake?()
    }

    /// Removes the oldest spans, as many as are exported at once.
    public func takeBatch() -> [TracedSpan] {
        state.withLock { state in
            let taken = Array(state.spans.prefix(batch))
            state.spans.removeFirst(taken.count)
            return taken
        }
    }

    /// Counts spans that were taken and not exported.
    public func noteDropped(_ count: Int) { state.withLock { $0.dropped += count } }

    /// Spans that wait.
    public var count: Int { state.withLock { $0.spans.count } }
    /// Spans dropped since the start.
    public var dropped: Int { state.withLock { $0.dropped } }
}
