import Glibc

/// Writes to descriptors until they have accepted all bytes.
public enum SystemOutput {
    /// Writes all bytes; blocks until the descriptor has accepted them, even a non-blocking one.
    ///
    /// - Returns: false if the descriptor accepts no more bytes, like a pipe without a reader.
    @discardableResult
    public static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
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
