import Glibc

/// Signals the process is told by, delivered on a loop.
///
/// Bound to its loop. One loop of the process may have one. No other thread needs to let them through: threads that are
/// started here hold them (`Thread`), and those that came before are delivered when the loop begins to listen.
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
        loop.add(source)
        Self.letThrough(signals.map(\.number))
    }

    /// From now on the signals wait, as far as this thread is concerned.
    public func cancel() { source.cancel() }
}
