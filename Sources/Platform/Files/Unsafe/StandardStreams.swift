import Glibc

/// The process's standard output stream, without the C library's buffer.
public enum StandardOutput {
    /// Writes all bytes; blocks.
    ///
    /// - Returns: false if the reading end is closed.
    @discardableResult
    public static func write(_ bytes: [UInt8]) -> Bool { SystemOutput.write(bytes[...], to: STDOUT_FILENO) }

    /// Whether it is a terminal.
    public static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}

/// The process's standard error stream.
public enum StandardError {
    /// Its descriptor.
    public static let descriptor = STDERR_FILENO

    /// Writes all bytes, in one call if the system accepts them so; blocks.
    ///
    /// Bytes that cannot be written are lost.
    public static func write(_ bytes: [UInt8]) { SystemOutput.write(bytes[...], to: descriptor) }
}
