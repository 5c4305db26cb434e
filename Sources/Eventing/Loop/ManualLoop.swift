public import HTTPCore

/// A loop for tests, whose time stands still until the test advances it.
///
/// Bound to the thread that made it. Descriptors are handled in `turn()`, as by every loop.
public final class ManualLoop {
    public let loop: EventLoop

    /// Makes a loop whose clock shows `start`; its wall clock shows the same in whole seconds.
    public init(start: MonotonicTime = MonotonicTime(nanoseconds: 1_000_000_000_000)) throws(EventError) {
        var clock = LoopClock()
        clock.manual = start
        loop = try EventLoop(index: 0, clock: clock)
    }

    deinit { loop.close() }

    /// Advances the clock and runs the timers that become due, each at its own time.
    public func advance(by duration: Duration) {
        let end = loop.now + duration
        while let next = loop.nextDeadline, next <= end.nanoseconds {
            loop.setManualTime(max(loop.now, MonotonicTime(nanoseconds: next)))
            loop.fireDueTimers()
            turn()
        }
        loop.setManualTime(end)
        turn()
    }

    /// Runs what is ready now, without waiting.
    public func turn() { loop.turn(mayBlock: false) }

    /// Waits until something has come by the network or from another thread, and runs it; timers end no wait.
    public func turnWhenReady() { loop.turn(mayBlock: true) }
}
