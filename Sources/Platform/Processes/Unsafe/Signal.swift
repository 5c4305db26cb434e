import CLinux
import Glibc

/// The signals that this package handles.
public enum Signal: Sendable, Hashable, CaseIterable {
    case terminate, interrupt, hangup, user1, user2

    /// The system's number for it.
    public var number: Int32 {
        switch self {
        case .terminate: SIGTERM
        case .interrupt: SIGINT
        case .hangup: SIGHUP
        case .user1: SIGUSR1
        case .user2: SIGUSR2
        }
    }

    /// Makes writing to a connection that is gone an error of the call, instead of the end of the process.
    public static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }

    /// Keeps `signals` pending, as far as this thread is concerned, until a thread unblocks them; one of each kind at most.
    public static func block(_ signals: [Signal]) { setMask(SIG_BLOCK, signals) }

    /// Delivers signals to this thread, also if the parent process had blocked them.
    public static func unblock(_ signals: [Signal]) { setMask(SIG_UNBLOCK, signals) }

    /// Has `signals` end the process at once, with exit code 0, until another handler is installed.
    ///
    /// For a process that has nothing to save yet.
    public static func exitQuietly(at signals: [Signal]) {
        for one in signals { _ = signal(one.number) { _ in _exit(0) } }
        setMask(SIG_UNBLOCK, signals)
    }

    private static func setMask(_ change: Int32, _ signals: [Signal]) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for one in signals { unsafe sigaddset(&set, one.number) }
        unsafe pthread_sigmask(change, &set, nil)
    }
}
