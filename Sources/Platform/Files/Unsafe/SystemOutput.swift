import LibC

/// Writes to descriptors until they have accepted all bytes.
public enum SystemOutput {
    /// Writes all bytes; blocks until the descriptor has accepted them, even a non-blocking one.
    ///
    /// - Returns: false if the descriptor accepts no more bytes, like a pipe without a reader.
    @discardableResult
    public static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        writeCounting(bytes, to: descriptor) == bytes.count
    }

    /// The same; returns how many bytes the descriptor has accepted.
    public static func writeCounting(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int {
        unsafe bytes.withUnsafeBytes { raw in
            var sent = 0
            while sent < raw.count {
                let count = unsafe LibC.write(descriptor, raw.baseAddress?.advanced(by: sent), raw.count - sent)
                if count > 0 {
                    sent += count
                } else if errno == EAGAIN {
                    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    unsafe poll(&waiting, 1, -1)
                } else if errno != EINTR {
                    return sent
                }
            }
            return sent
        }
    }

    /// Whether a descriptor is a regular file: a write of any size is one piece there, unlike in a pipe.
    public static func isRegularFile(_ descriptor: Int32) -> Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
