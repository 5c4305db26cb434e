/// Receives the events of a stream.
///
/// Called on the stream's loop, never within a call to that stream. The delegate may close the stream in any of these
/// calls; no call follows then. The stream retains its delegate until it is closed.
public protocol StreamDelegate: AnyObject {
    /// Bytes were received: the span has those left unread before, then new ones.
    ///
    /// - Returns: how many it has consumed, from the front. The stream keeps the rest and lends it again with the next
    ///   bytes, after `Stream.redeliver()`, or when reading is resumed.
    func stream(_ stream: Stream, didRead bytes: Span<UInt8>) -> Int

    /// The peer has sent its last byte; it may still read.
    ///
    /// By default the stream closes once all bytes are sent.
    func streamDidReachEnd(_ stream: Stream)

    /// The unsent bytes have fallen to the low-water mark, after the stream was saturated or a notice was requested.
    func streamDidDrain(_ stream: Stream)

    /// The deadline set by `Stream.setReadDeadline` has passed and is cleared.
    ///
    /// By default the stream closes.
    func streamDidReachDeadline(_ stream: Stream)

    /// The stream has failed and is closed already.
    func stream(_ stream: Stream, didFail error: StreamError)
}

extension StreamDelegate {
    public func streamDidReachEnd(_ stream: Stream) { stream.closeAfterSending() }
    public func streamDidDrain(_ stream: Stream) {}
    public func streamDidReachDeadline(_ stream: Stream) { stream.close() }
}
