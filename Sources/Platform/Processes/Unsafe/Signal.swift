import CLinux
import LibC

/// The signals that this package handles.
public enum Signal: Sendable, Hashable, CaseIterable {
    case terminate, interrupt, hangup, user1, user2

    /// The system's number of the signal.
    public var number: Int32 {
        switch self {
        case .terminate: SIGTERM
        case .interrupt: SIGINT
        case .hangup: SIGHUP
        case .user1: SIGUSR1
        case .user2: SIGUSR2
        }
    }

    /// Makes a write to a closed connection return an error instead of ending the process.
    public static func ignoreBrokenPipes() { respite_ignore_signal(SIGPIPE) }

    /// Keeps `signals` pending for this thread until it unblocks them; the system keeps at most one of each kind.
    public static func block(_ signals: [Signal]) { setMask(SIG_BLOCK, signals) }

    /// Delivers signals to this thread, even if the parent process had blocked them.
    public static func unblock(_ signals: [Signal]) { setMask(SIG_UNBLOCK, signals) }

    /// Makes `signals` end the process at once, with exit code 0, until another handler is installed.
    ///
    /// For a process that has nothing to save yet.
    public static func exitQuietly(at signals: [Signal]) {
        for one in signals { _ = signal(one.number) { _ in _exit(0) } }
        setMask(SIG_UNBLOCK, signals)
    }

    /// Makes signals do nothing; a program that replaces this one, or that it starts later, ignores them, too.
    public static func ignore(_ signals: [Signal]) { for one in signals { respite_ignore_signal(one.number) } }

    /// Ends the process by a signal, as it would have ended without a handler.
    public static func endProcess(by end: Signal) -> Never {
        respite_reset_signal(end.number)
        unblock([end])
        _ = kill(getpid(), end.number)
        _exit(128 + end.number)
    }

    private static func setMask(_ change: Int32, _ signals: [Signal]) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for one in signals { unsafe sigaddset(&set, one.number) }
        unsafe pthread_sigmask(change, &set, nil)
    }
}
