import Glibc

/// Signals the process is told by, delivered on a loop.
///
/// Bound to its loop. One loop of the process may have one.
public final class Signals {
    public enum Signal: Sendable, Hashable, CaseIterable {
        case terminate, interrupt, hangup, user1, user2

        var number: Int32 {
            switch self {
            case .terminate: SIGTERM
            case .interrupt: SIGINT
            case .hangup: SIGHUP
            case .user1: SIGUSR1
            case .user2: SIGUSR2
            }
        }
    }

    private let source: SignalSource

    /// Calls `handler` on `loop` for each of `signals` that arrives, until `cancel()` or the loop's end.
    public init(loop: EventLoop, signals: [Signal], handler: @escaping (Signal) -> Void) {
        source = SignalSource(loop: loop, signals: signals.map(\.number)) { number in
            if let signal = signals.first(where: { $0.number == number }) { handler(signal) }
        }
        loop.add(self)
    }

    /// The signals have their default effect again.
    public func cancel() { source.cancel() }
}
