public import Platform

/// Delivers signals of the process on a loop.
///
/// Bound to its loop; one loop of the process may have one. No other thread needs to unblock the signals: they are blocked on
/// each `Thread`. Signals that are pending when this object is made are delivered then.
public final class Signals {
    private let source: SignalSource

    /// Calls `handler` on `loop` for each of `signals` that arrives, until `cancel()` or the loop's end.
    public init(loop: EventLoop, signals: [Signal], handler: @escaping (Signal) -> Void) {
        source = SignalSource(loop: loop, signals: signals, handler: handler)
        loop.add(source)
        Signal.unblock(signals)
    }

    /// Delivers no more signals; they stay pending, as far as this thread is concerned.
    public func cancel() { source.cancel() }
}
