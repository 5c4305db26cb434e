public import Platform

/// Delivers signals of the process on a loop.
///
/// Bound to its loop; only one loop of the process may have one. Each `Thread` blocks the signals. Signals that are
/// already pending are delivered, too.
public final class Signals {
    private let source: SignalSource

    /// Calls `handler` on `loop` for each of `signals` that the process gets, until the loop's end.
    public init(loop: EventLoop, signals: [Signal], handler: @escaping (Signal) -> Void) {
        source = SignalSource(loop: loop, signals: signals, handler: handler)
        loop.add(source)
        Signal.unblock(signals)
    }
}
