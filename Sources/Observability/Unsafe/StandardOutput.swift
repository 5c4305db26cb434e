import Glibc

/// The process's standard output stream, past the C library's buffer.
public enum StandardOutput {
    /// Writes all bytes; blocks.
    ///
    /// - Returns: false if nobody takes them any more.
    @discardableResult
    public static func write(_ bytes: [UInt8]) -> Bool { SystemOutput.write(bytes[...], to: STDOUT_FILENO) }

    /// Whether a person reads it.
    public static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}
