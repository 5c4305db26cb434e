import HTTPCore

/// A timer of one loop; made by `EventLoop.schedule`.
///
/// Bound to its loop, which keeps it alive while it is armed.
public final class LoopTimer {
    private let loop: EventLoop
    private let work: () -> Void
    /// When it is due, in nanoseconds of the loop's clock; nil while it is not armed.
    private(set) var deadline: Int64?
    /// When the queue looks at this timer next; nil if the timer has no entry there.
    fileprivate(set) var queued: Int64?
    fileprivate(set) var generation = 0

    init(loop: EventLoop, work: @escaping () -> Void) {
        self.loop = loop
        self.work = work
    }

    /// Whether the timer will run.
    public var isArmed: Bool { deadline != nil }

    /// Cancels the timer; it can be armed again.
    public func cancel() {
        guard deadline != nil else { return }
        deadline = nil
        let dropped = loop.timers.noteCancelled(self)
        withExtendedLifetime(dropped) {}
    }

    /// Makes the timer run `delay` from now; cheap if that is later than before.
    public func rearm(after delay: Duration) {
        let due = (loop.now + delay).nanoseconds
        deadline = due
        if let queued, queued <= due { return }
        loop.timers.insert(self, at: due)
    }

    fileprivate func takeWork() -> () -> Void {
        deadline = nil
        return work
    }
}

/// Timers by their deadlines, equal ones in the order in which they were armed: a binary heap.
///
/// A timer moved to later keeps its entry, which is reinserted when it is due.
struct TimerQueue {
    private struct Entry {
        var deadline: Int64
        var sequence: UInt64
        var generation: Int
        var timer: LoopTimer

        func precedes(_ other: Entry) -> Bool {
            deadline != other.deadline ? deadline < other.deadline : sequence < other.sequence
        }
    }

    private var heap: [Entry] = []
    private var sequence: UInt64 = 0
    private var cancelled = 0

    var nextDeadline: Int64? { heap.first?.deadline }

    mutating func insert(_ timer: LoopTimer, at deadline: Int64) {
        sequence += 1
        timer.generation += 1
        timer.queued = deadline
        push(Entry(deadline: deadline, sequence: sequence, generation: timer.generation, timer: timer))
    }

    /// Counts a cancelled timer.
    ///
    /// Its entry stays until it is due, or until half of all entries are of cancelled timers.
    ///
    /// - Returns: the timers whose entries were removed. The caller releases them: the captures of their closures may
    ///   use the queue.
    mutating func noteCancelled(_ timer: LoopTimer) -> [LoopTimer] {
        cancelled += 1
        guard cancelled > 32, cancelled > heap.count / 2 else { return [] }
        cancelled = 0
        let all = heap
        heap = []
        var dropped: [LoopTimer] = []
        for entry in all {
            if entry.generation == entry.timer.generation && entry.timer.deadline != nil {
                push(entry)
            } else {
                if entry.timer.deadline == nil { entry.timer.queued = nil }
                dropped.append(entry.timer)
            }
        }
        return dropped
    }

    /// Removes the first timer that is due and returns its work; nil if none is due.
    ///
    /// Timers whose entries were removed are added to `dropped`, for the caller to release.
    mutating func popDue(at now: Int64, dropped: inout [LoopTimer]) -> (() -> Void)? {
        while let first = heap.first, first.deadline <= now {
            removeFirst()
            let timer = first.timer
            dropped.append(timer)
            guard first.generation == timer.generation else { continue }
            timer.queued = nil
            guard let deadline = timer.deadline else {
                cancelled = max(0, cancelled - 1)
                continue
            }
            if deadline <= now { return timer.takeWork() }
            insert(timer, at: deadline)
        }
        return nil
    }

    private mutating func push(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [parent * 2 + 1, parent * 2 + 2] where child < heap.count && heap[child].precedes(heap[least])
            {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
