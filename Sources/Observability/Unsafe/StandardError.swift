import Glibc

/// The process's standard error stream.
public enum StandardError {
    /// Writes all bytes, in one call where the system takes them so; blocks.
    ///
    /// What cannot be written is lost.
    public static func write(_ bytes: [UInt8]) { SystemOutput.write(bytes[...], to: STDERR_FILENO) }
}

/// Descriptors that are written to until all is taken.
enum SystemOutput {
    /// Writes all bytes; waits where the descriptor takes none now, also if it is a non-blocking one.
    ///
    /// - Returns: false if nobody takes them any more.
    @discardableResult
    static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        unsafe bytes.withUnsafeBytes { raw in
            var sent = 0
            while sent < raw.count {
                let count = unsafe Glibc.write(descriptor, raw.baseAddress?.advanced(by: sent), raw.count - sent)
                if count > 0 {
                    sent += count
                } else if errno == EAGAIN {
                    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    unsafe poll(&waiting, 1, -1)
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }
}
