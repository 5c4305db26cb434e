import HTTPCore

@testable import SharedStorage

/// A time that goes on from event to event.
final class VirtualTime {
    /// Work that is due at some time.
    final class Event: TierTimer {
        let time: Duration
        fileprivate let order: Int
        fileprivate var work: (() -> Void)?

        fileprivate init(_ time: Duration, _ order: Int, _ work: @escaping () -> Void) {
            (self.time, self.order, self.work) = (time, order, work)
        }

        func cancel() { work = nil }
    }

    private(set) var now = Duration.zero
    private var events: [Event] = []
    private var count = 0

    @discardableResult
    func after(_ delay: Duration, _ work: @escaping () -> Void) -> Event {
        count += 1
        let event = Event(now + max(.zero, delay), count, work)
        let index = events.firstIndex { ($0.time, $0.order) < (event.time, event.order) } ?? events.endIndex
        events.insert(event, at: index)
        return event
    }

    /// Runs what is due by then, in its order.
    func run(until end: Duration) {
        while let next = events.last, next.time <= end {
            events.removeLast()
            now = next.time
            next.work.take()?()
        }
        now = end
    }
}

/// The loop of a node: while the node is paused, nothing of it runs.
final class VirtualLoop: TierLoop {
    private let time: VirtualTime
    /// How far its wall clock is ahead, in seconds.
    private let skew: Int64
    private var resumesAt = Duration.zero

    init(_ time: VirtualTime, skew: Int64 = 0) { (self.time, self.skew) = (time, skew) }

    var now: MonotonicTime { MonotonicTime(nanoseconds: 1_000_000_000) + time.now }
    var wallNow: HTTPDate { HTTPDate(seconds: 1_000_000 + time.now.components.seconds + skew) }

    func later(_ delay: Duration, _ work: @escaping () -> Void) -> any TierTimer {
        time.after(delay) { [self] in run(work) }
    }

    /// Does work of the node, once it runs.
    func run(_ work: @escaping () -> Void) {
        if time.now < resumesAt { time.after(resumesAt - time.now) { [self] in run(work) } } else { work() }
    }

    func pause(for duration: Duration) { resumesAt = max(resumesAt, time.now + duration) }
}
