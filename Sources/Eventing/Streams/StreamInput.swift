/// The reading half of a stream.
struct StreamInput {
    /// Whether the owner wants bytes; while false, TCP makes the peer wait.
    var isWanted = true
    /// Bytes that the delegate has not consumed yet.
    var unread: [UInt8] = []
    /// Whether the peer has sent its last byte.
    var hasEnded = false
    /// Whether bytes are being lent to the delegate; the stream flushes when that call returns.
    var isDelivering = false
    /// Whether the unread bytes are lent again at the end of the turn.
    var wantsRedelivery = false

    /// Removes and returns the unread bytes.
    mutating func takeUnread() -> [UInt8] {
        var bytes: [UInt8] = []
        swap(&bytes, &unread)
        return bytes
    }
}
