/// Carries an object that is bound to a loop through other threads.
///
/// `@unchecked Sendable`: the object is used only on its loop, which is checked, and released there. Other threads may
/// call the methods of a subclass, which must not add mutable state.
open class LoopBound<Value: AnyObject>: @unchecked Sendable {
    private let handle: LoopHandle
    /// The `Value`, until `deinit` removes it.
    ///
    /// Declared as `AnyObject`: releasing a `Value` would look its type up, which costs more than all the rest.
    private var stored: AnyObject?

    public init(_ value: Value, loop: EventLoop) {
        handle = loop.handle
        stored = value
    }

    deinit {
        guard !handle.isCurrent else { return }
        let parcel = Parcel(stored.take())
        handle.submit { _ in parcel.value = nil }
    }

    /// The value; the caller must be on its loop.
    public final var value: Value {
        precondition(handle.isCurrent, "a loop's object is used on another thread")
        guard let stored else { preconditionFailure("a loop-bound value is gone") }
        return unsafe unsafeDowncast(stored, to: Value.self)
    }

    /// Whether the caller is on its loop.
    public final var isHere: Bool { handle.isCurrent }

    /// Runs `work` with the value on its loop, later.
    public final func submit(_ work: @escaping @Sendable (Value) -> Void) {
        handle.submit { [self] _ in work(value) }
    }
}

/// Carries the value back to its loop, where alone it is used.
private final class Parcel: @unchecked Sendable {
    var value: AnyObject?
    init(_ value: consuming AnyObject?) { self.value = value }
}
