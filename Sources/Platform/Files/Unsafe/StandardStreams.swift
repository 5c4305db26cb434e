import CLinux
import LibC

/// The process's standard output stream, without the C library's buffer.
public enum StandardOutput {
    /// Writes all bytes; blocks.
    ///
    /// Without a reader the process ends as other programs do: by SIGPIPE, even if that is ignored.
    /// - Throws: the reason why the bytes cannot be written, such as a full disk.
    public static func write(_ bytes: [UInt8]) throws(SystemError) {
        guard !SystemOutput.write(bytes[...], to: STDOUT_FILENO) else { return }
        let error = SystemError(errno, "cannot write to standard output")
        if error.code == EPIPE { endByBrokenPipe() }
        throw error
    }

    /// Whether it is a terminal.
    public static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// How many characters a line of the terminal has; nil if there is no terminal, or it does not say.
    public static var columns: Int? {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// How many lines the terminal has; nil if there is no terminal, or it does not say.
    public static var rows: Int? {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return nil }
        return Int(size.ws_row)
    }

    /// Ends the process as the system ends one that writes to a pipe without a reader.
    private static func endByBrokenPipe() -> Never {
        respite_reset_signal(SIGPIPE)
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, SIGPIPE)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        _ = raise(SIGPIPE)
        _exit(128 + SIGPIPE)
    }
}

/// The process's standard input stream.
public enum StandardInput {
    /// Whether it is a terminal.
    public static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }
}

/// The process's standard error stream.
public enum StandardError {
    /// Whether it is a terminal.
    public static var isTerminal: Bool { isatty(descriptor) == 1 }

    /// How many characters a line of the terminal has; nil if there is no terminal, or it does not say.
    public static var columns: Int? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Its descriptor.
    public static let descriptor = STDERR_FILENO

    /// Writes all bytes, in one call if the system accepts them so; blocks.
    ///
    /// Bytes that cannot be written are lost.
    public static func write(_ bytes: [UInt8]) { SystemOutput.write(bytes[...], to: descriptor) }
}
