import CLinux
import LibC

/// A program that runs in place of this process, with its terminal, standard streams and process group.
///
/// Start it and wait for it on one thread. When that thread ends, the program gets SIGTERM. So if this process is
/// killed, the program ends, too.
public final class ChildProcess {
    /// How a program ended.
    public enum Ending: Sendable, Equatable {
        case exited(Int32)
        /// A signal with this number ended it.
        case killed(Int32)

        init(status: Int32) {
            let signal = status & 0x7F
            self = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal)
        }

        /// The exit code that a shell reports: 128 and the signal's number if a signal ended the program.
        public var exitCode: Int32 {
            switch self {
            case .exited(let code): code
            case .killed(let number): 128 + number
            }
        }
    }

    /// The signals that a person or a service manager sends to this process, and that are meant for the program.
    private static let forwarded = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]

    private let number: pid_t

    /// Starts a program, found by `PATH` unless its name has a slash.
    ///
    /// - Parameters:
    ///   - words: its name and arguments.
    ///   - environment: all of its variables.
    ///   - state: the signal mask and limits for the program.
    public init(
        _ words: [[UInt8]],
        environment: ProcessEnvironment,
        state: ProcessState
    ) throws(SystemError) {
        number = try state.start(words, environment, output: -1, signalAtParentsEnd: SIGTERM)
    }

    /// Keeps signals pending for `wait()`, so that they do not end this process.
    ///
    /// Applies to this thread and to threads that it starts later.
    public static func blockSignals() {
        // If the parent process ignored SIGCHLD, there would be no ending to wait for.
        respite_reset_signal(SIGCHLD)
        var set = blockedSignals
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Removes one signal that is pending since `blockSignals()`, and returns its number; nil without any.
    public static func takePendingSignal() -> Int32? {
        var set = blockedSignals
        unsafe sigdelset(&set, SIGCHLD)
        var now = timespec()
        let signal = unsafe sigtimedwait(&set, nil, &now)
        return signal > 0 ? signal : nil
    }

    private static var blockedSignals: sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in forwarded + [SIGCHLD] { unsafe sigaddset(&set, number) }
        return set
    }

    /// Blocks until the program has ended; forwards the signals that other processes send to this one.
    ///
    /// Signals of the terminal are not forwarded: it sends them to the whole process group.
    public func wait() -> Ending {
        var set = Self.blockedSignals
        while true {
            if let ending = ending() { return ending }
            var info = unsafe siginfo_t()
            let signal = unsafe sigwaitinfo(&set, &info)
            // Signals from the kernel, such as those of the terminal, have a positive code.
            if signal > 0, signal != SIGCHLD, unsafe info.si_code <= 0 { _ = kill(number, signal) }
        }
    }

    private func ending() -> Ending? {
        var status: Int32 = 0
        guard unsafe waitpid(number, &status, WNOHANG) == number else { return nil }
        return Ending(status: status)
    }
}
