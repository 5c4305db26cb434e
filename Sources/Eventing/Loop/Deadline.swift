public import HTTPCore

/// A coarse deadline of one loop: up to 100 ms late, never early; moving it to later costs one store.
///
/// For deadlines that are set often and seldom pass, such as time-outs of connections. Bound to its loop, which keeps
/// it alive while it is set.
public final class Deadline: DeadlineOwner {
    private let loop: EventLoop
    private let action: () -> Void
    private(set) var wheelDeadline = Int64.max
    private var node: Int32 = -1

    /// Makes a deadline that is not set yet; `action` runs on the loop each time it passes.
    public init(loop: EventLoop, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
    }

    /// Whether the deadline is set and has not passed.
    public var isSet: Bool { wheelDeadline != .max }

    /// Sets the deadline `delay` from now.
    public func set(after delay: Duration) { set(at: loop.now + delay) }

    public func set(at time: MonotonicTime) {
        let isEarlier = time.nanoseconds < wheelDeadline
        wheelDeadline = time.nanoseconds
        if node < 0 {
            node = loop.wheel.insert(self)
        } else if isEarlier {
            loop.wheel.lower(node)
        }
    }

    /// Clears the deadline; it can be set again.
    public func clear() {
        wheelDeadline = .max
        guard node >= 0 else { return }
        loop.wheel.remove(node)
        node = -1
    }

    func deadlineDidPass(now: Int64) {
        clear()
        action()
    }
}
