/// Carries an object that is bound to a loop through other threads, and gives it back on its loop only.
///
/// `@unchecked Sendable`: the value is read on its loop, which is checked, and released there.
public final class LoopBound<Value>: @unchecked Sendable {
    private let handle: LoopHandle
    private var stored: Value?

    public init(_ value: Value, loop: EventLoop) {
        handle = loop.handle
        stored = value
    }

    deinit {
        guard !handle.isCurrent, let value = stored.take() else { return }
        let last = Released(value: value)
        handle.submit { _ in _ = last }
    }

    /// The value; the caller must be on its loop.
    public var value: Value {
        precondition(handle.isCurrent, "a loop's object is used on another thread")
        guard let stored else { preconditionFailure("a loop-bound value is gone") }
        return stored
    }

    /// On its way back to the loop, where it is released; nobody reads it.
    private final class Released: @unchecked Sendable {
        let value: Value
        init(value: Value) { self.value = value }
    }
}
