public import HTTPCore

/// A coarse deadline of one loop: up to 100 ms late, never early; to move it to later costs one store.
///
/// For what is set again and again and seldom passes, such as time-outs of connections. Bound to its loop, which keeps it
/// alive while it is set.
public final class Deadline: DeadlineOwner {
    private let loop: EventLoop
    private let action: () -> Void
    private(set) var wheelDeadline = Int64.max
    private var node: Int32 = -1

    /// A deadline that is not set yet; `action` runs on the loop each time it passes.
    public init(loop: EventLoop, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
    }

    /// Whether the deadline is still to come.
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

    /// Calls the deadline off; it can be set again.
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
