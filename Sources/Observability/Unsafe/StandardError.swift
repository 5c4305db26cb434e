import Glibc

/// The process's standard error stream.
public enum StandardError {
    /// Writes all octets, in one call where the system takes them so; what cannot be written is lost.
    public static func write(_ octets: [UInt8]) {
        unsafe octets.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = unsafe Glibc.write(STDERR_FILENO, bytes.baseAddress?.advanced(by: sent), bytes.count - sent)
                if count > 0 { sent += count } else if errno != EINTR { return }
            }
        }
    }
}
