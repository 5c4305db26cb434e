public import HTTPCore

/// The clocks of the core: the system's in the daemon; in tests they stand still until the test moves them.
public protocol Timekeeper: AnyObject, Sendable {
    /// The clock that never jumps; ages within a run and timers use it.
    var now: MonotonicTime { get }
    /// The wall clock; dates of messages and of stored records use it.
    var wallNow: HTTPDate { get }
    /// The wall clock as finely as it is known; by default the whole second.
    var timestamp: Timestamp { get }

    /// Runs `work` once, not before `delay` has passed, on a context of the timekeeper's choice.
    ///
    /// MUST NOT run it inside this call.
    @discardableResult
    func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> any TimerToken
}

extension Timekeeper {
    public var timestamp: Timestamp { Timestamp(wallNow) }
}

/// A timer that can be cancelled.
public protocol TimerToken: AnyObject, Sendable {
    /// Cancels the timer; without effect once it has run.
    func cancel()
}
