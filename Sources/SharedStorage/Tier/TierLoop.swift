public import Eventing
public import HTTPCore

/// What the tier needs of a loop: its clocks, and work that it does later.
///
/// A test may put a virtual one in its place.
public protocol TierLoop: AnyObject {
    var now: MonotonicTime { get }
    var wallNow: HTTPDate { get }
    /// Runs `work` once after a time, never within this call.
    func later(_ delay: Duration, _ work: @escaping () -> Void) -> any TierTimer
}

/// Work that a loop will do.
public protocol TierTimer {
    func cancel()
}

extension LoopTimer: TierTimer {}

extension EventLoop: TierLoop {
    public func later(_ delay: Duration, _ work: @escaping () -> Void) -> any TierTimer {
        schedule(after: delay, work)
    }
}
