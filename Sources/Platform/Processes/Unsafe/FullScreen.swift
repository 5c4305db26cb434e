import CLinux
import LibC

/// The terminal of a program that draws the whole screen (termios(3), console_codes(4)).
///
/// It shows the alternate screen, without a cursor, and does not echo what is typed. Bound to the thread that makes it,
/// which is the only one that gets the signals. Make it before other threads, and `leave()` before the program ends.
public final class FullScreen {
    public enum Event: Sendable, Equatable {
        case key(UInt8)
        /// The terminal has another size, or shows this program again.
        case change
        /// The process is to end.
        case end(Signal)
        /// Nothing happened in time.
        case timeout
    }

    private static let handled = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH]

    private let signals: FileDescriptor
    private var hasKeys = StandardInput.isTerminal
    private var attributes = termios()
    private var isShown = false

    /// Shows the alternate screen; standard output must be a terminal.
    public init() throws(SystemError) {
        var set = Self.handledSet
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        let number = unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
        guard number >= 0 else { throw SystemError(errno, "no signalfd") }
        signals = FileDescriptor(adopting: number)
        enter()
    }

    private static var handledSet: sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in handled { unsafe sigaddset(&set, number) }
        return set
    }

    // MARK: The screen

    private func enter() {
        guard !isShown else { return }
        isShown = true
        if hasKeys {
            unsafe tcgetattr(STDIN_FILENO, &attributes)
            var own = attributes
            own.c_lflag &= ~tcflag_t(ICANON | ECHO)
            unsafe tcsetattr(STDIN_FILENO, TCSANOW, &own)
        }
        draw(Array("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J".utf8))
    }

    /// Shows the terminal as it was.
    public func leave() {
        guard isShown else { return }
        isShown = false
        draw(Array("\u{1B}[?25h\u{1B}[?1049l".utf8))
        if hasKeys { unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &attributes) }
    }

    /// Writes to the terminal; false once it is gone.
    @discardableResult
    public func draw(_ bytes: [UInt8]) -> Bool { SystemOutput.write(bytes[...], to: STDOUT_FILENO) }

    // MARK: Events

    /// Waits for a key or a signal; a program that is stopped and continued sees a change.
    public func wait(for time: Duration) -> Event {
        let deadline = SystemClock.monotonicNanoseconds() + time.limitedNanoseconds
        while true {
            let left = max(0, deadline - SystemClock.monotonicNanoseconds())
            var waiting = [
                pollfd(fd: signals.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: hasKeys ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&waiting, 2, Int32(clamping: (left + 999_999) / 1_000_000))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .timeout }
            if waiting[0].revents != 0, let event = nextSignal() { return event }
            if waiting[1].revents != 0, let event = nextKey() { return event }
        }
    }

    private func nextKey() -> Event? {
        var byte: UInt8 = 0
        let count = unsafe read(STDIN_FILENO, &byte, 1)
        if count == 1 { return .key(byte) }
        if count < 0, errno == EINTR || errno == EAGAIN { return nil }
        // The terminal is gone.
        hasKeys = false
        return .end(.hangup)
    }

    private func nextSignal() -> Event? {
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard unsafe read(signals.number, &info, size) == size else { return nil }
        switch Int32(info.ssi_signo) {
        case SIGWINCH: return .change
        case SIGTSTP: return stop()
        case SIGINT: return .end(.interrupt)
        case SIGHUP: return .end(.hangup)
        default: return .end(.terminate)
        }
    }

    /// Stops the process as its shell expects; returns when it goes on.
    private func stop() -> Event {
        leave()
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, SIGTSTP)
        _ = kill(getpid(), SIGTSTP)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        enter()
        return .change
    }

    /// Ends the process by a signal, as it would have ended without this screen.
    public func end(by signal: Signal) -> Never {
        leave()
        Signal.endProcess(by: signal)
    }
}
