public import Platform
public import TransportSecurity

/// Hears what happens to a stream; called on the stream's loop, never from within a call to that stream.
///
/// It may close the stream in any of these calls; none comes after that. The stream holds its delegate until it is
/// closed.
public protocol StreamDelegate: AnyObject {
    /// Bytes have come: those left unread before, then new ones.
    ///
    /// - Returns: how many it has consumed, from the front. The rest is kept and lent again with the next bytes, or
    ///   after `Stream.redeliver()`, or when reading is resumed.
    func stream(_ stream: Stream, didRead bytes: Span<UInt8>) -> Int

    /// The peer has sent its last byte; it may still read. By default the stream closes when all is sent.
    func streamDidReachEnd(_ stream: Stream)

    /// The unsent bytes have fallen to the low-water mark after the stream was saturated or a notice was requested.
    func streamDidDrain(_ stream: Stream)

    /// The deadline set by `Stream.setReadDeadline` has passed and is cleared. By default the stream closes.
    func streamDidReachDeadline(_ stream: Stream)

    /// The stream broke and is closed already.
    func stream(_ stream: Stream, didFail error: StreamError)
}

extension StreamDelegate {
    public func streamDidReachEnd(_ stream: Stream) { stream.closeAfterSending() }
    public func streamDidDrain(_ stream: Stream) {}
    public func streamDidReachDeadline(_ stream: Stream) { stream.close() }
}

/// Why a stream broke.
public enum StreamError: Error, Sendable, Hashable {
    /// The peer reset the connection, or it broke otherwise.
    case reset
    /// The peer took nothing for the send time-out.
    case sendTimeout
    /// More than `Stream.leftoverLimit` bytes were left unread.
    case leftoverLimit
    /// A file ended before the region to be sent did, or could not be read.
    case fileTruncated
    /// TLS failed, or ended without saying so.
    indirect case security(TLSError)
    /// Another failure the system reported.
    case system(SystemError)
}
