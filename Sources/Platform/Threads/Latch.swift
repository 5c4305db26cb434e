/// Lets threads wait until another thread has done something, once.
public final class Latch: Sendable {
    private let isOpen = Monitor(false)

    public init() {}

    /// Makes all waits return, now and later.
    public func open() {
        isOpen.withLock { $0 = true }
        isOpen.wakeAll()
    }

    /// Blocks until `open()` was called.
    public func wait() { isOpen.wait { $0 ? () : nil } }
}
