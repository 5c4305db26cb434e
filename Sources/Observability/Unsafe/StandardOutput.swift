import Glibc

/// The process's standard output stream, past the C library's buffer.
public enum StandardOutput {
    /// Writes all octets; blocks.
    ///
    /// - Returns: false if nobody takes them any more.
    @discardableResult
    public static func write(_ octets: [UInt8]) -> Bool {
        unsafe octets.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = unsafe Glibc.write(STDOUT_FILENO, bytes.baseAddress?.advanced(by: sent), bytes.count - sent)
                if count > 0 { sent += count } else if errno != EINTR { return false }
            }
            return true
        }
    }

    /// Whether a person reads it.
    public static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}
