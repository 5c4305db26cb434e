public import ResourceCore

/// The events of a resource, each with the state after it, as a sequence for `for await` (S-206).
///
/// The first one is `observerAdded`. The sequence observes and keeps the resource until the loop ends, its task is
/// cancelled, or the sequence is released. It ends by itself once the resource is gone. Several loops over one sequence
/// share its events: call `Resource.events` once for each.
public struct ResourceChanges: AsyncSequence, Sendable {
    public typealias Element = ResourceChange
    public typealias Failure = Never

    /// What happens to events that no loop has read yet.
    public enum Buffering: Sendable, Hashable {
        /// At most so many wait; then the oldest is dropped. The numbers of the changes show the gap.
        case newest(Int)
        /// Only the latest waits: for code that needs the state, not how it came about.
        case latest
    }

    private let stream: AsyncStream<ResourceChange>

    init(_ resource: Resource, _ buffering: Buffering) {
        let bound = if case .newest(let bound) = buffering { Swift.max(1, bound) } else { 1 }
        let (stream, continuation) = AsyncStream.makeStream(
            of: ResourceChange.self,
            bufferingPolicy: .bufferingNewest(bound)
        )
        self.stream = stream
        let owner = StreamOwner()
        resource.addObserver(StreamObserver(continuation), owner: owner)
        continuation.onTermination = { [weak resource] _ in resource?.removeObservers(ownedBy: owner) }
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        var base: AsyncStream<ResourceChange>.Iterator

        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> ResourceChange? {
            await base.next(isolation: actor)
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: stream.makeAsyncIterator()) }
}

/// Exists as long as a loop may read events.
private final class StreamOwner: Sendable {}

/// Puts events into a stream, and ends it with the resource.
private final class StreamObserver: ResourceObserver {
    private let continuation: AsyncStream<ResourceChange>.Continuation

    init(_ continuation: AsyncStream<ResourceChange>.Continuation) { self.continuation = continuation }

    deinit { continuation.finish() }

    func resourceChanged(_ resource: Resource, _ change: ResourceChange) { continuation.yield(change) }
}
