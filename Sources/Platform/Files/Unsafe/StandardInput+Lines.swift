import CLinux
import LibC

extension StandardInput {
    /// All bytes up to the end of the input; blocks.
    ///
    /// - Throws: EFBIG for more than `limit` bytes.
    public static func readAll(limit: Int) throws(SystemError) -> [UInt8] {
        try SmallFile.read(descriptor: STDIN_FILENO, limit: limit)
    }

    /// The next line without its end; blocks, and reads nothing behind it.
    ///
    /// - Returns: nil at the end of the input.
    /// - Throws: EFBIG for a line of more than `limit` bytes.
    public static func readLine(limit: Int) throws(SystemError) -> [UInt8]? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = unsafe read(STDIN_FILENO, &byte, 1)
            if count == 0 { return line.isEmpty ? nil : line }
            if count < 0 {
                guard errno == EINTR else { throw SystemError(errno) }
                continue
            }
            if byte == 0x0A { return line.last == 0x0D ? line.dropLast() : line }
            line.append(byte)
            guard line.count <= limit else { throw SystemError(EFBIG) }
        }
    }

    /// Asks for a line at the terminal without showing what is typed; blocks.
    ///
    /// Signals that end or stop the process find the terminal as it was before.
    public static func readHiddenLine(_ prompt: String, limit: Int) throws(SystemError) -> [UInt8]? {
        let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]
        var (set, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, &before)
        let descriptor = unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
        defer {
            close(descriptor)
            unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        }
        while true {
            // First: an answer that is typed at once is not shown, either.
            let echo = withoutEcho()
            StandardError.write(Array(prompt.utf8))
            let isReady = waitForInput(orSignalOn: descriptor)
            if isReady {
                defer { restore(echo) }
                let line = try readLine(limit: limit)
                StandardError.write([0x0A])
                return line
            }
            restore(echo)
            StandardError.write([0x0A])
            // The pending signal acts now; one that only stopped the process lets it ask again.
            unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
            unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        }
    }

    /// Waits for a whole line at the terminal; returns false if a signal comes first.
    private static func waitForInput(orSignalOn descriptor: Int32) -> Bool {
        while true {
            var waiting = [
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&waiting, 2, -1)
            if count < 0, errno == EINTR { continue }
            return waiting[1].revents == 0
        }
    }

    /// Hides what is typed; returns how the terminal was before.
    private static func withoutEcho() -> termios {
        var before = termios()
        unsafe tcgetattr(STDIN_FILENO, &before)
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO)
        unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        return before
    }

    private static func restore(_ attributes: termios) {
        var attributes = attributes
        unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &attributes)
    }
}
