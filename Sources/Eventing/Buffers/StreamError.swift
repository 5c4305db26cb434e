import Glibc
public import Platform
public import TransportSecurity

/// Why a stream failed.
public enum StreamError: Error, Sendable, Hashable {
    /// The peer reset the connection, or it broke otherwise.
    case reset
    /// The peer took nothing for the send time-out.
    case sendTimeout
    /// More than `Stream.unreadLimit` bytes were left unread.
    case unreadLimit
    /// A file ended before the region to be sent did, or could not be read.
    case fileTruncated
    /// TLS failed, or ended without close_notify.
    indirect case security(TLSError)
    /// Another failure the system reported.
    case system(SystemError)
}

extension StreamError {
    /// The failure that a system call reports by `code`, an `errno`.
    init(_ code: Int32) { self = code == ECONNRESET || code == EPIPE ? .reset : .system(SystemError(code)) }
}
