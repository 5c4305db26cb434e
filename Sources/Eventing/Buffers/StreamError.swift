import LibC
public import Platform
public import TransportSecurity

/// Why a stream failed.
public enum StreamError: Error, Sendable, Hashable {
    /// The peer reset the connection, or it broke otherwise.
    case reset
    /// The peer accepted nothing before the send time-out passed.
    case sendTimeout
    /// More than `Stream.unreadLimit` bytes were left unread.
    case unreadLimit
    /// A file ended before the end of the region, or could not be read.
    case fileTruncated
    /// TLS failed, or ended without close_notify.
    indirect case security(TLSError)
    /// Another failure that the system reported.
    case system(SystemError)
}

extension StreamError {
    /// Converts an `errno` of a system call.
    init(_ code: Int32) { self = code == ECONNRESET || code == EPIPE ? .reset : .system(SystemError(code)) }
}
